"""The scenario in one sentence and six numbers."""

import math
from typing import NamedTuple

from figures.certificate import CERTIFICATES
from figures.number import count, layers, rate, short_power, toward_zero, typed
from figures.phrase import at_resolution, crossing, kept, region_names
from presets import ladder_quantities, loop_quantities, quantities
from presets.build import block_tokens
from presets.gate_limit import GateLimit
from presets.schema import Scenario

CERTAINTY = {"certified": ", certified", "kept": ", though not certified"}
"""How sure it is that the split is kept."""


class Metric(NamedTuple):
    """One number above the panels: label, value, and the unit or condition beside it."""

    label: str
    value: str
    unit: str


def verdict(scenario: Scenario) -> str:
    """Sum up a scenario in three clauses: tokens; persistence; gate."""
    text = f"{_tokens(scenario)}; {_persistence(scenario)}; {_gate(scenario)}."
    return text[0].upper() + text[1:]


def metrics(scenario: Scenario) -> list[Metric]:
    """Return the numbers above the panels."""
    spectrum = quantities.spectrum(scenario)
    at = at_resolution(spectrum.resolution).strip() or "exact"
    lower, upper = spectrum.gap or (0.0, math.inf)
    exact = spectrum.resolution is None
    decaying = rate(lower, "nearest" if exact else "up") if lower > 0 else "–"
    growing = rate(upper, "nearest" if exact else "down") if upper < math.inf else "–"
    missing = ("no gap", "no gap") if spectrum.gap is None else ("none decays", "none grows")
    return [
        _depth_metric(scenario),
        _bound_metric(scenario),
        Metric("slowest difference r_f", _fluctuation(scenario), "per layer"),
        Metric("decaying edge", decaying, at if lower > 0 else missing[0]),
        Metric("growing edge", growing, at if upper < math.inf else missing[1]),
        _certified_metric(scenario),
        _range_metric(loop_quantities.boundary(scenario)),
    ]


def _tokens(scenario: Scenario) -> str:
    if block_tokens(scenario) == 1:
        return "one token per block, so nothing has to wash out"
    measured = quantities.saturation_depth(scenario).absolute
    if measured.status == "trivial":
        return "token differences never exceed the tolerance"
    if measured.depth is None:
        return f"token differences do not wash out within {layers(scenario.depth)}"
    return f"token differences wash out by layer {measured.depth}"


def _persistence(scenario: Scenario) -> str:
    spectrum = quantities.spectrum(scenario)
    width, at = scenario.family.width, at_resolution(spectrum.resolution)
    rank = spectrum.persistent_rank
    if rank is None:
        if spectrum.verdict == "contains-one":
            return f"1 lies in the spectrum{at}, so there is no split"
        return f"whether anything persists is undecided{at}"
    if rank == 0:
        return "nothing persists"
    if rank == width:
        return "everything persists" if width > 1 else "the one direction persists"
    return f"{count(rank)} direction{'s persist' if rank > 1 else ' persists'}"


def _gate(scenario: Scenario) -> str:
    limit, amplitude = loop_quantities.boundary(scenario), scenario.gate.amplitude
    if limit.status == "not-a-loop":
        return "the summary is never refreshed, so no loop closes"
    if limit.status == "needs-trajectory":
        return "the gate’s limit is unknown, since u* is too long to follow here"
    rank, width = quantities.spectrum(scenario).persistent_rank, scenario.family.width
    if rank is None:
        certified = "" if quantities.spectrum(scenario).verdict == "contains-one" else "certified "
        return f"the gate has no {certified}split to keep"
    at = f"at ϱ = {typed(amplitude)}"
    if scenario.gate.topology == "cascade":
        return _cascade(limit, amplitude, at)
    match ladder_quantities.standing(scenario):
        case "certified" | "kept" as standing:
            still = kept(rank, width).replace("everything ", "everything still ")
            if amplitude == 0:
                return "the gate is closed"
            return f"{at} {still}" + CERTAINTY[standing]
        case "lost":
            return f"{at} the settled state is lost{_passed(limit, amplitude)}"
        case "undecided":
            if limit.resolution is None:
                return f"ϱ = {typed(amplitude)} lies on a limit"
            return f"{at} the outcome is undecided{at_resolution(limit.resolution)}"
        case "changed":
            new = region_names(rank, width)[1].replace("split", "the split is")
            return f"{at} {new}{_passed(limit, amplitude)}"


def _cascade(limit: GateLimit, amplitude: float, at: str) -> str:
    if limit.string_limit is not None and abs(amplitude) > limit.string_limit:
        return f"{at} the cascade leaves the spectrum alone but amplifies from block to block"
    return f"{at} the cascade leaves the spectrum alone"


def _passed(limit: GateLimit, amplitude: float) -> str:
    """Name the limit that was passed, and where it lies."""
    end, kind = (
        (limit.positive, limit.positive_crossing)
        if amplitude > 0
        else (limit.negative, limit.negative_crossing)
    )
    if end is None or kind == "none":
        return ""
    return f" (limit {toward_zero(end)}, {crossing(kind, limit.resolution)})"


def _depth_metric(scenario: Scenario) -> Metric:
    label = f"τ at {short_power(scenario.tolerance)} (measured)"
    measured = quantities.saturation_depth(scenario).absolute
    if block_tokens(scenario) == 1:
        return Metric(label, "0", "one token per block")
    if measured.status == "trivial":
        return Metric(label, "0", "trivial")
    if measured.depth is None:
        return Metric(label, f"> {scenario.depth}", "not reached")
    return Metric(label, str(measured.depth), f"of {layers(scenario.depth)}")


def _bound_metric(scenario: Scenario) -> Metric:
    bound = quantities.saturation_depth(scenario).paper_bound
    if block_tokens(scenario) == 1:
        return Metric("paper bound, C′ = 1", "–", "one token per block")
    if bound is None:
        transverse = quantities.fluctuation_rate(scenario)
        reason = "r_f ≥ 1" if transverse.rate >= 1 else "C_f = ∞"
        return Metric("paper bound, C′ = 1", "–", "under a leak" if transverse.log_kappa is None else reason)
    return Metric("paper bound, C′ = 1", str(bound), "layer" if bound == 1 else "layers")


def _fluctuation(scenario: Scenario) -> str:
    return "–" if block_tokens(scenario) == 1 else rate(quantities.fluctuation_rate(scenario).rate)


def _certified_metric(scenario: Scenario) -> Metric:
    best = ladder_quantities.certificate(scenario)
    if best is None:
        return Metric("certified |ϱ| <", "–", "no split")
    return Metric("certified |ϱ| <", rate(best.value, "down"), CERTIFICATES[best.name])


def _range_metric(limit: GateLimit) -> Metric:
    label = "true range of ϱ" if limit.resolution is None else "kept range of ϱ"
    if limit.negative is None or limit.positive is None:
        return Metric(label, "–", "u* too long to follow")
    if limit.string_limit is not None:
        return Metric("string limit |ϱ|", toward_zero(limit.string_limit), "cascade")
    condition = at_resolution(limit.resolution).strip() or "exact"
    if limit.status == "not-a-loop":
        condition = "no loop"
    elif limit.negative == limit.positive:
        return Metric(label, "–", "no split")
    elif limit.searched_to is not None and math.isinf(limit.positive - limit.negative):
        condition = f"searched to {rate(limit.searched_to, 'down')}"
    return Metric(label, f"{toward_zero(limit.negative)} to {toward_zero(limit.positive)}", condition)
