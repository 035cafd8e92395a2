import math

import numpy as np
import pytest

from engine import hold
from engine.closed_window import closed_window_spectrum
from engine.dichotomy import window_spectrum
from engine.gate import boundary
from engine.gate_window import window_boundaries, window_boundary
from engine.hold import held_loop

EXACT = 1e-9
TURNED = math.cos(math.pi / 6) * np.eye(4) + math.sin(math.pi / 6) * np.kron(
    np.eye(2), [[0.0, 1.0], [1.0, 0.0]]
)


def plane_turn(angle):
    def turn(part):
        return np.array([[math.cos(part), -math.sin(part)], [math.sin(part), math.cos(part)]])

    both = np.zeros((4, 4))
    both[:2, :2], both[2:, 2:] = turn(angle), turn(0.6 * angle)
    return both


def turning_stack(layers, multipliers=(1.3, 0.8, 0.6, 0.4), turn=0.3, modulation=0.1, skew=0.4):
    """A saddle that turns and breathes along depth; its spectrum is the multipliers."""
    shear = np.eye(4)
    shear[2, 0] = shear[3, 1] = skew
    frames = [plane_turn(turn * layer) @ shear for layer in range(layers + 1)]
    breath = np.exp(modulation * np.cos(np.pi * (math.sqrt(5) - 1) * np.arange(layers)))
    return np.array(
        [
            frames[layer + 1] @ np.diag(multipliers) @ np.linalg.inv(frames[layer]) * breath[layer]
            for layer in range(layers)
        ]
    )


def test_scalar_windows_are_exact():
    loop = held_loop(np.full((12, 1, 1), 0.5), np.eye(1), 1, periodic=False)
    for window in (1, 4, 12):
        found = window_boundary(loop, window, 0)
        np.testing.assert_allclose([found.negative, found.positive], [-1.5, 0.5], rtol=EXACT)
        assert (found.negative_crossing, found.positive_crossing) == ("gap-lost", "gap-lost")


def test_tied_layers_reach_the_exact_boundary():
    factor, injection = np.array([[0.5, 0.4], [0.0, 1.5]]), np.array([[0.3, 0.2], [-0.1, 0.4]])
    # Two features leave blocks of one direction, where the certificate loses nothing.
    exact = boundary(held_loop(factor[None], injection, 1, periodic=True))
    loop = held_loop(np.repeat(factor[None], 64, axis=0), injection, 1, periodic=False)
    found = window_boundary(loop, 32, 1)
    np.testing.assert_allclose([found.negative, found.positive], [exact.negative, exact.positive], rtol=EXACT)


def test_longer_windows_allow_more_and_the_verdict_changes_at_the_edge():
    loop = held_loop(turning_stack(32), TURNED / np.linalg.norm(TURNED, 2), 1, periodic=False)
    widths = []
    for window in (2, 4, 8, 16):
        found = window_boundary(loop, window, 1)
        widths.append(found.positive - found.negative)
        for edge in (found.negative, found.positive):
            inside, outside = (
                closed_window_spectrum(loop, edge * (1 + step), window) for step in (-EXACT, EXACT)
            )
            assert (inside.verdict, inside.persistent_rank) == ("hyperbolic", 1)
            assert outside.persistent_rank != 1
    assert widths == sorted(widths)


def test_lanes_do_not_meet():
    loop = held_loop(turning_stack(32), np.eye(4), 1, periodic=False)
    grid = np.linspace(-2, 2, 41)
    lanes = [TURNED, np.diag([0.0, 1.0, 0.0, 0.0]), np.zeros((4, 4))]
    gates = np.stack([np.broadcast_to(lane, loop.factors.shape) for lane in lanes])
    together = window_boundaries(loop, gates, 8, 1, grid)
    for lane in range(3):
        alone = window_boundaries(loop, gates[lane : lane + 1], 8, 1, grid)
        np.testing.assert_allclose(together.negative[lane], alone.negative[0], rtol=EXACT)
        np.testing.assert_allclose(together.positive[lane], alone.positive[0], rtol=EXACT)
    assert (together.negative[2], together.positive[2]) == (-math.inf, math.inf)


def test_nothing_to_search():
    loop = held_loop(turning_stack(32), np.zeros((4, 4)), 1, periodic=False)
    silent = window_boundary(loop, 8, 1)
    assert (silent.negative, silent.positive, silent.positive_crossing) == (-math.inf, math.inf, "none")
    for rank in (None, 2):
        lost = window_boundary(loop, 8, rank)
        assert (lost.negative, lost.positive, lost.positive_crossing) == (0.0, 0.0, "gap-lost")
    moving = held_loop(turning_stack(32), np.eye(4), 1, periodic=False)
    assert window_boundary(moving, 8, 2)[:2] == (0.0, 0.0)


def test_held_window_is_a_window_of_hold_maps():
    loop = held_loop(turning_stack(32), TURNED / 2, 4, periodic=False)
    assert loop.maps == 8
    found = window_boundary(loop, 4, 1)
    closed = loop.factors + 0.999 * found.positive * loop.injections
    assert window_spectrum(closed, 4, layers_per_map=4).persistent_rank == 1


def test_strong_growth_inside_a_hold(monkeypatch):
    stack = turning_stack(32, multipliers=(3.0, 0.5, 0.4, 0.3), turn=0.1, modulation=0.0)
    layered = held_loop(stack, TURNED, 8, periodic=False)
    monkeypatch.setattr(hold, "LARGEST_PLAIN_GROWTH", np.inf)
    plain = held_loop(stack, TURNED, 8, periodic=False)
    assert layered.layers is not None
    assert plain.layers is None
    ours, theirs = window_boundary(layered, 2, 1), window_boundary(plain, 2, 1)
    # Layer by layer, stretches may begin inside a hold: certified with less room, never with more.
    assert theirs.negative < ours.negative < theirs.negative / 2
    assert theirs.positive / 2 < ours.positive < theirs.positive
    spectra = [closed_window_spectrum(loop, 0.1, 2) for loop in (layered, plain)]
    assert spectra[0].multiplicity.sum() == 4
    assert spectra[0].resolution == 16
    assert [spectrum.persistent_rank for spectrum in spectra] == [1, 1]
    np.testing.assert_allclose(spectra[0].upper[0], spectra[1].upper[0], rtol=0.1)


def test_wrong_window_and_rank_are_named():
    loop = held_loop(turning_stack(8), np.eye(4), 1, periodic=False)
    with pytest.raises(ValueError, match=r"window must lie in 1..8 \(maps\); got 9"):
        window_boundary(loop, 9, 1)
    with pytest.raises(ValueError, match=r"rank must lie in 0..4 \(features\) or be None; got 5"):
        window_boundary(loop, 4, 5)
