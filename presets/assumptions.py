"""The paper's assumptions as live checks of a scenario."""

from typing import Literal, NamedTuple

from presets import build, ladder_quantities, quantities
from presets.schema import Scenario

Status = Literal["holds", "fails", "undecided", "not-applicable", "hypothesis"]


class Assumption(NamedTuple):
    """One assumption: does it hold, by which number, in one sentence."""

    name: str
    status: Status
    value: float | None
    text: str


def assumptions(scenario: Scenario) -> tuple[Assumption, ...]:
    """Check A1 (bounded), A4 (split around 1), A5 (differences outpace the shared growth), A6 and A7."""
    return _bounded(scenario), _split(scenario), _gap(scenario), _training(), _respect(scenario)


def _bounded(scenario: Scenario) -> Assumption:
    bound = quantities.generator_bound(scenario)
    return Assumption(
        "A1", "holds", bound, f"The generators are bounded: sup ‖A(ℓ)‖ = {bound:.3f} per layer."
    )


def _split(scenario: Scenario) -> Assumption:
    spectrum = quantities.spectrum(scenario)
    width = int(spectrum.multiplicity.sum())
    where = "" if spectrum.resolution is None else f" at H = {spectrum.resolution}"
    if spectrum.verdict == "contains-one":
        return Assumption(
            "A4", "fails", None, f"1 lies in the spectrum{where}: nothing separates slow from fast."
        )
    if spectrum.gap is None or spectrum.persistent_rank is None:
        return Assumption(
            "A4", "undecided", None, f"Neither a gap around 1 nor 1 itself is certified{where}."
        )
    lower, upper = spectrum.gap
    if spectrum.persistent_rank == 0:
        return Assumption(
            "A4", "fails", 1 - lower, f"Nothing persists: the largest growth is {lower:.3f}{where}."
        )
    if spectrum.persistent_rank == width:
        return Assumption("A4", "fails", None, f"Nothing decays: the smallest growth is {upper:.3f}{where}.")
    margin = min(1 - lower, upper - 1)
    return Assumption(
        "A4", "holds", margin, f"1 lies in the certified gap {lower:.3f} to {upper:.3f}{where}."
    )


def _gap(scenario: Scenario) -> Assumption:
    if build.block_tokens(scenario) == 1:
        return Assumption(
            "A5", "not-applicable", None, "One token per block: there are no differences to decay."
        )
    rate = quantities.fluctuation_rate(scenario).rate
    product = quantities.gap_product(scenario)
    if rate >= 1:
        return Assumption("A5", "fails", product, f"Differences do not decay: r_f = {rate:.3f} per layer.")
    if product >= 1:
        text = f"Differences decay at r_f = {rate:.3f}, but r_f times the largest growth is {product:.3f}."
        return Assumption("A5", "fails", product, text)
    text = f"Differences decay at r_f = {rate:.3f}; times the largest growth that is {product:.3f} < 1."
    return Assumption("A5", "holds", product, text)


def _training() -> Assumption:
    return Assumption(
        "A6", "hypothesis", None, "About training, not about one stack: it cannot be checked here."
    )


def _respect(scenario: Scenario) -> Assumption:
    """Check that ψ maps the bundles into each other; what that is worth is said with the ladder."""
    defect = ladder_quantities.split_defect(scenario)
    if defect is None:
        lost = ladder_quantities.certificate(scenario) is not None
        why = "u* cannot be followed to this ϱ" if lost else "there is no certified split to respect"
        return Assumption("A7", "undecided", None, f"Whether ψ respects the splitting is open: {why}.")
    where = "" if defect.everywhere else f" at u* (ϱ = {scenario.gate.amplitude:g})"
    text = f"max ‖P₊(ℓ+1)Dψ − DψP₊(ℓ)‖ = {defect.value:.3g}{where}"
    if defect.respects:
        return Assumption("A7", "holds", defect.value, f"ψ respects the splitting: {text}.")
    return Assumption(
        "A7", "fails", defect.value, f"ψ mixes the bundles, so the paper’s margin is an estimate: {text}."
    )
