"""Scenarios for every special value, and at the edges of what a visitor may set; small enough to be quick."""

from typing import Any

from presets.load import validate
from presets.schema import Scenario

_SADDLE = {"kind": "tied", "multipliers": [0.5, 1.4], "value": [0.3, 1.4], "shear": 1.0}
_TURNING = {"kind": "turning", "multipliers": [1.2, 0.6], "value": [0.5, 0.3], "turn": 0.1, "skew": 0.0}
_SINGULAR = {"kind": "explicit", "mixing": [[-1.0, 0.0], [0.0, -0.2]], "value": [[0.0, 0.0], [0.0, 0.1]]}


_LOSING = {
    "kind": "explicit",
    "mixing": [[-1.0, 0.0], [0.0, -1.0]],
    "value": [[[1.4, 0.0], [0.0, 0.0 if layer == 7 else 0.36]] for layer in range(16)],
    "repeat": False,
}


def _tied(multipliers: list[float], value: list[float]) -> dict[str, Any]:
    return {"kind": "tied", "multipliers": multipliers, "value": value, "shear": 0.0}


def _drifting(start: list[float], end: list[float]) -> dict[str, Any]:
    return {"kind": "drifting", "start": start, "end": end, "value": [0.1, 0.1]}


def _scenario(**content: Any) -> Scenario:
    return validate({"schema": 1, "depth": 12, "family": _SADDLE, **content})


STATES: dict[str, Scenario] = {
    "not reached": _scenario(family=_tied([1.2, 0.6], [0.1, 0.1])),
    "bound off scale": _scenario(depth=32),
    "no limit": _scenario(gate={"injection": {"matrix": [[0.0, 1.0], [0.0, 0.0]]}}),
    "no limit found": _scenario(
        depth=16, family=_drifting([1.3, 1.2], [1.2, 1.3]), gate={"injection": {"alignment": "identity"}}
    ),
    "contains 1": _scenario(depth=16, family=_drifting([1.25, 0.5], [0.8, 0.5])),
    "1 is a point": _scenario(family=_tied([1.0, 0.5], [0.5, 0.3])),
    "undecided": _scenario(depth=16, family={"kind": "random", "width": 2, "seed": 53}),
    "two in one point": _scenario(family=_tied([0.5, 0.5, 1.4], [0.3, 0.3, 1.4])),
    "singular layer in a window": _scenario(depth=16, family=_LOSING),
    "nothing persists": _scenario(family=_tied([0.8, 0.5], [0.5, 0.3])),
    "everything persists": _scenario(family=_tied([1.4, 1.2], [0.5, 0.3])),
    "trivial": _scenario(
        family=_tied([0.8, 0.5], [0.5, 0.3]), block_length=2, kernel={"kind": "bidirectional"}, tolerance=1.0
    ),
    "overflow at layer 155": _scenario(depth=160, family=_tied([100.0, 0.5], [0.5, 0.3])),
    "one token per block": _scenario(block_length=1),
}
"""One scenario for every special value that has its own drawing or words."""

EDGES: dict[str, Scenario] = {
    "one layer": _scenario(depth=1),
    "two tokens": _scenario(block_length=2),
    "one ragged block": _scenario(blocks=1, tokens=3),
    "one direction": _scenario(family={"kind": "looped", "log_rate": [-1.0], "value": [0.2]}),
    "one growing direction": _scenario(
        family={"kind": "tied", "multipliers": [1.3], "value": [0.2], "shear": 0.0}
    ),
    "singular layer": _scenario(family=_SINGULAR, gate={"injection": {"alignment": "identity"}}),
    "multiplier on the circle": _scenario(
        family={"kind": "tied", "multipliers": [-1.0, 0.5], "value": [0.1, 0.1], "shear": 0.0}
    ),
    "closed gate": _scenario(gate={"amplitude": 0.0}),
    "no injection": _scenario(gate={"injection": {"alignment": "angle", "gain": 0.0}}),
    "far beyond the axis": _scenario(gate={"amplitude": -90.5}),
    "angle off the map": _scenario(gate={"injection": {"alignment": "angle", "angle": -120.0}}),
    "never refreshed": _scenario(gate={"refresh_period": None}),
    "slow refresh": _scenario(gate={"refresh_period": 4}),
    "bias": _scenario(gate={"injection": {"kind": "tanh", "bias": 0.3}}),
    "ring": _scenario(gate={"topology": "ring"}, blocks=3),
    "stable cascade": _scenario(
        family={"kind": "looped", "log_rate": [-1.0, 0.3], "value": [0.2, 0.1]}, gate={"topology": "cascade"}
    ),
    "growing cascade": _scenario(gate={"topology": "cascade"}),
    "bidirectional": _scenario(kernel={"kind": "bidirectional"}),
    "tight tolerance": _scenario(tolerance=3e-12),
    "deep": _scenario(depth=600),
    "window": _scenario(depth=16, family=_TURNING),
    "short window": _scenario(depth=3, family=_TURNING),
    "window at the wrong amplitude": _scenario(depth=16, family=_TURNING, gate={"amplitude": 3.0}),
    **STATES,
}
