"""Gate stability map: one stack under many injections."""

import numpy as np
from jaxtyping import Float

from engine.gate_lanes import CHANGED as CHANGED
from engine.gate_lanes import DRAWN_TOLERANCE as DRAWN_TOLERANCE
from engine.gate_lanes import KEPT as KEPT
from engine.gate_lanes import UNDECIDED as UNDECIDED
from engine.gate_lanes import GateMap, exact_lanes, window_lanes
from engine.hold import Loop, held_loop
from engine.topology import SELF, Phases


def gate_map_exact(
    factors: Float[np.ndarray, "layers d d"],
    injections: Float[np.ndarray, "lanes d d"],
    refresh_period: int,
    amplitudes: Float[np.ndarray, " points"],
    phases: Phases = SELF,
) -> GateMap:
    r"""Map a tied or periodic stack over many injections: every verdict from the multipliers themselves.

    A point is undecided only when a multiplier lies on the circle (within 1e-8 per layer).

    **Arguments:**

    - `factors`: layer maps of one period, shape (n, d, d).
    - `injections`: one G per lane, shape (lanes, d, d).
    - `refresh_period`: layers between two refreshes.
    - `amplitudes`: grid of ϱ.
    - `phases`: independent loops, from `engine.topology.phases`.

    **Returns:** the `GateMap`; its boundaries do not depend on the grid.

    **Raises:** as `engine.hold.held_loop`.
    """
    loops = injected_loops(factors, injections, refresh_period, periodic=True)
    return exact_lanes(loops, amplitudes, phases)


def gate_map_window(
    factors: Float[np.ndarray, "layers d d"],
    injections: Float[np.ndarray, "lanes d d"],
    refresh_period: int,
    window: int,
    rank: int | None,
    amplitudes: Float[np.ndarray, " points"],
    phases: Phases = SELF,
) -> GateMap:
    r"""Map a window of layers over many injections: every verdict from the certified gaps at resolution H.

    **Arguments:**

    - `factors`: layer maps of the window, shape (L, d, d).
    - `injections`: one G per lane, shape (lanes, d, d).
    - `refresh_period`: layers between two refreshes.
    - `window`: resolution H, in maps.
    - `rank`: directions that persist at ϱ = 0; None (no verdict): boundaries at 0, all undecided.
    - `amplitudes`: grid of ϱ; boundaries are sought between its ends only, ±inf beyond.
    - `phases`: independent loops, from `engine.topology.phases`; all of them must keep their split.

    **Returns:** the `GateMap`; boundaries to 1e-5 relative.

    **Raises:** as `engine.hold.held_loop` and `engine.gate_window.window_boundary`.
    """
    loops = injected_loops(factors, injections, refresh_period, periodic=False)
    return window_lanes(loops, [window] * len(loops), [rank] * len(loops), amplitudes, phases)


def injected_loops(
    factors: Float[np.ndarray, "layers d d"],
    injections: Float[np.ndarray, "lanes d d"],
    refresh_period: int,
    *,
    periodic: bool,
) -> list[Loop]:
    """Close one stack with many injections; the maps are accumulated once, with the identity injected.

    **Arguments:** as `engine.hold.held_loop`, `injections` one a lane.

    **Returns:** one loop a lane.
    """
    unit = held_loop(factors, np.eye(factors.shape[-1]), refresh_period, periodic=periodic)
    return [_injected(unit, injection) for injection in injections]


def _injected(unit: Loop, injection: np.ndarray) -> Loop:
    # The held state occupies the same columns as the fed one, so G acts on both alike.
    copies = unit.injections.shape[-1] // injection.shape[0]
    acting = np.kron(np.eye(copies), injection)
    layers = None if unit.layers is None else _injected(unit.layers, injection)
    return unit._replace(injections=unit.injections @ acting, layers=layers)
