"""From a scenario to its report."""

import math
from typing import Any

from engine import device
from engine.dichotomy import Spectrum
from presets import build, loop_quantities, quantities
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
            "saturation": _saturation(scenario),
            "gate": _gate(scenario),
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
        "kappa": None if transverse.log_kappa is None else extended(math.exp(transverse.log_kappa)),
        "fluctuation_rate": transverse.rate,
        "fluctuation_constant": extended(transverse.constant),
        "gap_product": quantities.gap_product(scenario),
    }


def _gate(scenario: Scenario) -> dict[str, Any]:
    limit = loop_quantities.boundary(scenario)
    closed = loop_quantities.closed_spectrum(scenario)
    margins = loop_quantities.margins(scenario)
    return {
        "amplitude": scenario.gate.amplitude,
        "lipschitz": loop_quantities.lipschitz(scenario),
        "boundary": {
            "status": limit.status,
            "searched_to": limit.searched_to,
            "resolution": limit.resolution,
            "negative": _limit(limit.negative, limit.negative_crossing),
            "positive": _limit(limit.positive, limit.positive_crossing),
        },
        "string_limit": None if limit.string_limit is None else extended(limit.string_limit),
        "closed_spectrum": None if closed is None else _spectrum(closed),
        "inside": loop_quantities.inside(scenario),
        "margins": None if margins is None else _plain(margins._asdict()),
    }


def _limit(value: float | None, crossing: str) -> dict[str, Any]:
    return {"value": None if value is None else extended(value), "crossing": crossing}
