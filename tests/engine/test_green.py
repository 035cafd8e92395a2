import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import block_sum
from engine.block_sum import block_sums
from engine.constants import dichotomy_constants
from engine.cyclic_chain import Chain, closed, collapsed
from engine.green import green_norm, response, window_energy_norm
from engine.splitting import Splitting, split
from engine.turning_bundles import turning_bundles
from engine.window_ends import boundary_affected
from tests.engine.loop_cases import (
    SADDLE,
    SADDLE_GAP,
    SADDLE_INJECTION,
    THREE,
    WINDOW_GAP,
    random_window,
    repeated,
    repeated_loop,
    two_point_matrix,
    window_loop,
)
from tests.reference_cases import case, numbers

ROUNDOFF = 1e-12
PUBLISHED = 1e-3
seeds = st.integers(0, 2**32 - 1)


def random_case(seed):
    random = np.random.default_rng(seed)
    width = int(random.integers(1, 5))
    rank = int(random.integers(0, width + 1))
    factors = random_window(random, 14, width, rank)
    if rank < width and seed % 3 == 0:
        factors[5] = factors[5] @ split(factors, rank, periodic=False).persistent[5]
    return factors, split(factors, rank, periodic=False), random


def dense_green(factors, splitting):
    """Blocks G(l, s) of the inverse of the written-out two-point problem."""
    layers, width, _ = factors.shape
    start = width - splitting.rank
    columns = np.linalg.inv(two_point_matrix(factors, splitting))[:, start : start + layers * width]
    return columns.reshape(layers + 1, width, layers, width).swapaxes(1, 2)


def constructed(singular):
    """Case B1: bundles known in closed form, with their own end subspaces."""

    def frame(depth):
        return np.array(
            [
                [1, 0.5 + 0.3 * np.sin(0.7 * depth), 0.2],
                [0, 1, 0.8 * np.cos(1.1 * depth)],
                [0.3 * np.cos(0.5 * depth), 0, 1],
            ]
        )

    def rates(layer):
        last = 0.0 if singular and layer % 5 == 2 else 0.3
        return np.array([1.5 + 0.2 * np.sin(layer), 0.6 + 0.2 * np.cos(2 * layer), last])

    frames = np.array([frame(depth) for depth in range(41)])
    inverses = np.linalg.inv(frames)
    growth = np.array([rates(layer) for layer in range(40)])
    factors = frames[1:] @ (growth[:, :, None] * inverses[:-1])
    lengths = np.linalg.norm(frames[:, :, 0], axis=1)
    unstable = frames[:, :, :1] / lengths[:, None, None]
    stable = np.linalg.qr(frames[:, :, 1:])[0]
    return Splitting(
        status="ok",
        rank=1,
        periodic=False,
        unstable=unstable,
        stable=stable,
        grow=np.swapaxes(unstable[1:], 1, 2) @ factors @ unstable[:-1],
        decay=np.swapaxes(stable[1:], 1, 2) @ factors @ stable[:-1],
        read_unstable=lengths[:, None, None] * inverses[:, :1],
        read_stable=np.swapaxes(stable, 1, 2) @ frames[:, :, 1:] @ inverses[:, 1:],
    )


@settings(deadline=None, max_examples=25)
@given(seeds)
def test_the_response_solves_the_two_point_problem(seed):
    factors, splitting, random = random_case(seed)
    forcing = random.standard_normal((2, *factors.shape[:2]))
    states = response(splitting, forcing)
    for states_of_one, forcing_of_one in zip(states, forcing, strict=True):
        right = np.zeros(states_of_one.size)
        start = factors.shape[1] - splitting.rank
        right[start : start + forcing_of_one.size] = forcing_of_one.ravel()
        expected = np.linalg.solve(two_point_matrix(factors, splitting), right)
        np.testing.assert_allclose(
            states_of_one.ravel(), expected, atol=ROUNDOFF * (1 + np.abs(states).max())
        )


@settings(deadline=None, max_examples=20)
@given(seeds)
def test_block_sums_and_energy_norm_are_those_of_the_written_out_operator(seed):
    factors, splitting, random = random_case(seed)
    blocks = dense_green(factors, splitting)
    np.testing.assert_allclose(
        block_sums(splitting), np.linalg.norm(blocks, 2, axis=(2, 3)).sum(axis=1), rtol=1e-10, atol=ROUNDOFF
    )
    flat = blocks.swapaxes(1, 2).reshape(blocks.shape[0] * blocks.shape[2], -1)
    assert window_energy_norm(splitting) == pytest.approx(np.linalg.norm(flat, 2), rel=1e-10)
    forcing = random.standard_normal((50, *factors.shape[:2]))
    forcing /= np.linalg.norm(forcing, axis=2).max(axis=1)[:, None, None]
    largest = np.linalg.norm(response(splitting, forcing), axis=2).max()
    assert largest <= block_sums(splitting).max() * (1 + ROUNDOFF)


def test_responses_of_a_repeated_stack_are_periodic_and_those_of_a_long_window():
    random = np.random.default_rng(0)
    forcing = random.standard_normal((6, 2))
    states = response(repeated(THREE), forcing)
    closing = np.tile(THREE, (2, 1, 1)) @ states[:-1, :, None]
    np.testing.assert_allclose(states[1:], closing[..., 0] + forcing, atol=ROUNDOFF)
    np.testing.assert_array_equal(states[0], states[-1])
    window = split(np.tile(THREE, (60, 1, 1)), 1, periodic=False)
    long = response(window, np.tile(forcing, (30, 1)))
    np.testing.assert_allclose(long[90:97], states, atol=1e-11)


def test_reference_distinguished_trajectory_of_a_constant_forcing():
    reference = case("tokens", "C1-distinguished-const")
    given_, expected = reference["input"], reference["output"]
    layers, _ = turning_bundles(given_["p"], float(given_["rp"]), float(given_["rm"]), tuple(given_["amp"]))
    splitting = repeated(layers)
    states = response(splitting, np.tile(given_["h0"], (given_["p"], 1)))
    np.testing.assert_allclose(states[:-1], numbers(expected["u"]), rtol=ROUNDOFF)
    persistent = (splitting.persistent @ states[:, :, None])[:-1, :, 0]
    np.testing.assert_allclose(persistent, numbers(expected["d_plus"]), atol=1e-11)


@pytest.mark.parametrize("kind", ["fast", "slow", "wrong_index", "slow_from_fast"])
def test_reference_response_slopes(kind):
    base = case("tokens", "C1-distinguished-const")["input"]
    reference = case("tokens", "C2-response")
    layers, frames = turning_bundles(base["p"], float(base["rp"]), float(base["rm"]), tuple(base["amp"]))
    plus = frames @ np.diag([1.0, 0.0]) @ np.linalg.inv(frames)
    minus, change = np.eye(2) - plus, np.array(reference["input"]["D"])
    perturbation = {
        "fast": minus[1:] @ change,
        "slow": plus[1:] @ change @ plus[:-1],
        "slow_from_fast": plus[1:] @ change @ minus[:-1],
        "wrong_index": minus[:-1] @ change,
    }[kind]
    splitting = repeated(layers)
    states = response(splitting, np.tile(base["h0"], (base["p"], 1)))
    moved = response(splitting, (perturbation @ states[:-1, :, None])[..., 0])
    for projector, key in ((plus, "P_plus_slope"), (minus, "P_minus_slope")):
        slope = np.linalg.norm((projector @ moved[:, :, None])[..., 0], axis=1).max()
        assert slope == pytest.approx(float(reference["output"][kind][key]), rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("singular", [False, True])
def test_reference_constructed_bundles(singular):
    expected = case("cocycle", f"B1_constructed_singular={singular}")["outputs"]
    layers = np.arange(40)
    forcing = np.stack([np.sin(layers), np.cos(2 * layers), 1 / (1 + layers)], axis=1)
    splitting = constructed(singular)
    states = response(splitting, forcing)
    for depth in (0, 20, 40):
        np.testing.assert_allclose(states[depth], numbers(expected[f"u({depth})"]), rtol=ROUNDOFF, atol=1e-14)
    np.testing.assert_allclose(splitting.persistent[20], numbers(expected["P_plus(20)"]), atol=ROUNDOFF)


def test_reference_norms_of_the_tied_saddle():
    expected = case("cocycle", "C1_tied_saddle_tanh")["outputs"]
    block = float(expected["green_linf_blocksum (infinite window)"])
    loop = repeated_loop(SADDLE, SADDLE_INJECTION)
    assert block_sums(loop.splitting).max() == pytest.approx(block, rel=ROUNDOFF)
    assert green_norm(loop.splitting, loop.dichotomy) == pytest.approx(block, rel=ROUNDOFF)
    window = window_loop(np.repeat(SADDLE, 160, axis=0), 1, SADDLE_GAP, SADDLE_INJECTION)
    assert green_norm(window.splitting, window.dichotomy) == pytest.approx(block, rel=1e-9)
    energy = window_energy_norm(window.splitting)
    whole = float(expected["green_l2 = 1/sigma_min(A)"])
    assert whole * (1 - 3 * PUBLISHED) < energy < whole * (1 - PUBLISHED)


def test_the_energy_norm_of_a_window_certifies_falsely():
    reference = case("cocycle", "D1_margin_formula_exceeds_truth")
    tied = np.eye(2) + np.array(reference["inputs"]["A"])
    window = split(np.repeat(tied[None], 60, axis=0), 1, periodic=False)
    assert 1 / window_energy_norm(window) > float(reference["outputs"]["(v)_G_worst_positive"])


def test_block_sums_of_a_repeated_stack_are_those_of_the_middle_of_a_window():
    window = split(np.tile(THREE, (60, 1, 1)), 1, periodic=False)
    np.testing.assert_allclose(block_sums(repeated(THREE)), block_sums(window)[90:94], rtol=1e-9)
    period = np.array([[[0.5, 2.0], [0.0, 0.5]], [[0.5, 0.0], [2.0, 0.5]]])
    inverse = float(case("cocycle", "D5_period2")["outputs"]["green_blocksum_inverse"])
    assert 1 / block_sums(repeated(period)).max() == pytest.approx(inverse, rel=ROUNDOFF)


def test_a_sum_cut_early_keeps_a_bound_on_what_is_left(monkeypatch):
    slow = split(np.array([[[0.9999]]]), 0, periodic=True)
    assert block_sums(slow)[0] == pytest.approx(1e4, rel=1e-9)
    window = split(random_window(np.random.default_rng(1), 80, 3, 1), 1, periodic=False)
    exact = block_sums(window)
    monkeypatch.setattr(block_sum, "MANY_NORMS", 0)
    cut = block_sums(window)
    assert (cut >= exact).all()
    assert (cut <= exact * 1.01).all()


def test_the_norm_of_a_window_lies_between_its_rows_and_the_dichotomy():
    loop = window_loop(random_window(np.random.default_rng(3), 60, 3, 1), 1, WINDOW_GAP, SADDLE_INJECTION)
    bound = green_norm(loop.splitting, loop.dichotomy)
    kept = loop.dichotomy
    split_norm = kept.constant_decay / kept.decay_margin + kept.constant_growth / kept.growth_margin
    assert block_sums(loop.splitting).max() <= bound <= split_norm


def test_ends_reach_as_far_as_the_rates_say():
    loop = window_loop(np.repeat(SADDLE, 60, axis=0), 1, SADDLE_GAP, SADDLE_INJECTION)
    affected = boundary_affected(60, loop.dichotomy)
    assert (loop.dichotomy.decay_rate, loop.dichotomy.growth_rate) == pytest.approx(SADDLE_GAP)
    past, future = (int(np.ceil(np.log(1e3) / abs(np.log(rate)))) for rate in SADDLE_GAP)
    np.testing.assert_array_equal(np.flatnonzero(~affected), np.arange(past, 60 - future + 1))
    decaying = np.repeat(np.diag([0.5, 0.2])[None], 20, axis=0)
    stable = window_loop(decaying, 0, (0.5, np.inf), SADDLE_INJECTION)
    assert not boundary_affected(20, stable.dichotomy)[-1]
    lost = dichotomy_constants(loop.splitting, (1.0, 1.0))
    assert boundary_affected(60, lost).all()
    assert green_norm(loop.splitting, lost) == np.inf


@settings(deadline=None, max_examples=20)
@given(seeds, st.integers(1, 9))
def test_a_closed_chain_is_the_written_out_system(seed, links):
    random = np.random.default_rng(seed)
    after, before = random.standard_normal((2, 3, links, 2, 2))
    chain = Chain(after, before, random.standard_normal((3, links, 2)))
    found = closed(chain)
    signs = []
    for run in range(3):
        matrix = np.zeros((links, 2, links, 2))
        for link in range(links):
            matrix[link, :, link] -= before[run, link]
            matrix[link, :, (link + 1) % links] += after[run, link]
        matrix = matrix.reshape(2 * links, 2 * links)
        left = matrix @ found.states[run].ravel() - chain.forcing[run].ravel()
        assert np.abs(left).max() <= 1e-10 * (1 + np.abs(found.states[run]).max())
        signs.append(np.linalg.slogdet(matrix)[0] * found.orientation[run])
    assert len(set(signs)) == 1
    one = collapsed(chain)
    assert one.after.shape == (3, 1, 2, 2)


def test_bad_input_is_refused():
    window = split(np.repeat(SADDLE, 5, axis=0), 1, periodic=False)
    with pytest.raises(ValueError, match=r"cover the 5 layers of a splitting; got 4 \(ok\)"):
        response(window, np.zeros((4, 2)))
    with pytest.raises(ValueError, match=r"cover the 3 layers of a splitting; got 4 \(ok\)"):
        response(repeated(THREE), np.zeros((4, 2)))
    lost = split(np.array([[[0.6, 0.8], [-0.8, 0.6]]]), 1, periodic=True)
    with pytest.raises(ValueError, match="no-split"):
        response(lost, np.zeros((1, 2)))
    with pytest.raises(ValueError, match='status "ok"; got "no-split"'):
        block_sums(lost)
    with pytest.raises(ValueError, match="a window; got a repeated stack"):
        window_energy_norm(repeated(THREE))
