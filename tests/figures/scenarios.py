"""Scenarios at the edges of what a visitor may set, small enough to be quick."""

from typing import Any

from presets.load import validate
from presets.schema import Scenario

_SADDLE = {"kind": "tied", "multipliers": [0.5, 1.4], "value": [0.3, 1.4], "shear": 1.0}
_TURNING = {"kind": "turning", "multipliers": [1.2, 0.6], "value": [0.5, 0.3], "turn": 0.1, "skew": 0.0}
_SINGULAR = {"kind": "explicit", "mixing": [[-1.0, 0.0], [0.0, -0.2]], "value": [[0.0, 0.0], [0.0, 0.1]]}


def _scenario(**content: Any) -> Scenario:
    return validate({"schema": 1, "depth": 12, "family": _SADDLE, **content})


EDGES: dict[str, Scenario] = {
    "one layer": _scenario(depth=1),
    "one token": _scenario(block_length=1),
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
    "matrix": _scenario(gate={"injection": {"matrix": [[0.0, 1.0], [0.0, 0.0]]}}),
    "never refreshed": _scenario(gate={"refresh_period": None}),
    "slow refresh": _scenario(gate={"refresh_period": 4}),
    "bias": _scenario(gate={"injection": {"kind": "tanh", "bias": 0.3}}),
    "ring": _scenario(gate={"topology": "ring"}, blocks=3),
    "stable cascade": _scenario(
        family={"kind": "looped", "log_rate": [-1.0, 0.3], "value": [0.2, 0.1]}, gate={"topology": "cascade"}
    ),
    "growing cascade": _scenario(gate={"topology": "cascade"}),
    "bidirectional": _scenario(kernel={"kind": "bidirectional"}),
    "tolerance above the start": _scenario(tolerance=1.0, block_length=1),
    "tight tolerance": _scenario(tolerance=3e-12),
    "deep": _scenario(depth=600),
    "window": _scenario(depth=16, family=_TURNING),
    "short window": _scenario(depth=3, family=_TURNING),
    "window at the wrong amplitude": _scenario(depth=16, family=_TURNING, gate={"amplitude": 3.0}),
}
