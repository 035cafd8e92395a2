"""What a schema field knows about itself: limits, label, unit, help and its slider's window."""

from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

from annotated_types import Ge, Le
from pydantic import BaseModel, ConfigDict, Strict
from pydantic.fields import FieldInfo
from pydantic_core import PydanticCustomError

Number = Annotated[float, Strict()]
"""A finite real number: no text, no truth value."""

Integer = Annotated[int, Strict()]
"""A whole number: no text, no truth value, no 3.0."""


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
    """Everything a control, a message or the documentation may say about one field."""

    label: str
    help: str
    lower: float | None
    upper: float | None
    ui: Ui
    info: FieldInfo


def about(model: type[BaseModel], name: str) -> About:
    """Read one field's label, help, limits and window back from its model."""
    info = model.model_fields[name]

    def first(kind: type, default: Any) -> Any:
        return next((entry for entry in info.metadata if isinstance(entry, kind)), default)

    lower, upper = first(Ge, None), first(Le, None)
    return About(
        label=info.title or name,
        help=info.description or "",
        lower=None if lower is None else lower.ge,
        upper=None if upper is None else upper.le,
        ui=first(Ui, Ui()),
        info=info,
    )


def refusal(path: str, value: object, reason: str) -> PydanticCustomError:
    """Build the error of a rule that spans several fields, naming the one to change."""
    return PydanticCustomError("refused", "{reason}", {"path": path, "value": value, "reason": reason})
