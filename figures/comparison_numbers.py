"""The numbers that scenarios are compared by: where the report has them, and how each is written."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from figures.number import Direction, rate, significant, typed
from figures.phrase import CROSSINGS
from presets.report_schema import Extended, Report


class Quantity(NamedTuple):
    """One number of a report.

    **Fields:**

    - `label`: what it is, with its unit.
    - `read`: the number; text where the report has a word; None where it does not exist.
    - `write`: how a number is written.
    - `missing`: why there is none, in words.
    """

    label: str
    read: Callable[[Report], float | str | None]
    write: Callable[[float], str] = rate
    missing: Callable[[Report], str] = lambda _: "none"


def number(value: Extended | None) -> float | None:
    """Read a number of the report, infinities included."""
    return value if value is None or isinstance(value, int | float) else float(value)


def _number(path: str) -> Callable[[Report], float | str | None]:
    """Read the number at a dotted path of the report."""

    def read(found: Report) -> float | None:
        value: Any = found
        for name in path.split("."):
            value = None if value is None else getattr(value, name)
        return number(value)

    return read


def _say(words: str) -> Callable[[Report], str]:
    return lambda _: words


def _layer(value: float) -> str:
    return f"layer {int(value)}"


def _whole(value: float) -> str:
    return str(int(value))


def _unsaturated(found: Report) -> str:
    return f"not reached within {found.scenario.depth} layers"


def _bound(found: Report) -> str:
    """Say why the paper gives no bound on the depth."""
    if found.saturation.kappa is None:
        return "none under a leak"
    return "none, as r_f ≥ 1" if found.saturation.fluctuation_rate >= 1 else "none, as C_f = ∞"


def _gap(side: int) -> Callable[[Report], float | None]:
    return lambda found: None if found.spectrum.gap is None else number(found.spectrum.gap[side])


def _limit(side: str, direction: Direction) -> Quantity:
    """Read the true limit of one sign of ϱ, written so that every ϱ inside the text is inside the limit."""

    def read(found: Report) -> float | None:
        return number(getattr(found.gate.boundary, side).value)

    label = f"true limit of ϱ, {side}"
    return Quantity(label, read, partial(rate, direction=direction), _say("needs the trajectory"))


def _crossings(found: Report) -> str:
    """Name what happens at both limits."""
    edge = found.gate.boundary
    return " / ".join(CROSSINGS[end.crossing] for end in (edge.negative, edge.positive))


def _branch(verb: str) -> Callable[[Report], str]:
    """Say why a branch of the split has no rate."""
    return lambda found: "no split" if found.dichotomy.status == "no-split" else f"none {verb}"


def _verdict(found: Report) -> str:
    """Name what the spectrum says of a split."""
    rank, width = found.spectrum.persistent_rank, found.scenario.family.width
    if found.spectrum.verdict == "hyperbolic" and rank in (0, width):
        return "nothing decays" if rank else "nothing persists"
    return _VERDICTS[found.spectrum.verdict]


def _string(found: Report) -> str:
    """Say why there is no string limit."""
    return "no cascade" if found.scenario.gate.topology != "cascade" else "none, as not everything decays"


def _early(found: Report) -> str:
    """Say why compressing at τ has no error."""
    return "none under a leak" if found.scenario.kernel.kind == "leaky" else "τ not reached"


_VERDICTS = {"hyperbolic": "split", "contains-one": "1 lies in the spectrum", "undecided": "undecided"}
_NO_SPLIT = _say("no split")
_NO_GAP = _say("no gap")
_LOST = _say("u* not found")

GROUPS: dict[str, tuple[Quantity, ...]] = {
    "Tokens": (
        Quantity("saturation depth τ, measured", _number("saturation.measured"), _layer, _unsaturated),
        Quantity(
            "τ relative to the shared sector", _number("saturation.measured_relative"), _layer, _unsaturated
        ),
        Quantity("τ in the ℓ² norm", _number("saturation.measured_l2"), _layer, _unsaturated),
        Quantity("paper’s bound on τ, C′ = 1", _number("saturation.paper_bound"), _layer, _bound),
        Quantity("τ proved by layer norms", _number("saturation.norm_certificate"), _layer, _unsaturated),
        Quantity("τ proved on a disc (ℓ²)", _number("saturation.disc_certificate"), _layer, _unsaturated),
        Quantity("largest token difference", _number("saturation.peak"), significant),
        Quantity("slowest difference r_f, per layer", _number("saturation.fluctuation_rate")),
        Quantity("overshoot C_f", _number("saturation.fluctuation_constant"), significant),
        Quantity("r_f × largest growth (A5 below 1)", _number("saturation.gap_product")),
    ),
    "Spectrum": (
        Quantity("verdict", _verdict),
        Quantity("resolution H, layers", _number("spectrum.resolution"), _whole, _say("exact")),
        Quantity("directions that grow", _number("spectrum.persistent_rank"), _whole, _NO_SPLIT),
        Quantity("decaying edge, per layer", _gap(0), rate, _NO_GAP),
        Quantity("growing edge, per layer", _gap(1), rate, _NO_GAP),
        Quantity("decay rate r₋, per layer", _number("dichotomy.decay_rate"), rate, _branch("decays")),
        Quantity("growth rate r₊, per layer", _number("dichotomy.growth_rate"), rate, _branch("grows")),
        Quantity("constant C", _number("dichotomy.constant"), significant),
    ),
    "Gate": (
        Quantity("amplitude ϱ", _number("gate.amplitude"), typed),
        Quantity("at this ϱ the split is", lambda found: found.gate.inside),
        Quantity(
            "best certificate for |ϱ|",
            _number("gate.best_certificate.value"),
            partial(rate, direction="down"),
        ),
        Quantity("paper’s estimate for |ϱ|", _number("gate.paper_estimate"), partial(rate, direction="down")),
        _limit("negative", "up"),
        _limit("positive", "down"),
        Quantity("what happens there (− / +)", _crossings),
        Quantity("gain may fall to ×", _number("gate.margins.gain_down"), significant, _say("not known")),
        Quantity("gain may rise to ×", _number("gate.margins.gain_up"), significant, _say("not known")),
        Quantity(
            "string limit of a cascade, |ϱ|",
            _number("gate.string_limit"),
            partial(rate, direction="down"),
            _string,
        ),
    ),
    "Trajectory": (
        Quantity("displacement sup ‖P₊u*‖", _number("trajectory.displacement"), significant, _LOST),
        Quantity("its slope at ϱ = 0", _number("trajectory.slope"), significant, _LOST),
        Quantity("size sup ‖u*‖", _number("trajectory.size"), significant, _LOST),
        Quantity(
            "contraction (proves u* below 1)",
            _number("trajectory.contraction"),
            significant,
            _LOST,
        ),
    ),
    "Compression": (
        Quantity(
            "error when compressed at the input",
            _number("duality.relative_error_from_input"),
            significant,
            _early,
        ),
        Quantity(
            "error when compressed at τ",
            _number("duality.relative_error_from_saturation"),
            significant,
            _early,
        ),
    ),
}
"""The numbers by group, in the order of the report."""
