import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import floquet
from engine.floquet import leading_space
from engine.projector import persistent_projector
from engine.splitting import Splitting, split
from tests.reference_cases import case, identifiers, numbers

ROUNDOFF = 1e-11
CONSTRUCTED = 1e-12
seeds = st.integers(0, 2**32 - 1)


def rotation(angle: float) -> np.ndarray:
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def orthogonal(random: np.random.Generator, count: int, width: int) -> np.ndarray:
    return np.linalg.qr(random.standard_normal((count, width, width)))[0]


def constructed(start: int, stop: int, *, singular: bool) -> np.ndarray:
    """The reference family T(l+1) D(l) T(l)^-1, over any stretch of the whole line."""

    def frame(depth: int) -> np.ndarray:
        first, second, third = (
            0.5 + 0.3 * np.sin(0.7 * depth),
            0.8 * np.cos(1.1 * depth),
            0.3 * np.cos(0.5 * depth),
        )
        return np.array([[1, first, 0.2], [0, 1, second], [third, 0, 1]])

    def growth(depth: int) -> np.ndarray:
        last = 0.0 if singular and depth % 5 == 2 else 0.3
        return np.diag([1.5 + 0.2 * np.sin(depth), 0.6 + 0.2 * np.cos(2 * depth), last])

    return np.array(
        [frame(each + 1) @ growth(each) @ np.linalg.inv(frame(each)) for each in range(start, stop)]
    )


def between(whole: Splitting, start: int, stop: int) -> Splitting:
    """Cut a stretch of layers out of a splitting, ends and all."""
    depths, layers = slice(start, stop + 1), slice(start, stop)
    return whole._replace(
        unstable=whole.unstable[depths],
        stable=whole.stable[depths],
        grow=whole.grow[layers],
        decay=whole.decay[layers],
        read_unstable=whole.read_unstable[depths],
        read_stable=whole.read_stable[depths],
    )


def check_identities(splitting: Splitting, factors: np.ndarray) -> None:
    assert splitting.status == "ok"
    width = factors.shape[1]
    persistent, decaying = splitting.persistent, splitting.decaying
    size = np.linalg.norm(persistent, 2, axis=(1, 2)).max() + np.linalg.norm(decaying, 2, axis=(1, 2)).max()
    tolerance = ROUNDOFF * size * size * max(1.0, np.abs(factors).max())
    np.testing.assert_allclose(persistent @ persistent, persistent, atol=tolerance)
    np.testing.assert_allclose(
        persistent + decaying, np.broadcast_to(np.eye(width), persistent.shape), atol=tolerance
    )
    np.testing.assert_allclose(factors @ persistent[:-1], persistent[1:] @ factors, atol=tolerance)
    np.testing.assert_allclose(
        factors @ splitting.unstable[:-1], splitting.unstable[1:] @ splitting.grow, atol=tolerance
    )
    np.testing.assert_allclose(
        factors @ splitting.stable[:-1], splitting.stable[1:] @ splitting.decay, atol=tolerance
    )
    for basis in (splitting.unstable, splitting.stable):
        gram = np.swapaxes(basis, 1, 2) @ basis
        np.testing.assert_allclose(gram, np.broadcast_to(np.eye(basis.shape[2]), gram.shape), atol=ROUNDOFF)


@settings(deadline=None, max_examples=25)
@given(seeds, st.integers(1, 5), st.integers(1, 9), st.booleans(), st.data())
def test_projectors_commute_with_the_layers(seed, width, layers, periodic, data):
    rank = data.draw(st.integers(0, width))
    factors = np.random.default_rng(seed).standard_normal((layers, width, width))
    found = split(factors, rank, periodic=periodic)
    if found.status == "ok":
        check_identities(found, factors)
        if periodic:
            np.testing.assert_array_equal(found.persistent[0], found.persistent[-1])
    else:
        assert found.persistent.shape == (0, width, width)


@settings(deadline=None, max_examples=10)
@given(seeds, st.booleans(), st.floats(0.1, 10.0))
def test_turned_and_scaled_stacks_split_alike(seed, periodic, scale):
    random = np.random.default_rng(seed)
    frames = orthogonal(random, 6, 4)
    stretch = np.diag([1.7, 1.4, 0.6, 0.5]) + 0.3 * np.triu(random.standard_normal((6, 4, 4)), 1)
    factors = np.roll(frames, -1, axis=0) @ stretch @ np.swapaxes(frames, 1, 2)
    turn = orthogonal(random, 1, 4)[0]
    plain = split(factors, 2, periodic=True).persistent
    moved = split(scale * (turn @ factors @ turn.T), 2, periodic=True).persistent
    np.testing.assert_allclose(moved, turn @ plain @ turn.T, atol=ROUNDOFF)
    check_identities(split(factors, 2, periodic=periodic), factors)


@pytest.mark.parametrize("singular", [False, True])
def test_constructed_projectors(singular):
    expected = case("cocycle", f"B1_constructed_singular={singular}")["outputs"]
    factors = constructed(-60, 100, singular=singular)
    found = split(factors, 1, periodic=False)
    check_identities(found, factors)
    np.testing.assert_allclose(found.persistent[80], numbers(expected["P_plus(20)"]), atol=CONSTRUCTED)


@pytest.mark.parametrize("identifier", identifiers("cocycle", "A10"))
def test_a_switch_of_diagonals_splits_through_its_coupling(identifier):
    reference = case("cocycle", identifier)
    coupling = float(reference["inputs"]["c"])
    factors = np.array([np.diag([0.5, 2.0])] * 60 + [np.diag([2.0, 0.5])] * 60)
    factors[60, 0, 1] = coupling
    found = split(factors, 1, periodic=False)
    norm = np.linalg.norm(found.persistent[61], 2)
    assert norm == pytest.approx(float(reference["outputs"]["P_plus_norm_at_61"]), rel=CONSTRUCTED)
    assert norm == pytest.approx(np.sqrt(1 + 1 / (4 * coupling**2)), rel=CONSTRUCTED)


def test_a_constant_extension_loses_the_growing_direction():
    first, second = (
        numbers(case("cocycle", "A3_period2_stable_factors_unstable_product")["inputs"][key])
        for key in ("B0", "B1")
    )
    window = np.array([first, second] * 15)
    rank = case("cocycle", "H1_constant_extension_breaks_A4")["outputs"]["interior_rank_k"]
    inside = split(window, rank, periodic=False)
    np.testing.assert_allclose(np.linalg.norm(inside.persistent, 2, axis=(1, 2)), 1.0, rtol=CONSTRUCTED)
    for end in (first, second):
        assert split(end[None], rank, periodic=True).status == "no-split"


@settings(deadline=None, max_examples=20)
@given(seeds, st.integers(1, 6))
def test_a_tied_splitting_is_the_spectral_one(seed, width):
    factor = np.random.default_rng(seed).standard_normal((width, width))
    rank = int((np.abs(np.linalg.eigvals(factor)) > 1).sum())
    found = split(factor[None], rank, periodic=True)
    size = float(np.linalg.norm(found.persistent[0], 2))
    np.testing.assert_allclose(
        found.persistent[0], persistent_projector(factor), atol=ROUNDOFF * size**2 * 10
    )


@settings(deadline=None, max_examples=10)
@given(seeds, st.sampled_from([0.5, 0.9, 0.9999, 0.999999]))
def test_close_moduli_are_still_told_apart(seed, second):
    random = np.random.default_rng(seed)
    frames = np.eye(4) + 0.4 * random.standard_normal((7, 4, 4)) / 4
    onward = np.roll(frames, -1, axis=0)
    factors = onward @ np.diag([3.0, 1.0, second, 0.2]) @ np.linalg.inv(frames)
    selected = np.diag([1.0, 1.0, 0.0, 0.0])
    found = split(factors, 2, periodic=True)
    np.testing.assert_allclose(found.persistent[:-1], frames @ selected @ np.linalg.inv(frames), atol=1e-8)
    check_identities(found, factors)


def test_long_sweeps_and_blocks_agree(monkeypatch):
    factors = np.random.default_rng(4).standard_normal((5, 4, 4))
    swept = split(factors, 2, periodic=True).persistent
    monkeypatch.setattr(floquet, "CLOSED", 1e-300)
    np.testing.assert_allclose(split(factors, 2, periodic=True).persistent, swept, atol=ROUNDOFF)


def test_a_depth_repeats_the_period():
    factors = np.random.default_rng(5).standard_normal((3, 3, 3))
    one, whole, cut = (split(factors, 1, periodic=True, depth=depth) for depth in (None, 6, 7))
    np.testing.assert_array_equal(whole.persistent, np.concatenate([one.persistent, one.persistent[1:]]))
    assert (whole.periodic, cut.periodic) == (True, False)
    check_identities(cut, factors[np.arange(7) % 3])


@pytest.mark.parametrize("periodic", [False, True])
def test_singular_layers_may_lose_only_decaying_directions(periodic):
    random = np.random.default_rng(6)
    frames = orthogonal(random, 9, 3)
    stretch = np.array([np.diag([2.0, 0.5, 0.0 if layer == 4 else 0.3]) for layer in range(9)])
    factors = np.roll(frames, -1, axis=0) @ stretch @ np.swapaxes(frames, 1, 2)
    check_identities(split(factors, 1, periodic=periodic), factors)
    check_identities(split(factors, 2, periodic=periodic), factors)
    assert split(factors, 3, periodic=periodic).status == "no-split"


def test_families_that_meet_are_not_a_splitting():
    switch = np.array([np.diag([0.5, 2.0])] * 40 + [np.diag([2.0, 0.5])] * 40)
    assert split(rotation(0.4) @ switch @ rotation(-0.4), 1, periodic=False).status == "no-split"


def test_equal_moduli_are_never_split():
    assert leading_space(rotation(1.0)[None], 1) is None
    for factors in ([rotation(1.0)], [rotation(1.0), 2 * rotation(0.3)], [np.diag([0.5, -0.5])]):
        assert split(np.array(factors), 1, periodic=True).status == "no-split"


def test_bad_input_is_named():
    factors = np.eye(2)[None]
    with pytest.raises(ValueError, match="at least one layer"):
        split(factors[:0], 1, periodic=False)
    with pytest.raises(ValueError, match=r"rank must lie in 0\.\.2"):
        split(factors, 3, periodic=False)
    with pytest.raises(ValueError, match="depth must be at least 1 layer of a periodic"):
        split(factors, 1, periodic=False, depth=4)
