r"""Roughness of a dichotomy: how large a perturbation keeps it, and at which rate (Battelli, Franca, Palmer).

For $\|\Phi P_-\|, \|\Phi P_+\| \le K e^{-a n}$ every perturbation of the layers below $\tanh(a/2)/K$
leaves a dichotomy of the same rank.
"""

import math


def roughness_radius(constant: float, exponent: float) -> float:
    r"""Largest perturbation covered, $\delta_{\max} = \tanh(a/2)/K$.

    **Arguments:**

    - `constant`: K, one for both branches; inf gives 0.
    - `exponent`: a > 0 per layer, one for both branches; inf when both die at once.

    **Returns:** the radius, a norm of the change of a layer.

    Reference: Battelli, Franca & Palmer, arXiv 2111.04553, theorem 5.2.
    """
    if exponent == 0:
        return 0.0
    return math.inf if constant == 0 else math.tanh(exponent / 2) / constant


def remaining_exponent(constant: float, exponent: float, perturbation: float) -> float:
    r"""Exponent β that a perturbation of size δ leaves at least.

    $e^\beta$ is the larger root of $\cosh a - \cosh\beta = K\delta\,e^\beta\sinh a$, so that β = a at δ = 0
    and 0 at $\delta_{\max}$.

    **Arguments:**

    - `constant`: K.
    - `exponent`: a > 0, per layer.
    - `perturbation`: δ ≥ 0, a norm of the change of a layer.

    **Returns:** β per layer; 0 when δ is not below $\delta_{\max}$.

    Reference: as `roughness_radius`.
    """
    if perturbation >= roughness_radius(constant, exponent):
        return 0.0
    coupling = 2 * constant * perturbation * math.sinh(exponent)
    root = math.sqrt(math.sinh(exponent) ** 2 - coupling)
    return math.log((math.cosh(exponent) + root) / (1 + coupling))
