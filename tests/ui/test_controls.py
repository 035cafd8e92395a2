"""What the controls are made of: ranges, words, typed numbers and matrices, remembered pictures."""

import io
import json

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from figures import FIGURES, depends_on
from figures.rows import Rows
from figures.theme import PALETTES
from presets.family import FAMILIES, Turning
from presets.field import about, round_down, rounded_up
from presets.gate import Gate, Injection
from presets.load import preset
from presets.schema import Scenario
from ui import matrix_text, words
from ui.arrow import encoded
from ui.controls import aligned, decimals, widened
from ui.keys import tidy
from ui.picture import picture
from ui.session import number


@pytest.mark.parametrize(
    ("value", "above", "below"),
    [(0.5, 0.5, 0.5), (0.51, 1, 0.5), (3, 5, 2), (7, 10, 5), (10, 10, 10), (0.012, 0.02, 0.01)],
)
def test_round_numbers(value: float, above: float, below: float) -> None:
    assert rounded_up(value) == above
    assert round_down(value) == below


@given(some.floats(-100, 100))
@settings(deadline=None, max_examples=50)
def test_a_widened_range_holds_the_value_and_stays_within_the_limits(value: float) -> None:
    entry = about(Gate, "amplitude")
    lower, upper = widened(entry, value, 0.5)
    assert entry.lower <= lower <= value <= upper <= entry.upper
    assert lower == -upper
    assert widened(entry, 0.1, 0.5) == (-0.5, 0.5)


def test_a_window_widens_on_the_side_of_the_value_only() -> None:
    entry = about(Scenario, "depth")
    assert widened(entry, 64) == (4, 256)
    assert widened(entry, 300) == (4, 500)
    assert widened(entry, 3) == (2, 256)
    assert widened(entry, 4096) == (4, 4096)


@given(some.floats(-0.49, 0.49))
@settings(deadline=None, max_examples=50)
def test_an_aligned_range_has_the_value_on_a_step(value: float) -> None:
    lower, upper = aligned((-0.5, 0.5), 0.005, value)
    assert -0.5 <= lower <= value <= upper <= 0.5
    steps = (value - lower) / 0.005
    assert steps == pytest.approx(round(steps), abs=1e-5)
    assert aligned((lower, upper), 0.005, value + 0.005) == (lower, upper)


def test_fields_are_looked_through() -> None:
    assert about(Scenario, "window").lower == 2
    assert about(Gate, "refresh_period").ui.options == (1, 2, 4, 8, 16, 32)
    assert about(Injection, "gain").upper == 1000
    assert about(Injection, "alignment").choices[0] == "identity"
    assert about(Scenario, "depth").whole
    assert not about(Turning, "multipliers").whole


@given(some.floats(allow_nan=False, allow_infinity=False))
@settings(deadline=None, max_examples=50)
def test_typed_numbers_return_exactly(value: float) -> None:
    assert number(words.typed(value)) == value


@pytest.mark.parametrize(("value", "text"), [(3e-4, "3e-4"), (0.1, "0.1"), (8, "8"), (-7.0, "-7")])
def test_typed_numbers_read_well(value: float, text: str) -> None:
    assert words.typed(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(1e-3, "10⁻³"), (3e-4, "3×10⁻⁴"), (8, "8"), (0.1, "10⁻¹"), (None, "whole pass")]
)
def test_options_read_well(value: float | None, text: str) -> None:
    assert words.value(value) == text


def test_every_family_has_words() -> None:
    assert all(words.family(kind) for kind in FAMILIES)


@given(
    some.integers(1, 3).flatmap(
        lambda width: some.lists(
            some.lists(
                some.lists(some.floats(-9, 9), min_size=width, max_size=width), min_size=2, max_size=2
            ),
            min_size=2,
            max_size=3,
        )
    )
)
@settings(deadline=None, max_examples=30)
def test_matrices_return_exactly(layers: list[list[list[float]]]) -> None:
    assert matrix_text.from_text(matrix_text.to_text(layers)) == layers
    assert matrix_text.from_text(matrix_text.to_text(layers[0])) == layers[0]


def test_matrix_text_keeps_what_is_no_number() -> None:
    assert matrix_text.from_text("1, two\n3 4") == [[1, "two"], [3, 4]]
    assert matrix_text.from_text("") == []


def test_tidy_and_decimals() -> None:
    assert tidy(0.1 + 0.2) == 0.3
    assert [decimals(value) for value in (1.0, 0.25, 0.0731)] == [0, 2, 4]


def test_encoded_tables_arrive_whole_and_are_encoded_once() -> None:
    rows = Rows(x=[1.0, 2.0], word=["a", "ϱ"], bold=[True, False], tone="ink")
    read = pa.ipc.open_stream(io.BytesIO(encoded(rows))).read_all().to_pydict()
    assert read == {"x": [1.0, 2.0], "word": ["a", "ϱ"], "bold": [True, False], "tone": ["ink", "ink"]}
    assert encoded(rows) is encoded(rows)
    assert encoded(rows.having(tone="muted")) is not encoded(rows)


@pytest.mark.parametrize("slug", FIGURES)
def test_templates_are_plain_data_without_values(slug: str) -> None:
    for spec in map(FIGURES[slug].TEMPLATE.__getitem__, PALETTES):
        assert "values" not in json.dumps(spec.get("data", {}))


def test_open_loop_pictures_do_not_follow_the_gate() -> None:
    base = preset("turning-saddle")
    gate = Gate(amplitude=0.7, refresh_period=4, topology="ring", injection=Injection(angle=80))
    for slug in FIGURES:
        same = picture(slug, base) is picture(slug, base.model_copy(update={"gate": gate}))
        assert same == (depends_on(slug) is not None)
