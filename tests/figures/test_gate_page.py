"""Figures of the Gate page from tables typed by hand, one per special value, and what they say."""

import math
import time

import numpy as np
import pytest

from engine.cascade_response import CascadeResponse
from engine.ladder import Certificate
from engine.phase_margin import PhaseMargin
from figures import (
    FIGURES,
    PAGES,
    cascade_response,
    displacement,
    gate_ladder,
    lane_label,
    limit_lanes,
    multipliers,
    refresh_limits,
    topology_limits,
)
from figures.gate_verdict import gate_metrics, gate_verdict
from figures.limit_lanes import Lane, Lanes
from figures.margin_words import decibels, degrees, gain_words, phase_words
from presets.displacement_quantities import Curve, Push
from presets.gate_limit import GateLimit
from presets.load import preset, preset_names
from presets.loop_quantities import Margins
from presets.multiplier_quantities import Branches
from tests.figures.scenarios import EDGES

SCENARIOS = {name: preset(name) for name in preset_names()} | EDGES
INF, NAN = math.inf, math.nan
LIMIT = GateLimit("complete", None, -0.0857864, "+1", 0.949489, "-1", (-0.0857864, 0.949489), None, None)


def _ladder(**more: object) -> gate_ladder.Tables:
    tables = gate_ladder.Tables(
        values=(0.0632, 0.0791, 0.0791, 0.0791, 0.08114, 0.15811, 0.0857864, 0.949489),
        best=Certificate(0.08114, "radius_bound"),
        is_proved=False,
        limit=LIMIT,
        amplitude=-0.1,
        resolution=None,
        missing="needs Lᵣ = 1",
    )
    return tables._replace(**more)


def _words(figure: object, tables: object) -> list[str]:
    return list(figure.datasets(tables)["labels"]["text"])  # type: ignore[attr-defined]


def test_an_estimate_above_the_truth_is_called_out() -> None:
    assert gate_ladder.caption(_ladder()) == (
        "The ℓ² radius certifies |ϱ| < 0.081; the paper’s 0.158 exceeds the true 0.085."
    )
    drawn = gate_ladder.datasets(_ladder())
    assert list(drawn["triangles"]["tone"]) == ["paper"]
    assert len(drawn["dashes"]) == 1
    assert "estimate" in _words(gate_ladder, _ladder())


def test_a_proved_margin_is_drawn_as_certified() -> None:
    tables = _ladder(is_proved=True, limit=LIMIT._replace(negative=-0.5, positive=0.5))
    tables = tables._replace(values=(*tables.values[:6], 0.5, 0.5))
    assert gate_ladder.caption(tables) == (
        "31.6%: A7 holds, so the paper’s |ϱ| < 0.158 is proved; nearest true limit: 0.500."
    )
    drawn = gate_ladder.datasets(tables)
    assert len(drawn["dashes"]) == 0
    assert list(drawn["triangles"]["tone"]) == ["certified"]
    assert "certified: A7 holds" in _words(gate_ladder, tables)


def test_a_rung_that_does_not_apply_says_why() -> None:
    tables = _ladder(values=(*_ladder().values[:4], None, *_ladder().values[5:]))
    assert "needs Lᵣ = 1" in _words(gate_ladder, tables)


def test_certificates_are_rounded_down_and_no_limit_is_said() -> None:
    searched = LIMIT._replace(status="searched", searched_to=2.0079, positive=INF, positive_crossing="none")
    tables = _ladder(values=(*_ladder().values[:7], INF), limit=searched)
    words = _words(gate_ladder, tables)
    assert "0.081" in words
    assert "none up to 2.007 ▸" in words
    exact = tables._replace(limit=searched._replace(searched_to=None))
    assert "none (∞) ▸" in _words(gate_ladder, exact)


def test_without_a_split_nothing_is_certified() -> None:
    tables = _ladder(values=(None,) * 6 + (0.0, 0.0), best=None, resolution=16)
    assert gate_ladder.caption(tables) == "Nothing: there is no certified split to keep at H = 16."
    assert np.isfinite(gate_ladder.datasets(tables)["dom"].frame.to_numpy()).all()


LANES = (
    Lane("1", -1.5733, 0.2733, 0.19),
    Lane("4", -0.4131, 0.4024, 0.19),
    Lane("16", -INF, 0.5151, 0.19, searched_to=3.0),
    Lane("32", None, None, 0.0, note="refreshes: 2, too few"),
)


def _refresh(lanes: tuple[Lane, ...] = LANES, **more: object) -> refresh_limits.Tables:
    tables = refresh_limits.Tables(Lanes(lanes, 0, 0.1, 2.0), 0.25, False, (), False)
    return tables._replace(**more)


def test_slower_is_not_called_safer_when_it_is_not_always() -> None:
    swapped = (Lane("1", -0.9, 0.5, 0.1), Lane("2", -0.3, 0.5, 0.1), Lane("4", -0.7, 0.5, 0.1))
    assert refresh_limits.caption(_refresh(swapped)) == (
        "Not always: the safe |ϱ| is 0.300 at Lᵣ = 2 but 0.500 at Lᵣ = 1."
    )
    assert refresh_limits.caption(_refresh()) == (
        "Yes, here: the safe |ϱ| rises from 0.273 at Lᵣ = 1 to 0.515 at Lᵣ = 16."
    )
    falling = (Lane("1", -0.9, 0.5, 0.1), Lane("2", -0.3, 0.5, 0.1))
    assert refresh_limits.caption(_refresh(falling, resolutions=(8, 16))) == (
        "No: the safe |ϱ| falls from 0.500 at Lᵣ = 1 to 0.300 at Lᵣ = 2 at H = 8–16."
    )


def test_the_side_that_moves_is_named_when_the_nearest_limit_stays() -> None:
    lanes = (Lane("1", -1.9, 0.1, 0.1), Lane("16", -0.1454, 0.1, 0.1))
    assert "the other side falls from 1.900" in refresh_limits.caption(_refresh(lanes))
    still = (Lane("1", -0.4, 2.0, 0.1), Lane("2", -0.4, 2.0, 0.1))
    assert refresh_limits.caption(_refresh(still)).startswith("It makes no difference here")


def test_lanes_are_never_joined_and_cut_at_the_frame() -> None:
    drawn = limit_lanes.datasets(Lanes(LANES, 0, 0.1, 0.45), 0.25)
    assert len(drawn["bars"]) == 3
    assert list(drawn["lanes"]["name"]) == ["1", "4", "16", "32"]
    assert drawn["bars"]["x"].min() == -0.45
    assert set(drawn["bars"]["y"] + limit_lanes.HEIGHT) == {0.0, 1.0, 2.0}
    words = [label.text for label in lane_label.labels(Lanes(LANES, 0, 0.1, 0.45))]
    assert "◂ −1.573" in words
    assert "◂ none to 3.000" in words
    assert "refreshes: 2, too few" in words


def test_certified_never_reaches_beyond_the_true_limit() -> None:
    drawn = limit_lanes.datasets(Lanes((Lane("1", -0.1, 2.0, 0.5),), None, 0.0, 1.0), None)
    assert (drawn["certified"]["x"][0], drawn["certified"]["x2"][0]) == (-0.1, 0.5)


def test_a_chain_is_told_from_a_loop() -> None:
    lanes = (
        Lane("self-loop", -3.375, 1.0, 0.2),
        Lane("ring of 2", -1.0, 1.0, 0.2),
        Lane("ring of 8", -0.860744, 0.860744, 0.2),
        Lane("cascade", -INF, INF, 0.2, note="spectrum never moves"),
        Lane("cascade, K → ∞", -0.857522, 0.857522, 0.2, is_soft=True),
    )
    tables = topology_limits.Tables(Lanes(lanes, 0, 0.5, 5.0), (2, 8), None, 0)
    assert topology_limits.caption(tables) == (
        "Yes: a ring of 8 keeps the split for |ϱ| < 0.860; chains amplify beyond 0.857."
    )
    open_ended = lanes[0]._replace(positive=INF), lanes[1]._replace(negative=-3.375), *lanes[3:]
    assert topology_limits.caption(tables._replace(found=Lanes(open_ended, 0, 0.5, 5.0))).startswith("Yes:")
    drawn = topology_limits.datasets(tables)
    assert len(drawn["soft"]) == 2
    assert len(drawn["ends"]) == 6


def _pushed(persistent: list[float], **more: object) -> displacement.Tables:
    grid = np.linspace(-1, 1, len(persistent))
    values = np.array(persistent)
    curve = Curve(grid, values, 1.5 * values, 1.0, 1.5, False)
    tables = displacement.Tables(
        curve=curve,
        push=Push(0.5, 0.75),
        has_persistent=True,
        certificate=0.2,
        limit=LIMIT,
        amplitude=0.3,
        reach=1.0,
        resolution=16,
        has_split=True,
    )
    return tables._replace(**more)


def test_a_state_that_is_lost_ends_the_curve() -> None:
    tables = _pushed([NAN, 0.6, 0.0, 0.5, NAN])
    assert displacement.caption(tables) == (
        "At ϱ = 0.3, by 0.500 state units, where the slope at 0 gives 0.300 at H = 16."
    )
    drawn = displacement.datasets(tables)
    assert drawn["pushed"]["x"].min() == -0.5
    lost = tables._replace(push=Push(NAN, NAN))
    assert displacement.caption(lost) == "At ϱ = 0.3 no settled state can be followed from ϱ = 0 at H = 16."
    assert len(displacement.datasets(lost)["point"]) == 0


def test_when_nothing_persists_the_whole_state_is_shown() -> None:
    tables = _pushed([0.0] * 5, has_persistent=False, resolution=None)
    assert displacement.caption(tables).startswith(
        "At ϱ = 0.3, as nothing persists, the whole state stands at 0.750"
    )
    assert "‖u*‖" in _words(displacement, tables)


def test_a_lent_bias_is_owned_up_to() -> None:
    tables = _pushed([0.2, 0.1, 0.0, 0.1, 0.2])
    curve = tables.curve
    assert curve is not None
    lent = tables._replace(curve=curve._replace(lent=True))
    assert "ψ(0) = 0 pushes nothing" in displacement.caption(lent)


def test_no_split_has_no_settled_state() -> None:
    tables = _pushed([0.0] * 3, curve=None, push=None, has_split=False)
    assert displacement.caption(tables) == "No settled state: there is no certified split at H = 16."
    assert _words(displacement, tables) == ["no split"]


def _plane(**more: object) -> multipliers.Tables:
    grid = np.linspace(-1, 1, 5)
    values = np.stack([1.4 + 0j * grid, 0.5 + grid], axis=1)
    tables = multipliers.Tables(
        branches=Branches(grid, values, True),
        current=np.array([1.4 + 0j, 0.6 + 0j]),
        limit=LIMIT,
        margins=Margins(0.0, INF),
        phase=None,
        amplitude=0.1,
        rank=1,
        width=2,
        windowed=False,
        closes=True,
        cascade=False,
    )
    return tables._replace(**more)


def test_margins_are_said_in_the_direction_they_mean() -> None:
    """N52: a margin of 0.1 is a reduction, −20 dB."""
    reduction = Margins(0.1, INF)
    assert gain_words(reduction, 1.0) == "gain may fall to 0.100× (−20.0 dB); no upper limit (∞)"
    assert gain_words(reduction, 1.0, in_decibels=False) == "gain may fall to 0.100×; no upper limit (∞)"
    assert (decibels(0.1), decibels(2.0), decibels(0.0), decibels(INF)) == (
        "−20.0 dB",
        "+6.0 dB",
        "−∞ dB",
        "∞ dB",
    )
    assert gain_words(Margins(0.0, 2.79289), 1.0) == "gain may fall to 0 and rise to 2.792× (+8.9 dB)"
    assert phase_words(PhaseMargin(math.radians(31.5499), 0.1)) == "phase margin 31.54°"
    assert phase_words(PhaseMargin(INF, None)) == "phase margin ∞"
    assert degrees(math.pi) == "180.00°"
    assert phase_words(None) == ""


def test_the_plane_keeps_branches_apart_and_inside() -> None:
    drawn = multipliers.datasets(_plane())
    rows = drawn["branches"].frame
    assert set(rows["tone"]) == {"persistent", "decaying"}
    assert np.hypot(rows["x"], rows["y"]).max() <= drawn["dom"]["y"].max()
    assert len(drawn["point"]) == 2
    assert multipliers.caption(_plane()) == "At ϱ = 0.1 the gain may fall to 0; no upper limit (∞)."


def test_what_has_no_multipliers_says_so() -> None:
    window = _plane(branches=None, current=None, windowed=True)
    assert multipliers.caption(window).startswith("A finite stack has no multipliers")
    assert multipliers.caption(_plane(cascade=True)).startswith("No multiplier moves")
    assert multipliers.caption(_plane(branches=None, current=None, closes=False)).startswith(
        "The summary is never"
    )


def _chain(**more: object) -> cascade_response.Tables:
    log_peak = np.log([0.875, 0.711, 0.65, 0.6])
    response = CascadeResponse(np.zeros((4, 3)), log_peak, np.array([1, 2, 3, 4]))
    tables = cascade_response.Tables(response, 4, 0.857522, 1.2, 64, 0, None)
    return tables._replace(**more)


def test_a_chain_beyond_its_string_limit_amplifies() -> None:
    assert cascade_response.caption(_chain()).startswith(
        "Yes, at ϱ = 1.2: a long chain gains 1.399× per block"
    )
    assert cascade_response.caption(_chain(amplitude=0.8)).startswith(
        "No, at ϱ = 0.8: a long chain keeps 0.933×"
    )
    assert len(cascade_response.datasets(_chain())["gain"]) > 0
    growing = _chain(string_limit=None, rank=1, resolution=16)
    assert "what persists grows anyway" in cascade_response.caption(growing)
    assert cascade_response.caption(_chain(amplitude=0.0)) == "The gate is shut: a kick stays in block 1."
    assert "states of all blocks" in cascade_response.caption(_chain(response=None))


@pytest.mark.parametrize("scenario", SCENARIOS.values(), ids=SCENARIOS)
def test_the_verdict_is_a_sentence_and_the_metrics_are_numbers(scenario) -> None:
    text = gate_verdict(scenario)
    assert text.endswith(".")
    assert not any(word in text for word in ("nan", "inf ", "None", "-0"))
    for metric in gate_metrics(scenario):
        assert metric.label
        assert metric.value
        assert metric.unit


@pytest.mark.parametrize("slug", PAGES["gate"])
def test_a_warm_figure_is_fast(slug: str) -> None:
    figure, scenario = FIGURES[slug], preset("turning-saddle")
    figure.datasets(figure.compute(scenario))
    best = min(_seconds(figure, scenario) for _ in range(3))
    assert best < 0.3


def _seconds(figure: object, scenario: object) -> float:
    start = time.perf_counter()
    tables = figure.compute(scenario)  # type: ignore[attr-defined]
    figure.datasets(tables)  # type: ignore[attr-defined]
    figure.caption(tables)  # type: ignore[attr-defined]
    return time.perf_counter() - start
