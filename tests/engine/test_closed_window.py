"""The closed loop's window spectrum: special cases of the open one, held copies dropped, phases joined."""

import numpy as np

from engine.closed_window import closed_window_spectrum, union
from engine.dichotomy import exact_spectrum, window_spectrum
from engine.hold import held_loop
from engine.topology import phases
from tests.engine.test_gate_window import turning_stack

ROUNDOFF = 1e-9
STACK = turning_stack(32)
WIDTH = STACK.shape[-1]


def edges(spectrum):
    return np.array([spectrum.lower, spectrum.upper])


def test_a_shut_gate_leaves_the_open_spectrum():
    loop = held_loop(STACK, np.eye(WIDTH), 1, periodic=False)
    closed, opened = closed_window_spectrum(loop, 0.0, 8), window_spectrum(STACK, 8)
    np.testing.assert_allclose(edges(closed), edges(opened), rtol=ROUNDOFF)
    assert (closed.verdict, closed.persistent_rank) == (opened.verdict, opened.persistent_rank)


def test_identity_injection_shifts_every_layer():
    loop = held_loop(STACK, np.eye(WIDTH), 1, periodic=False)
    closed = closed_window_spectrum(loop, 0.1, 8)
    np.testing.assert_allclose(
        edges(closed), edges(window_spectrum(STACK + 0.1 * np.eye(WIDTH), 8)), rtol=ROUNDOFF
    )


def test_held_maps_count_growth_per_layer_and_the_window_in_layers():
    loop = held_loop(STACK, np.eye(WIDTH), 4, periodic=False)
    closed = closed_window_spectrum(loop, 0.0, 2)
    assert closed.resolution == 8
    assert closed.multiplicity.sum() == WIDTH
    opened = window_spectrum(STACK, 8)
    assert np.all(closed.lower >= opened.lower - 0.02)
    assert np.all(closed.upper <= opened.upper + 0.02)


def test_long_holds_of_growing_stacks_drop_the_held_copies():
    growing = np.broadcast_to(np.diag([1.6, 0.5]), (64, 2, 2))
    loop = held_loop(growing, np.eye(2), 16, periodic=False)
    assert loop.layers is not None
    closed = closed_window_spectrum(loop, 0.0, 2)
    np.testing.assert_allclose(closed.upper, [1.6, 0.5], rtol=1e-6)
    assert (closed.verdict, closed.persistent_rank) == ("hyperbolic", 1)


def test_a_ring_of_tied_layers_has_the_union_of_its_phases():
    factor = np.array([[[0.6, 0.5], [-0.3, 0.7]]])
    ring = phases("ring", 3)
    loop = held_loop(np.broadcast_to(factor[0], (64, 2, 2)), np.eye(2), 1, periodic=False)
    closed = closed_window_spectrum(loop, 0.1, 32, ring)
    turned = [factor[0] + 0.1 * np.exp(2j * np.pi * j / 3) * np.eye(2) for j in range(3)]
    moduli = np.abs(np.concatenate([np.linalg.eigvals(each) for each in turned]))
    assert closed.multiplicity.sum() == 6
    assert abs(closed.upper.max() - moduli.max()) < 0.03
    assert closed.persistent_rank == 0


def test_union_merges_what_overlaps_and_keeps_the_narrowest_gap():
    one = window_spectrum(np.broadcast_to(np.diag([1.5, 0.5]), (16, 2, 2)), 8)
    two = window_spectrum(np.broadcast_to(np.diag([1.5, 0.7]), (16, 2, 2)), 8)
    both = union([one, two])
    np.testing.assert_allclose(both.upper, [1.5, 0.7, 0.5], rtol=1e-6)
    assert both.multiplicity.tolist() == [2, 1, 1]
    assert both.persistent_rank == 2
    assert both.gap is not None
    np.testing.assert_allclose(both.gap, [0.7, 1.5], rtol=1e-2)
    exact = exact_spectrum(np.diag([1.5, 0.7])[None])
    assert exact.gap is not None
    assert both.gap[0] >= exact.gap[0] - 1e-9
