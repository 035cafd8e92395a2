"""The gate in one sentence and its numbers, for the page that looks at nothing else."""

import math

from figures.certificate import CERTIFICATES
from figures.margin_words import decibels, degrees
from figures.number import percent, rate, significant, toward_zero, typed
from figures.phrase import at_resolution, crossing
from figures.verdict import Metric, metrics
from presets import (
    ladder_quantities,
    loop_quantities,
    multiplier_quantities,
    quantities,
    trajectory_quantities,
)
from presets.gate_limit import GateLimit
from presets.schema import Scenario


def gate_verdict(scenario: Scenario) -> str:
    """Set the current ϱ against the best certificate and the true limit on its side."""
    best, limit = ladder_quantities.certificate(scenario), loop_quantities.boundary(scenario)
    amplitude = scenario.gate.amplitude
    if best is None:
        at = at_resolution(quantities.spectrum(scenario).resolution)
        return f"There is no certified split{at}, so no gate amplitude can be certified."
    if limit.status == "not-a-loop":
        return "The summary is never refreshed: no loop closes, and ϱ cannot change the split."
    if amplitude == 0:
        return f"The gate is shut; |ϱ| may rise to {_certified(scenario)}."
    here, true = f"ϱ = {typed(amplitude)}", _true(limit, amplitude)
    if scenario.gate.topology == "cascade":
        return f"{here} leaves the spectrum of a cascade alone; {_string(scenario, limit)}."
    match ladder_quantities.standing(scenario):
        case "certified":
            return f"{here} is certified: the limit is {_certified(scenario)}{_ending(true)}."
        case "kept":
            ratio = f"{here} is {significant(abs(amplitude) / best.value, 2)} times the best certificate"
            return f"{ratio} ({rate(best.value, 'down')}){_share(limit, amplitude)}."
        case "changed":
            return f"{here} is beyond the true limit{true and f' ({true})'}."
        case "lost":
            return f"{here} is beyond the true limit{true and f' ({true})'}: the settled state is lost."
        case "undecided":
            return f"{here} is not certified, and whether the split is kept is undecided{_at(limit)}."


def gate_metrics(scenario: Scenario) -> list[Metric]:
    """Return the numbers above the panels of the page."""
    return [
        *_bounds(scenario),
        metrics(scenario)[-1],
        *_pushed(scenario),
        *_margins(scenario),
        *_phase(scenario),
        *_defect(scenario),
    ]


def _bounds(scenario: Scenario) -> list[Metric]:
    found = ladder_quantities.ladder(scenario)
    if found is None:
        return [Metric("best certificate |ϱ| <", "–", "no split"), Metric("paper’s margin", "–", "no split")]
    proved = ladder_quantities.estimate_is_proved(scenario)
    worth = "proved here" if proved else "estimate; half is safe"
    return [
        Metric("best certificate |ϱ| <", rate(found.best.value, "down"), CERTIFICATES[found.best.name]),
        Metric("paper’s margin", rate(found.paper_estimate, "down"), worth),
    ]


def _pushed(scenario: Scenario) -> list[Metric]:
    found = trajectory_quantities.trajectory(scenario)
    persists = bool(quantities.spectrum(scenario).persistent_rank)
    label = "displacement d₊" if persists else "state ‖u*‖"
    if found is None:
        return [Metric(label, "–", "no split")]
    value = found.displacement if persists else found.size
    if value is None:
        return [Metric(label, "–", "u* is lost")]
    return [Metric(label, significant(value) if value else "0", "state units")]


def _margins(scenario: Scenario) -> list[Metric]:
    """Gain margins: a reduction and a rise, each in factors and decibels."""
    found = loop_quantities.margins(scenario)
    fall, rise = "gain may fall to", "gain may rise to"
    if found is None or scenario.gate.amplitude == 0:
        why = "gate shut" if scenario.gate.amplitude == 0 else "count unknown"
        return [Metric(fall, "–", why), Metric(rise, "–", why)]
    down, up = found
    return [
        Metric(
            fall,
            "0" if down == 0 else f"{rate(down, 'up')}×",
            "no lower limit" if down == 0 else decibels(down),
        ),
        Metric(
            rise,
            "∞" if math.isinf(up) else f"{rate(up, 'down')}×",
            "no limit" if math.isinf(up) else decibels(up),
        ),
    ]


def _phase(scenario: Scenario) -> list[Metric]:
    found = multiplier_quantities.phase_margin(scenario)
    if found is None:
        return []
    return [
        Metric("phase margin", "∞" if math.isinf(found.angle) else degrees(found.angle), "ψ has rank one")
    ]


def _defect(scenario: Scenario) -> list[Metric]:
    found = ladder_quantities.split_defect(scenario)
    if found is None:
        return []
    value = "0" if found.respects else significant(found.value)
    return [
        Metric("A7 defect", value, "ψ respects the split" if found.respects else "0 = respects the split")
    ]


def _certified(scenario: Scenario) -> str:
    best = ladder_quantities.certificate(scenario)
    assert best is not None
    return f"{rate(best.value, 'down')} by the {CERTIFICATES[best.name]}"


def _side(limit: GateLimit, amplitude: float) -> tuple[float | None, str]:
    """The true limit on the side of ϱ, and what happens there."""
    if amplitude > 0:
        return limit.positive, crossing(limit.positive_crossing, limit.resolution)
    return limit.negative, crossing(limit.negative_crossing, limit.resolution)


def _true(limit: GateLimit, amplitude: float) -> str:
    end, kind = _side(limit, amplitude)
    return "" if end is None or math.isinf(end) else f"{toward_zero(end)}, {kind}"


def _ending(true: str) -> str:
    return f"; the true one on its side is {true}" if true else "; no true limit was found on this side"


def _share(limit: GateLimit, amplitude: float) -> str:
    end, _ = _side(limit, amplitude)
    if end is None:
        return "; the true limit is not known here"
    if math.isinf(end):
        return f"; no true limit was found on this side{_at(limit)}"
    return f" and {percent(amplitude / end)} of the true limit on its side ({toward_zero(end)}){_at(limit)}"


def _at(limit: GateLimit) -> str:
    return at_resolution(limit.resolution)


def _string(scenario: Scenario, limit: GateLimit) -> str:
    if limit.string_limit is None:
        if quantities.spectrum(scenario).persistent_rank == 0:
            return "its gain is not known here"
        return "no string limit is defined while something persists"
    if math.isinf(limit.string_limit):
        return "no chain amplifies"
    return f"long chains amplify beyond |ϱ| = {rate(limit.string_limit, 'down')}"
