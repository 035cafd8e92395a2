"""What the figures of saturation say and draw: the error surface, and the block length."""

from typing import Any

import numpy as np
import pytest

from figures import FIGURES, depends_on, heat, late_switch
from presets import quantities
from presets.compression import COMPRESSIONS
from presets.load import validate
from presets.schema import Scenario
from presets.washout_quantities import settled
from tests.figures.saying import said
from tests.figures.scenarios import EDGES

SCALAR = {"kind": "explicit", "mixing": [[-0.3]], "value": [[0.4]]}

COMPRESSED: dict[str, dict[str, Any]] = {
    "mean": {"kind": "mean"},
    "first": {"kind": "first"},
    "last": {"kind": "last"},
    "select": {"kind": "select", "positions": [1, 3], "weights": [0.5, 0.5]},
    "scored": {"kind": "scored", "scores": [0.0, 1.0, 2.0, 3.0], "temperature": 1.0},
    "multilevel": {"kind": "multilevel", "levels": [2, 2]},
}


def window(**changes: Any) -> Scenario:
    family = {"kind": "turning", "multipliers": [1.1, 0.5], "value": [1.0, 0.4], "turn": 0.1, "skew": 0.0}
    return validate({"depth": 16, "block_length": 4, "family": family, **changes})


def scalar(**changes: Any) -> Scenario:
    return validate({"depth": 128, "block_length": 16, "family": SCALAR, **changes})


LEAK = {"kind": "leaky", "leak": 0.1}

SAID: list[tuple[Scenario, str, str]] = [
    (window(), "late-switch", "Π = mean: error 1.5"),
    (window(kernel=LEAK), "late-switch", late_switch.LEAK),
    (EDGES["one token per block"], "late-switch", late_switch.EXACT),
    (EDGES["not reached"], "late-switch", "τ is not reached"),
    (window(tolerance=1e-2), "late-switch", "s = τ = "),
    (scalar(tolerance=1e-9), "depth-by-length", "not reached within 128 layers"),
    (scalar(block_length=1), "depth-by-length", "From P = 2 to 64: measured τ 73 to 112 at 10⁻³"),
    (scalar(kernel=LEAK), "depth-by-length", "no paper bound"),
    (window(block_length=8), "kernel-conditioning", "At P = 8: κ_α is 4.5×10³, 1.4×10³ with columns"),
    (EDGES["bidirectional"], "kernel-conditioning", "symmetric: κ_α = 1"),
    (window(kernel=LEAK), "kernel-conditioning", "so there is no κ_α"),
    (window(), "effective-tokens", "4.0 if bidirectional"),
    (window(), "washout-certificates", "one input"),
    (EDGES["bound off scale"], "saturation-depth", "peak "),
]


@pytest.mark.parametrize(("scenario", "slug", "words"), SAID)
def test_a_state_is_said_in_its_words(scenario: Scenario, slug: str, words: str):
    shown = said(slug, scenario)
    assert any(words in text for text in shown), shown


def test_every_compression_is_looked_at():
    assert set(COMPRESSED) == set(COMPRESSIONS)


@pytest.mark.parametrize("kind", COMPRESSED)
def test_the_surface_is_tiled_without_gap_or_overlap(kind: str):
    cells = _surface(window(compression=COMPRESSED[kind]))["cells"].frame
    for switch, column in cells.groupby("switch"):
        assert column["x"].nunique() == column["x2"].nunique() == 1
        np.testing.assert_array_equal(column["y"].iloc[1:], column["y2"].iloc[:-1])
        assert column["y"].iloc[0] == int(switch) - 0.5
        assert column["y2"].iloc[-1] == 16.5
    sides = cells.groupby(cells["switch"].astype(int))[["x", "x2"]].first()
    assert sides["x2"][0] < sides["x"][1]
    np.testing.assert_array_equal(sides["x"][2:], sides["x2"][1:-1])


def test_the_surface_of_the_first_token_does_not_depend_on_the_switch():
    cells = _surface(window(compression=COMPRESSED["first"]))["cells"].frame
    for layer in range(1, 17):
        column = cells[(cells["y"] < layer) & (cells["y2"] > layer)]
        assert column["share"].nunique() == 1
        assert len(column) == layer + 1


def test_compressing_the_input_by_the_mean_never_decays():
    scenario = window(tolerance=1e-2)
    rows = _surface(scenario)
    input_shares, last = (rows["cells"].frame[rows["cells"]["switch"] == switch] for switch in ("0", "16"))
    assert input_shares["share"].min() > last["share"].max()
    assert rows["tau"]["x"][0] == settled(scenario, _measured(scenario)).depth


def test_the_colour_bar_holds_every_class_once():
    rows = _surface(window())
    assert rows["bar"]["share"][0] == 0
    assert rows["bar"]["share"][-1] == 1
    assert set(rows["cells"]["share"]) <= set(rows["bar"]["share"])
    assert (rows["bar"]["x"] > rows["bar"]["y2"]).all()


def test_classes_hold_what_they_are_made_for():
    logs = np.array([-np.inf, -20.0, -3.2, 0.4, np.inf])
    found = heat.classes(logs, -12)
    assert found == heat.Classes(-12, 1)
    assert found.of(logs).tolist() == [0, 0, 17, 24, 25]
    assert heat.classes(np.array([-np.inf]), -12) == heat.Classes(-12, 0)
    assert heat.Classes(-200, 100).number == heat.MOST_CLASSES
    assert heat.runs(np.array([1, 1, 0, 2, 2])) == [(0, 2), (2, 3), (3, 5)]


def test_depths_by_length_are_those_of_the_reference_table():
    tables = FIGURES["depth-by-length"].compute(scalar())
    table = FIGURES["depth-by-length"].table(tables).set_index("tokens per block P")
    assert table.loc[[16, 64], "measured τ"].tolist() == [98, 112]
    assert table.loc[[16, 64], "relative τ"].tolist() == [51, 58]
    assert table.loc[[16, 64], "paper bound"].tolist() == [248, 873]
    assert table.loc[[16, 64], "paper bound with the best scaling"].tolist() == [214, 711]


@pytest.mark.parametrize("slug", ["late-switch", "depth-by-length", "kernel-conditioning"])
def test_figures_stay_while_the_gate_moves(slug: str):
    fields = depends_on(slug)
    assert fields is not None
    assert not any(name.startswith("gate") for name in fields)


def _surface(scenario: Scenario) -> dict[str, Any]:
    return late_switch.datasets(late_switch.compute(scenario))


def _measured(scenario: Scenario) -> np.ndarray:
    return quantities.fluctuation_norms(scenario).log_absolute
