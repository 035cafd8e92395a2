"""The gate limit when the summary is refreshed more rarely: one limit for every refresh period."""

from typing import NamedTuple

from engine import static_limit
from engine.crossing import Boundary
from engine.dichotomy import SHORTEST_WINDOW_STACK
from presets import ladder_quantities, loop_quantities, quantities
from presets.field import about
from presets.gate import Gate
from presets.gate_limit import NOT_FOLLOWED, GateLimit, of_boundary
from presets.remember import remembered
from presets.schema import Scenario

PERIODS = tuple(int(option) for option in about(Gate, "refresh_period").ui.options or ())
"""Refresh periods looked at besides the scenario's own, layers."""

STATIC = tuple(field for field in loop_quantities.LOOP if field != "gate.refresh_period")


class Lane(NamedTuple):
    """The limit at one refresh period.

    **Fields:**

    - `period`: L_r in layers; None for a summary that is hardly ever refreshed, L_r → ∞.
    - `limit`: of both signs; None where nothing can be said at this period.
    - `certificate`: best certificate there, |ϱ|; 0 without one.
    - `refreshes`: of the finite stack; None where it repeats.
    """

    period: int | None
    limit: GateLimit | None
    certificate: float
    refreshes: int | None


def refresh_limits(scenario: Scenario) -> tuple[Lane, ...]:
    """Return the limits over the refresh periods, ascending; L_r → ∞ last, where theory gives it.

    Does not depend on ϱ.
    """
    own = scenario.gate.refresh_period
    periods: list[int] = sorted({*PERIODS, *([] if own is None else [int(own)])})
    windowed = loop_quantities.is_windowed(scenario)
    lanes = [
        _lane(scenario, period, windowed) for period in periods if not windowed or period < scenario.depth
    ]
    found = _static_limit(scenario)
    if found is not None:
        lanes.append(Lane(None, of_boundary(found), _certificate(scenario, None), None))
    return tuple(lanes)


def _lane(scenario: Scenario, period: int, windowed: bool) -> Lane:
    held = _with_period(scenario, period)
    refreshes = scenario.depth // period if windowed else None
    resolved = refreshes is None or refreshes >= SHORTEST_WINDOW_STACK
    is_followed = windowed and not loop_quantities.is_frozen(scenario)
    if not resolved:
        limit = None
    elif is_followed and period != scenario.gate.refresh_period:
        limit = NOT_FOLLOWED  # one trajectory after the other would take seconds
    else:
        limit = loop_quantities.boundary(held)
    return Lane(period, limit, _certificate(scenario, period), refreshes)


def _certificate(scenario: Scenario, period: int | None) -> float:
    best = ladder_quantities.certificate(_with_period(scenario, period))
    return 0.0 if best is None else best.value


def _with_period(scenario: Scenario, period: int | None) -> Scenario:
    gate = scenario.gate.model_copy(update={"refresh_period": period})
    return scenario.model_copy(update={"gate": gate})


@remembered(*STATIC)
def _static_limit(scenario: Scenario) -> Boundary | None:
    """Return the limit as L_r → ∞: of a tied stack with Dψ known, in a loop that closes."""
    tied = quantities.layers(scenario).recurrence == "tied"
    if not tied or scenario.gate.topology == "cascade" or not loop_quantities.is_frozen(scenario):
        return None
    factor = quantities.layers(scenario).factors[0]
    return static_limit.static_limit(
        factor, loop_quantities.injection(scenario), loop_quantities.loop_phases(scenario)
    )
