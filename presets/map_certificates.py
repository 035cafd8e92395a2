"""What is certified over the gate map: the best certificate and the paper’s margin, lane by lane."""

from typing import NamedTuple

import numpy as np

from presets import ladder_quantities, map_axis
from presets.loop_quantities import LOOP
from presets.map_axis import Axis
from presets.remember import remembered
from presets.schema import Scenario


class Margin(NamedTuple):
    """Limits on |ϱ| of one scenario: `best` is certified, `estimate` the paper's, inf where ψ is silent."""

    best: float
    estimate: float


class Certified(NamedTuple):
    """What is certified on a map.

    **Fields:**

    - `own`: of the scenario itself.
    - `lanes`: of every lane, (lanes, 2), columns as in `Margin`; None over a setting of the family, where
      every lane would need a split and constants of its own.
    - `is_proved`: whether the paper's margin is a theorem for the scenario itself.
    """

    own: Margin
    lanes: np.ndarray | None
    is_proved: bool


def certified(scenario: Scenario, axis: Axis, values: np.ndarray) -> Certified | None:
    """Return what is certified at the given values of the second parameter; None without a split.

    A single NaN stands for the scenario's own lane.
    """
    own = _margin(scenario)
    if own is None:
        return None
    alone = bool(np.isnan(values[0]))
    lanes = None
    if alone:
        lanes = np.array([own])
    elif not axis.is_of_family:
        start = map_axis.moved(axis, scenario, float(values[0]))
        lanes = _lanes(start, axis, tuple(values.tolist()))
    return Certified(own, lanes, ladder_quantities.estimate_is_proved(scenario))


@remembered(*LOOP)
def _lanes(scenario: Scenario, axis: Axis, values: tuple[float, ...]) -> np.ndarray:
    margins = [_margin(map_axis.moved(axis, scenario, value)) for value in values]
    return np.array([(0.0, 0.0) if margin is None else margin for margin in margins])


def _margin(scenario: Scenario) -> Margin | None:
    found = ladder_quantities.ladder(scenario)
    return None if found is None else Margin(found.best.value, found.paper_estimate)
