"""What a schema field knows about itself: limits, label, unit, help and its slider's window."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin

from annotated_types import Ge, Le
from pydantic import BaseModel, BeforeValidator, ConfigDict, Strict
from pydantic.fields import FieldInfo
from pydantic_core import PydanticCustomError

Number = Annotated[float, Strict()]
"""A finite real number: no text, no truth value."""


def _whole(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value


Integer = Annotated[int, Strict(), BeforeValidator(_whole)]
"""A whole number, 64 or 64.0: no text, no truth value, no fraction."""


class Model(BaseModel):
    """Base of every part of a scenario: frozen, closed to unknown keys, finite numbers only."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


@dataclass(frozen=True)
class Ui:
    """How a control shows a field, where that is narrower than what the field accepts.

    `window`: comfortable range of a slider, inside the field's limits; a value outside widens it.
    `options`: the values of a select slider. `unit`: shown beside the label.
    """

    window: tuple[float, float] | None = None
    step: float | None = None
    options: tuple[float, ...] | None = None
    unit: str = ""


class About(NamedTuple):
    """Everything a control, a message or the documentation may say about one setting, or one entry of a list.

    `label`, with its unit; `help`; `lower` and `upper` limits, infinite where there are none; `ui`;
    `whole` for integers; `choices` of a menu.
    """

    label: str
    help: str
    lower: float
    upper: float
    ui: Ui
    whole: bool
    choices: tuple[str, ...]

    @property
    def window(self) -> tuple[float, float]:
        """The slider's range when the value does not ask for more."""
        return self.ui.window or (self.lower, self.upper)

    def reaching(self, value: float) -> tuple[float, float]:
        """The window, or a 1-2-5 number beyond it that holds the value."""
        lower, upper = self.window
        if lower <= value <= upper:
            return lower, upper
        if value > upper:
            return lower, min(rounded_up(value), self.upper)
        return max(-rounded_up(-value) if value < 0 else round_down(value), self.lower), upper


def about(model: type[BaseModel], name: str) -> About:
    """Read a field back from its model; optional fields, lists and choices are looked through."""
    info = model.model_fields[name]
    found = [*info.metadata, *_metadata(info.annotation)]
    types = set(_types(info.annotation))
    ui = next((entry for entry in found if isinstance(entry, Ui)), Ui())
    return About(
        label=(info.title or name) + (f" ({ui.unit})" if ui.unit else ""),
        help=info.description or "",
        lower=next((_as_float(entry.ge) for entry in found if isinstance(entry, Ge)), -math.inf),
        upper=next((_as_float(entry.le) for entry in found if isinstance(entry, Le)), math.inf),
        ui=ui,
        whole=int in types and float not in types,
        choices=tuple(_choices(info.annotation)),
    )


def _as_float(limit: Any) -> float:
    return float(limit)


def _metadata(annotation: Any) -> Iterator[Any]:
    if get_origin(annotation) is Annotated:
        for entry in get_args(annotation)[1:]:
            yield from entry.metadata if isinstance(entry, FieldInfo) else [entry]
    if get_origin(annotation) is not Literal:
        for inner in get_args(annotation):
            yield from _metadata(inner)


def _types(annotation: Any) -> Iterator[type]:
    if isinstance(annotation, type) and not get_args(annotation):
        yield annotation
    for inner in get_args(annotation) if get_origin(annotation) is not Literal else ():
        yield from _types(inner)


def _choices(annotation: Any) -> Iterator[str]:
    if get_origin(annotation) is Literal:
        yield from get_args(annotation)
    else:
        for inner in get_args(annotation):
            yield from _choices(inner)


def rounded_up(value: float) -> float:
    """Round a positive number up to 1, 2 or 5 times a power of ten."""
    decade = 10.0 ** math.floor(math.log10(value))
    step = next(step for step in (1, 2, 5, 10) if step * decade >= value * (1 - 1e-12))
    return float(f"{step * decade:.0e}")


def round_down(value: float) -> float:
    """Return the largest of 1, 2, 5, 10, … (times a power of ten) that is at most a value; 0 for 0."""
    if value <= 0:
        return 0.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(tidy(factor * power) for factor in (5, 2, 1, 0.5) if factor * power <= value * (1 + 1e-12))


def tidy(value: float) -> float:
    """Remove the last binary digits that a slider's arithmetic leaves behind."""
    return float(f"{value:.12g}")


def refusal(path: str, value: object, reason: str) -> PydanticCustomError:
    """Build the error of a rule that spans several fields, naming the one to change."""
    return PydanticCustomError("refused", "{reason}", {"path": path, "value": value, "reason": reason})
