"""One module per figure: what it computes, how it is drawn, and what it says.

A figure that does not depend on every setting names those it depends on in `DEPENDS_ON`; it then stays as
it is while ϱ moves. One that may take long names the heavy quantity in `ON_DEMAND`.
"""

from types import ModuleType
from typing import Any

from figures import (
    cascade_response,
    depth_by_length,
    dichotomy_constants,
    dichotomy_spectrum,
    displacement,
    effective_tokens,
    euler_refinement,
    gate_error,
    gate_ladder,
    gate_map,
    injection_view,
    kernel_conditioning,
    late_switch,
    layer_radii,
    linear_error,
    multipliers,
    query_key,
    refresh_limits,
    running_estimate,
    saturation_depth,
    sector_decay,
    sigma_test,
    stream_growth,
    topology_limits,
    transient_growth,
    visibility_partition,
    visibility_table,
    washout_certificates,
    width_by_resolution,
)
from presets.map_axis import ANGLE
from presets.on_demand import OnDemand

FIGURES: dict[str, ModuleType] = {
    "sector-decay": sector_decay,
    "saturation-depth": saturation_depth,
    "dichotomy-spectrum": dichotomy_spectrum,
    "gate-map": gate_map,
    "layer-radii": layer_radii,
    "transient-growth": transient_growth,
    "running-estimate": running_estimate,
    "width-by-resolution": width_by_resolution,
    "dichotomy-constants": dichotomy_constants,
    "sigma-test": sigma_test,
    "visibility-partition": visibility_partition,
    "visibility-table": visibility_table,
    "injection-view": injection_view,
    "query-key": query_key,
    "linear-error": linear_error,
    "gate-error": gate_error,
    "stream-growth": stream_growth,
    "euler-refinement": euler_refinement,
    "gate-ladder": gate_ladder,
    "displacement": displacement,
    "refresh-limits": refresh_limits,
    "topology-limits": topology_limits,
    "multipliers": multipliers,
    "cascade-response": cascade_response,
    "washout-certificates": washout_certificates,
    "depth-by-length": depth_by_length,
    "kernel-conditioning": kernel_conditioning,
    "late-switch": late_switch,
    "effective-tokens": effective_tokens,
}
"""All figures by slug."""

PAGES: dict[str, tuple[str, ...]] = {
    "explore": ("sector-decay", "saturation-depth", "dichotomy-spectrum", "gate-map"),
    "saturation": (
        "saturation-depth",
        "washout-certificates",
        "depth-by-length",
        "kernel-conditioning",
        "late-switch",
        "effective-tokens",
    ),
    "spectrum": (
        "layer-radii",
        "transient-growth",
        "running-estimate",
        "width-by-resolution",
        "dichotomy-constants",
        "sigma-test",
    ),
    "gate": (
        "gate-ladder",
        "displacement",
        "refresh-limits",
        "topology-limits",
        "multipliers",
        "cascade-response",
    ),
    "visibility": ("visibility-partition", "visibility-table", "injection-view", "query-key"),
    "linearisation": ("linear-error", "gate-error", "stream-growth", "euler-refinement"),
}
"""The figures of every page, in reading order."""


MAP = "gate-map"
"""The figure that is drawn over a second parameter of the visitor's choice."""


def further(slug: str, over: str) -> tuple[str, ...]:
    """Return what a figure is told besides the scenario: over what a gate map is drawn, if not the angle."""
    return (over,) if slug == MAP and over != ANGLE else ()


def own_axes(slug: str) -> tuple[str, ...]:
    """Return the axes of a figure that it never shares with the same figure of another scenario."""
    return getattr(FIGURES[slug], "OWN_AXES", ())


def on_demand(slug: str) -> OnDemand[Any] | None:
    """Return what a figure computes only when asked for, if it may take long."""
    return getattr(FIGURES[slug], "ON_DEMAND", None)


def depends_on(slug: str) -> tuple[str, ...] | None:
    """Return the settings a figure depends on; None when on every one, ϱ too."""
    return getattr(FIGURES[slug], "DEPENDS_ON", None)
