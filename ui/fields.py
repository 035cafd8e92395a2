"""A schema field as a control needs it: optional fields, lists and choices looked through."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin

from annotated_types import Ge, Le
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from presets.field import Ui, about


class Field(NamedTuple):
    """Label, help, limits, comfortable window and choices of one setting, or of one entry of a list."""

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


def field(model: type[BaseModel], name: str) -> Field:
    """Read a field of a schema model."""
    entry = about(model, name)
    found = [*entry.info.metadata, *_metadata(entry.info.annotation)]
    types = set(_types(entry.info.annotation))
    ui = next((part for part in found if isinstance(part, Ui)), Ui())
    unit = f" ({ui.unit})" if ui.unit else ""
    return Field(
        label=entry.label.replace("L_r", "Lᵣ") + unit,
        help=entry.help,
        lower=next((part.ge for part in found if isinstance(part, Ge)), float("-inf")),  # type: ignore[misc]
        upper=next((part.le for part in found if isinstance(part, Le)), float("inf")),  # type: ignore[misc]
        ui=ui,
        whole=int in types and float not in types,
        choices=tuple(_choices(entry.info.annotation)),
    )


def _metadata(annotation: Any) -> Iterator[Any]:
    if get_origin(annotation) is Annotated:
        for part in get_args(annotation)[1:]:
            yield from part.metadata if isinstance(part, FieldInfo) else [part]
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
