"""From a scenario to its report."""

import math
from typing import Any

from engine import device
from engine.dichotomy import Spectrum
from engine.ladder import CERTIFIED
from presets import (
    build,
    dichotomy_quantities,
    ladder_quantities,
    loop_quantities,
    quantities,
    trajectory_quantities,
    washout_quantities,
)
from presets.assumptions import assumptions
from presets.report_schema import Extended, Report
from presets.schema import Scenario
from presets.version import VERSION


def report(scenario: Scenario) -> Report:
    """Compute every number of a scenario."""
    return Report.model_validate(
        {
            "version": VERSION,
            "device": device.device_name(),
            "precision": device.PRECISION,
            "scenario": build.filled(scenario),
            "spectrum": _spectrum(quantities.spectrum(scenario)),
            "finite_time_growth": quantities.finite_time_growth(scenario).tolist(),
            "dichotomy": _dichotomy(scenario),
            "saturation": _saturation(scenario),
            "gate": _gate(scenario),
            "trajectory": _trajectory(scenario),
            "duality": _duality(scenario),
            "assumptions": [_plain(entry._asdict()) for entry in assumptions(scenario)],
        }
    )


def extended(value: float) -> Extended:
    """Write a number for JSON, infinities as text.

    **Raises:** `ValueError` for NaN: a mathematical outcome must have become a status before.
    """
    if math.isnan(value):
        raise ValueError("expected a number or an infinity; got NaN.")
    return float(value) if math.isfinite(value) else "inf" if value > 0 else "-inf"


def _plain(content: dict[str, Any]) -> dict[str, Any]:
    return {key: extended(entry) if isinstance(entry, float) else entry for key, entry in content.items()}


def _spectrum(spectrum: Spectrum) -> dict[str, Any]:
    whiskers = [None] * len(spectrum.lower)
    if spectrum.whisker_lower is not None and spectrum.whisker_upper is not None:
        whiskers = list(zip(spectrum.whisker_lower.tolist(), spectrum.whisker_upper.tolist(), strict=True))
    edges = zip(spectrum.lower.tolist(), spectrum.upper.tolist(), spectrum.multiplicity.tolist(), strict=True)
    return {
        "method": spectrum.method,
        "resolution": spectrum.resolution,
        "intervals": [
            {"lower": lower, "upper": upper, "multiplicity": count, "whisker": whisker}
            for (lower, upper, count), whisker in zip(edges, whiskers, strict=True)
        ],
        "verdict": spectrum.verdict,
        "certified": spectrum.certified,
        "persistent_rank": spectrum.persistent_rank,
        "gap": None if spectrum.gap is None else tuple(map(extended, spectrum.gap)),
    }


def _dichotomy(scenario: Scenario) -> dict[str, Any]:
    found = dichotomy_quantities.dichotomy(scenario)
    return _plain(found._asdict()) | {"rank": found.rank if found.status == "ok" else None}


def _saturation(scenario: Scenario) -> dict[str, Any]:
    depth, transverse = quantities.saturation_depth(scenario), quantities.fluctuation_rate(scenario)
    return {
        "tolerance": depth.tolerance,
        "status": depth.absolute.status,
        "measured": depth.absolute.depth,
        "first_crossing": depth.absolute.first_crossing,
        "relative_status": depth.relative.status,
        "measured_relative": depth.relative.depth,
        "measured_l2": quantities.l2_depth(scenario).depth,
        "peak": extended(depth.peak),
        "paper_bound": depth.paper_bound,
        "norm_certificate": washout_quantities.settled(
            scenario, washout_quantities.norm_bound(scenario)
        ).depth,
        "disc_certificate": washout_quantities.settled(
            scenario, washout_quantities.disc_bound(scenario)
        ).depth,
        "kappa": None if transverse.log_kappa is None else extended(math.exp(transverse.log_kappa)),
        "fluctuation_rate": transverse.rate,
        "fluctuation_constant": extended(transverse.constant),
        "gap_product": quantities.gap_product(scenario),
    }


def _duality(scenario: Scenario) -> dict[str, Any]:
    found = washout_quantities.late_switch(scenario)
    return {
        "compression": scenario.compression.kind,
        "relative_error_from_input": None if found.from_input is None else extended(found.from_input),
        "relative_error_from_saturation": None
        if found.from_saturation is None
        else extended(found.from_saturation),
    }


def _gate(scenario: Scenario) -> dict[str, Any]:
    limit = loop_quantities.boundary(scenario)
    closed = loop_quantities.closed_spectrum(scenario)
    margins, standing = loop_quantities.margins(scenario), ladder_quantities.standing(scenario)
    return {
        "amplitude": scenario.gate.amplitude,
        "lipschitz": loop_quantities.lipschitz(scenario),
        **_ladder(scenario),
        "boundary": {
            "status": limit.status,
            "searched_to": limit.searched_to,
            "resolution": limit.resolution,
            "negative": _limit(limit.negative, limit.negative_crossing),
            "positive": _limit(limit.positive, limit.positive_crossing),
        },
        "string_limit": None if limit.string_limit is None else extended(limit.string_limit),
        "closed_spectrum": None if closed is None else _spectrum(closed),
        "inside": "undecided" if standing == "lost" else standing,
        "margins": None if margins is None else _plain(margins._asdict()),
    }


def _ladder(scenario: Scenario) -> dict[str, Any]:
    """Write the rungs; without a split nothing is certified but ϱ = 0."""
    found = ladder_quantities.ladder(scenario)
    if found is None:
        exact = quantities.layers(scenario).recurrence != "window" and scenario.gate.refresh_period == 1
        rungs = dict.fromkeys(("paper_estimate", *CERTIFIED), 0.0)
        nothing = {"value": 0.0, "name": None}
        return {**rungs, "radius_bound": 0.0 if exact else None, "best_certificate": nothing}
    rungs = _plain(found._asdict())
    best = rungs.pop("best")
    return {**rungs, "best_certificate": _plain(best._asdict())}


def _trajectory(scenario: Scenario) -> dict[str, Any]:
    found = trajectory_quantities.trajectory(scenario)
    names = ("displacement", "slope", "size", "contraction")
    if found is None:
        return {"status": "failed", **dict.fromkeys(names)}
    return {"status": found.status, **_plain({name: getattr(found, name) for name in names})}


def _limit(value: float | None, crossing: str) -> dict[str, Any]:
    return {"value": None if value is None else extended(value), "crossing": crossing}
