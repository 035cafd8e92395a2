"""Words on charts carry no markup, and what a logarithmic axis cannot show is counted and said."""

import re
from typing import Any

import numpy as np
import pytest

from figures import FIGURES, layer_radii
from presets.load import preset, validate
from presets.schema import Scenario

SCENARIOS = {
    "tied": preset("tied-saddle"),
    "ring": preset("tied-saddle").model_copy(update={"depth": 12, "blocks": 3}),
}


def zero_layer(depth: int) -> Scenario:
    """One direction that grows, one that decays, and one that is lost in every layer."""
    family = {"kind": "tied", "multipliers": [1.5, 0.0, 0.5], "value": [0.0, 0.0, 0.0], "shear": 0.0}
    return validate({"depth": depth, "family": family})


def texts(datasets: dict[str, Any]) -> list[str]:
    columns = [column for rows in datasets.values() for column in rows.columns.values()]
    return [str(entry) for column in columns if column.dtype == object for entry in column]


@pytest.mark.parametrize("slug", FIGURES)
@pytest.mark.parametrize("name", SCENARIOS)
def test_no_word_on_a_chart_holds_markup(slug: str, name: str) -> None:
    """Axes, legends and tooltips' titles stand in the template; what is computed stands in the datasets."""
    figure = FIGURES[slug]
    said = texts(figure.datasets(figure.compute(SCENARIOS[name])))
    assert not [text for text in (*said, figure.QUESTION) if re.search(r"[$\\]", text)]


@pytest.mark.parametrize(
    ("depth", "said"), [(1, "1 value is 0, not drawn"), (4, "4 values are 0, not drawn")]
)
def test_zeros_on_a_logarithmic_axis_are_counted_and_leave_the_rest_in_place(depth: int, said: str) -> None:
    tables = layer_radii.compute(zero_layer(depth))
    data = layer_radii.datasets(tables)
    assert said in list(data["labels"]["text"])
    drawn = np.unique(np.exp2(np.concatenate([data["radii"]["y"], data["others"]["y"]])))
    assert drawn == pytest.approx([0.5, 1.5], abs=1e-12)
    assert all(
        np.isfinite(rows[axis]).all() for rows in data.values() for axis in "xy" if axis in rows.columns
    )


def test_without_a_zero_nothing_is_said_of_it() -> None:
    data = layer_radii.datasets(layer_radii.compute(SCENARIOS["tied"]))
    assert not [text for text in data["labels"]["text"] if "not drawn" in text]
