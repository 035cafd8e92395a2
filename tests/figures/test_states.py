"""Every special value is reached by its scenario, drawn, and said in its own words."""

import numpy as np
import pytest

from figures.verdict import verdict
from presets import quantities
from tests.figures.saying import said
from tests.figures.scenarios import STATES

SAID: list[tuple[str, str, str]] = [
    ("not reached", "saturation-depth", "not reached within 12 layers ▸"),
    ("bound off scale", "saturation-depth", "paper bound, C′ = 1: 47 (off scale)"),
    ("no limit", "gate-map", "kept at every ϱ: no multiplier reaches the unit circle"),
    ("no limit found", "gate-map", "for ϱ > −0.078 (searched to 2.007)"),
    ("contains 1", "dichotomy-spectrum", "0.902–1.171, contains 1"),
    ("contains 1", "gate-map", "no split to keep"),
    ("1 is a point", "dichotomy-spectrum", "1.000 (point), contains 1"),
    (
        "undecided",
        "dichotomy-spectrum",
        "Undecided at H = 8: neither a gap around 1 nor 1 itself is certified",
    ),
    ("two in one point", "dichotomy-spectrum", "0.500 (point, ×2)"),
    ("singular layer in a window", "dichotomy-spectrum", "◂ 0 to 0.360 (singular layer)"),
    ("nothing persists", "dichotomy-spectrum", "Nothing persists: the largest growth is 0.800"),
    ("everything persists", "dichotomy-spectrum", "Nothing decays: the smallest growth is 1.200"),
    ("trivial", "saturation-depth", "τ = 0 (trivial: tolerance above the start)"),
    ("overflow at layer 155", "saturation-depth", "Not below 10⁻³ for good within 160 layers"),
    ("one token per block", "saturation-depth", "One token per block: nothing to wash out."),
]


def test_every_state_is_looked_at():
    assert {state for state, _, _ in SAID} == set(STATES)


@pytest.mark.parametrize(("state", "slug", "words"), SAID)
def test_a_state_is_said_in_its_words(state: str, slug: str, words: str):
    shown = said(slug, STATES[state])
    assert any(words in text for text in shown), shown


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("contains 1", "1 lies in the spectrum at H = 8"),
        ("undecided", "undecided at H = 8"),
        ("nothing persists", "nothing persists"),
        ("everything persists", "everything persists"),
        ("one token per block", "One token per block"),
    ],
)
def test_the_verdict_names_the_state(state: str, words: str):
    assert words in verdict(STATES[state])


def test_a_stack_beyond_the_largest_double_stays_finite():
    scenario = STATES["overflow at layer 155"]
    norms = quantities.sector_norms(scenario).log_norms
    largest = np.log(np.finfo(np.float64).max)
    assert int(np.flatnonzero(norms[0] > largest)[0]) == 155
    assert np.isfinite(norms).all()
    assert quantities.saturation_depth(scenario).peak == np.inf
