"""Captions and charts from tables typed by hand, one per special value."""

import numpy as np
import pandas as pd

from engine.saturation import Depth
from figures import dichotomy_spectrum, gate_map, saturation_depth, sector_decay, transient_growth
from figures.rows import Rows
from presets import map_axis
from presets.gate_limit import GateLimit
from presets.limit_map import LimitMap
from presets.load import validate
from presets.schema import Scenario

NAN = float("nan")


def _saturation(absolute: list[float], measured: Depth, **more: object) -> saturation_depth.Tables:
    layers = np.arange(len(absolute))
    sizes = pd.DataFrame({"layer": layers, "absolute": absolute, "relative": absolute, "bound": NAN})
    tables = saturation_depth.Tables(
        sizes=sizes,
        tolerance=1e-2,
        measured=measured,
        measured_relative=measured,
        bound=None,
        rate=0.9,
        resolution=None,
        tokens=4,
    )
    return tables._replace(**more)


def test_a_dip_before_the_settled_depth_is_said_and_drawn() -> None:
    tables = _saturation([0.0, -3.0, -1.0, -3.0, -4.0], Depth("reached", 3, 1), bound=97)
    assert saturation_depth.caption(tables) == (
        "Differences stay below 10⁻² from layer 3 (first dip 1); paper’s bound: 97."
    )
    datasets = saturation_depth.datasets(tables)
    assert list(datasets["dip"]["x"]) == [1.0]
    assert list(datasets["settled"]["x"]) == [3.0]


def test_overflow_is_named_with_its_layer() -> None:
    tables = _saturation([0.0, 100.0, NAN, NAN], Depth("not-reached", None, None))
    assert saturation_depth.caption(tables) == "Not finite from layer 2: lower V or the depth."
    assert np.isfinite(saturation_depth.datasets(tables)["measured"]["y"]).all()


def test_a_missing_bound_gives_its_reason() -> None:
    depth = Depth("not-reached", None, None)
    assert "no paper bound, as r_f ≥ 1" in saturation_depth.caption(_saturation([0.0, 0.5], depth, rate=1.2))
    assert "no paper bound, as C_f = ∞" in saturation_depth.caption(_saturation([0.0, 0.5], depth, rate=0.0))


def test_a_bound_above_the_plot_is_named_in_the_corner() -> None:
    tables = _saturation([0.0, -1.0, -2.5], Depth("reached", 2, 2), bound=400)
    sizes = tables.sizes.assign(bound=[37.0, 36.9, 36.8])
    datasets = saturation_depth.datasets(tables._replace(sizes=sizes))
    assert len(datasets["bound"]) == 0
    label = datasets["labels"].frame.set_index("text").loc["paper bound, C′ = 1: 400 (off scale)"]
    assert (label["x"], label["y"]) == (2, datasets["dom"]["y"].max())


def _norms(**curves: list[float]) -> pd.DataFrame:
    sectors = {"one": 1.0, "two": 2.0, "limit": np.inf}
    return pd.concat(
        pd.DataFrame({"sector": sectors[name], "layer": range(len(values)), "log10": values})
        for name, values in curves.items()
    )


def test_a_sector_that_vanishes_says_so() -> None:
    norms = _norms(one=[0.0, 0.1, 0.2], two=[0.0, -0.1, -0.2], limit=[0.0, -np.inf, -np.inf])
    tables = sector_decay.Tables(norms, 2.0, 0.9, "grows", None, 1)
    labels = sector_decay.datasets(tables)["labels"]
    assert "j = ∞: 0" in set(labels["text"])
    assert sector_decay.caption(tables) == "Slowest, j = 2, falls 10.0% per layer; the shared j = 1 grows."


def test_differences_that_vanish_at_once() -> None:
    norms = _norms(one=[0.0, 0.1], two=[0.0, -np.inf], limit=[0.0, -np.inf])
    tables = sector_decay.Tables(norms, 2.0, 0.0, "grows", None, 1)
    assert "vanish after finitely many layers" in sector_decay.caption(tables)


def _spectrum(rows: list[tuple], **more: object) -> dichotomy_spectrum.Tables:
    columns = ["loop", "lower", "upper", "multiplicity", "whisker_lower", "whisker_upper"]
    tables = dichotomy_spectrum.Tables(
        intervals=Rows(**pd.DataFrame(rows, columns=columns).to_dict("series")),
        radii=np.array([[1.2, 0.5]]),
        verdict="hyperbolic",
        rank=1,
        gap=(0.7434, 1.0886),
        resolution=16,
        amplitude=0.1,
        fate="kept at ϱ = 0.1",
    )
    return tables._replace(**more)


_ROWS = [("open", 1.0886, 1.2, 1, 1.0, 1.3), ("open", 0.4, 0.7434, 1, 0.3, 0.8)]


def test_a_hump_is_told_with_its_peak_and_its_bound() -> None:
    """N60: [[½, 100], [0, ½]] has radius ½, and powers of norm 100.0025, 100.0006, 75.0002, …"""
    family = {"kind": "explicit", "mixing": [[-0.5, 100.0], [0.0, -0.5]], "value": [[0.0, 0.0], [0.0, 0.0]]}
    tables = transient_growth.compute(validate({"schema": 1, "depth": 12, "family": family}))
    assert transient_growth.caption(tables).startswith("Yes: the norm climbs to 100 (layer 1)")
    words = list(transient_growth.datasets(tables)["labels"]["text"])
    assert "Kreiss: the peak is at least 50.004" in words


def test_a_certified_gap_is_rounded_inwards() -> None:
    assert dichotomy_spectrum.caption(_spectrum(_ROWS)) == (
        "Yes, at H = 16: one grows, one decays, gap 0.744–1.088; kept at ϱ = 0.1."
    )
    assert len(dichotomy_spectrum.datasets(_spectrum(_ROWS))["whiskers"]) == 2 * 3


def test_one_inside_an_interval_leaves_no_gap() -> None:
    rows = [("open", 0.91, 1.12, 2, NAN, NAN)]
    tables = _spectrum(rows, verdict="contains-one", rank=None, gap=None)
    assert dichotomy_spectrum.caption(tables) == (
        "No: at H = 16 the interval 0.910–1.120 contains 1, so no split exists."
    )
    assert dichotomy_spectrum.datasets(tables)["gap"].frame.empty


def test_an_undecided_spectrum_claims_nothing() -> None:
    tables = _spectrum(_ROWS, verdict="undecided", rank=None, gap=None)
    assert dichotomy_spectrum.caption(tables).startswith("Undecided at H = 16")
    assert "certified" not in " ".join(dichotomy_spectrum.datasets(tables)["labels"]["text"])


def _map(negative: list[float], positive: list[float]) -> LimitMap:
    grid = np.linspace(-1, 1, 21)
    below, above = np.array(negative)[:, None], np.array(positive)[:, None]
    region = np.where((grid > below) & (grid < above), 0, 2)
    angles, ranks = np.linspace(0, 90, len(negative)), np.ones(len(negative), dtype=int)
    return LimitMap(angles, grid, np.array(negative), np.array(positive), region, ranks)


def _gate(limit: GateLimit, **more: object) -> gate_map.Tables:
    tables = gate_map.Tables(
        map=_map([-0.5] * 4, [0.4, 0.6, np.inf, np.inf]),
        limit=limit,
        reach=1.0,
        amplitude=0.2,
        axis=map_axis.axis_of(Scenario(), map_axis.ANGLE),
        value=30.0,
        inside="kept",
        certified=None,
        rank=1,
        width=2,
        cascade=False,
    )
    return tables._replace(**more)


LIMIT = GateLimit("complete", None, -0.5, "-1", 0.6, "complex", (-0.5, 0.6), None, None)


def test_limits_are_named_by_what_happens_there() -> None:
    datasets = gate_map.datasets(_gate(LIMIT))
    assert {"flip", "oscillation", "kept"} <= set(datasets["labels"]["text"])
    assert list(datasets["ends"]["x"]) == [-0.5, 0.6]
    assert datasets["kept"]["x2"].max() == 1.0


def test_a_search_says_how_far_it_went() -> None:
    searched = LIMIT._replace(status="searched", searched_to=4.0, positive=np.inf, positive_crossing="none")
    assert gate_map.caption(_gate(searched)) == (
        "At θ = 30° the split is kept for ϱ > −0.500 (searched to 4.000); ϱ = 0.2 is inside."
    )


def test_undecided_points_of_an_exact_map_are_not_drawn_as_a_region() -> None:
    found = _map([-0.5] * 4, [0.4] * 4)
    found.region[:, 3] = 1
    exact, window = LIMIT, LIMIT._replace(resolution=16)
    assert gate_map.datasets(_gate(exact, map=found))["patches"].frame.empty
    assert len(gate_map.datasets(_gate(window, map=found))["patches"]) == 4


def test_a_range_is_never_written_wider_than_it_is() -> None:
    tables = _gate(LIMIT._replace(negative=-0.49999, positive=0.59999))
    assert "−0.499 < ϱ < 0.599" in gate_map.caption(tables)
