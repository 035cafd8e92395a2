"""What the figures of visibility and linearisation say and draw, state by state."""

from typing import Any

import numpy as np
import pytest

from figures import FIGURES, depends_on
from figures.badge import badge
from figures.label import Label
from figures.log_log import Line, Plot, around, dot_rows, end_names, line_rows
from presets.load import preset, validate
from presets.schema import Scenario
from tests.figures.saying import said
from tests.figures.scenarios import EDGES

SADDLE = {"kind": "tied", "multipliers": [0.5, 1.4], "value": [0.3, 1.4], "shear": 1.0}
WIDE_OPEN = {"kind": "explicit", "mixing": [[-1.0]], "value": [[1.0]]}
DEMONSTRATION = "a demonstration block, not this stack"


def gated(**gate: Any) -> Scenario:
    return validate({"depth": 12, "family": SADDLE, "gate": {"amplitude": 0.1, **gate}})


BLOCK = validate(
    {
        "depth": 6,
        "block_length": 3,
        "blocks": 3,
        "tokens": 8,
        "family": {"kind": "transformer", "width": 4, "heads": 2, "hidden": 6},
        "gate": {"amplitude": -0.02},
    }
)

SAID: list[tuple[Scenario, str, str]] = [
    (gated(), "visibility-partition", "exactly zero: fast, same ℓ and Π"),
    (gated(), "visibility-partition", "ψ(0) = 0 injects nothing: set a bias"),
    (gated(), "visibility-table", "drawn with b = 0.2·(1,…,1)/√d"),
    (gated(refresh_period=4), "visibility-partition", "for a self-loop with Lᵣ = 1"),
    (EDGES["bias"], "visibility-partition", "Fast changes show at second order only"),
    (EDGES["bias"], "visibility-partition", "fast 1.99"),
    (EDGES["bias"], "visibility-table", "slow changes: first order in every row"),
    (EDGES["bias"], "injection-view", "floor bound"),
    (EDGES["bias"], "injection-view", "the gate holds it at"),
    (EDGES["closed gate"], "visibility-partition", "The gate is shut (ϱ = 0)"),
    (EDGES["closed gate"], "injection-view", "an open gate would force it anew"),
    (EDGES["contains 1"], "visibility-table", "No split at H = 8"),
    (EDGES["nothing persists"], "visibility-partition", "Nothing persists"),
    (EDGES["everything persists"], "injection-view", "Nothing decays"),
    (EDGES["far beyond the axis"], "visibility-partition", "keeps no split, or has no bounded u*"),
    (EDGES["ring"], "injection-view", "every block reads itself here"),
    (EDGES["window"], "query-key", DEMONSTRATION),
    (EDGES["window"], "linear-error", DEMONSTRATION),
    (EDGES["window"], "gate-error", DEMONSTRATION),
    (EDGES["window"], "stream-growth", DEMONSTRATION),
    (EDGES["window"], "euler-refinement", "A refinement study, not this stack"),
    (BLOCK, "query-key", "after 6 layers"),
    (BLOCK, "gate-error", "for negative ϱ"),
]


@pytest.mark.parametrize(("scenario", "slug", "words"), SAID)
def test_a_state_is_said_in_its_words(scenario: Scenario, slug: str, words: str):
    shown = said(slug, scenario)
    assert any(words in text for text in shown), shown


def test_a_refinement_without_a_generator_has_no_error():
    figure = FIGURES["euler-refinement"]
    tables = figure.compute(validate({"depth": 4, "family": WIDE_OPEN}))
    assert figure.caption(tables) == "A refinement study: steps and flow agree to rounding, as A = 0 here."
    assert len(figure.datasets(tables)["points"]) == 0


@pytest.mark.parametrize("slug", ["query-key", "linear-error", "stream-growth", "euler-refinement"])
def test_figures_that_stay_while_the_gate_moves_really_do(slug: str):
    scenario = EDGES["window"]
    gate = scenario.gate.model_copy(update={"amplitude": 0.4})
    figure = FIGURES[slug]
    before, after = (
        figure.datasets(figure.compute(entry))
        for entry in (scenario, scenario.model_copy(update={"gate": gate}))
    )
    fields = depends_on(slug)
    assert fields is not None
    assert not any(name.startswith("gate") for name in fields)
    assert all(before[name].frame.equals(after[name].frame) for name in before)


def test_the_badge_says_when_blocks_are_run():
    formula, blocks = EDGES["window"], BLOCK
    runs, reads = FIGURES["linear-error"], FIGURES["euler-refinement"]
    assert [badge(formula, runs).word, badge(blocks, runs).word] == ["demo block", "real block"]
    assert [badge(formula, reads).word, badge(blocks, reads).word] == ["toy", "linearised"]
    assert badge(preset("turning-saddle")).word == "toy"


def test_the_current_amplitude_stands_on_the_lines_of_real_blocks_alone():
    figure = FIGURES["gate-error"]
    assert len(figure.datasets(figure.compute(EDGES["window"]))["current"]) == 0
    here = figure.datasets(figure.compute(BLOCK))["current"]
    np.testing.assert_allclose(here["x"], np.log10(0.02))


def test_points_that_are_not_numbers_break_a_line():
    line = Line("a", "ink", np.arange(5.0), np.array([0.0, 1.0, np.nan, 2.0, -np.inf]))
    rows = line_rows([line])
    assert rows["x"].tolist() == [0.0, 1.0, 3.0]
    assert rows["part"].tolist() == ["a.0", "a.0", "a.1"]
    assert dot_rows([line])["size"].tolist() == ["1.0", "10", "100"]
    assert len(line_rows([])) == len(dot_rows([])) == 0


def test_axes_hold_every_point_and_leave_room_for_remarks():
    line = Line("a", "ink", np.arange(2.0), np.array([-3.5, -1.2]))
    plot = around(line.x, [line])
    assert plot == Plot(0.0, 1.0, -4, -1)
    assert plot.with_room(["one", "two"]).top > plot.with_room(["one"]).top > plot.top
    assert plot.with_room([]) == plot


def test_names_at_the_right_end_keep_apart():
    plot = Plot(0.0, 1.0, 0.0, 10.0)
    names = end_names([Label(1.0, 5.0, "a"), Label(1.0, 5.01, "b")], plot)
    assert names[1].y - names[0].y == pytest.approx(0.75)
