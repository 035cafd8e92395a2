import numpy as np
import pytest

from engine.fluctuation import fluctuation_norms
from engine.kernel import TokenKind
from engine.state_differences import state_differences
from engine.token_flow import propagate

ROUNDOFF = 1e-11

KERNELS: list[tuple[TokenKind, float]] = [("causal", 0.0), ("bidirectional", 0.0), ("leaky", 0.3)]


def drawn(tokens: int, layers: int = 7, width: int = 3) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(tokens)
    mixing, value = 0.4 * random.standard_normal((2, layers, width, width))
    return random.standard_normal((tokens, width)), mixing, value


@pytest.mark.parametrize(("kind", "leak"), KERNELS)
@pytest.mark.parametrize("tokens", [2, 5])
def test_differences_are_those_of_the_token_flow(tokens: int, kind: TokenKind, leak: float):
    states, mixing, value = drawn(tokens)
    blocks = np.concatenate([states, states]) if kind == "leaky" else states
    found = state_differences(states, mixing, value, kind, leak)
    for depth in range(1, len(mixing) + 1):
        run = propagate(blocks, mixing[:depth], value[:depth], tokens, kind, leak).reshape(-1, tokens, 3)
        sizes = [np.linalg.norm(part - part[0], axis=1).max() for part in (*run, states)]
        assert found[depth] == pytest.approx(np.log(max(sizes[:-1]) / sizes[-1]), abs=ROUNDOFF)
    assert found[0] == 0


@pytest.mark.parametrize(("kind", "leak"), KERNELS)
def test_no_input_is_worse_than_the_worst_case(kind: TokenKind, leak: float):
    for tokens in range(2, 9):
        states, mixing, value = drawn(tokens)
        worst = fluctuation_norms(mixing, value, tokens, kind, leak).log_absolute
        assert (state_differences(states, mixing, value, kind, leak) <= worst + ROUNDOFF).all()


def test_tokens_that_agree_have_no_differences():
    _, mixing, value = drawn(4)
    assert np.isneginf(state_differences(np.ones((4, 3)), mixing, value, "causal")).all()
    assert np.isneginf(state_differences(np.ones((1, 3)), mixing, value, "causal")).all()


def test_growth_beyond_the_largest_double_stays_finite():
    layers = np.full((400, 1, 1), 9.0)
    found = state_differences(np.array([[0.0], [1.0]]), layers, layers, "causal")
    np.testing.assert_allclose(found, np.arange(401) * np.log(14.5), rtol=ROUNDOFF)


def test_misuse_is_named():
    _, mixing, value = drawn(4)
    with pytest.raises(ValueError, match="leak must be 0"):
        state_differences(np.ones((4, 3)), mixing, value, "causal", 0.1)
    with pytest.raises(ValueError, match="at least one layer"):
        state_differences(np.ones((4, 3)), mixing[:0], value[:0], "causal")
