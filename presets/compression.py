"""The ways Π turns a block of tokens into one summary."""

import math
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from presets.field import Integer, Model, Number, Ui, refusal


class Mean(Model):
    """Summary = mean of the block."""

    kind: Literal["mean"] = "mean"


class Last(Model):
    """Summary = last token of the block (stride)."""

    kind: Literal["last"] = "last"


class First(Model):
    """Summary = first token of the block."""

    kind: Literal["first"] = "first"


class Select(Model):
    """Summary = weighted sum of chosen positions."""

    kind: Literal["select"] = "select"
    positions: tuple[Annotated[Integer, Field(ge=0, le=255)], ...] = Field(
        default=(0,),
        min_length=1,
        max_length=256,
        title="Positions",
        description="Positions in the block, counted from 0.",
    )
    weights: tuple[Annotated[Number, Field(ge=-1e3, le=1e3)], ...] = Field(
        default=(1.0,),
        min_length=1,
        max_length=256,
        title="Weights",
        description="One weight per position; they sum to 1.",
    )

    @model_validator(mode="after")
    def _weights_fit(self) -> Self:
        if len(self.weights) != len(self.positions):
            raise refusal(
                "compression.weights",
                len(self.weights),
                f"give {len(self.positions)} weights, one per position",
            )
        if len(set(self.positions)) != len(self.positions):
            raise refusal("compression.positions", self.positions, "every position may be named once")
        if not math.isclose(math.fsum(self.weights), 1.0, abs_tol=1e-9):
            raise refusal("compression.weights", math.fsum(self.weights), "the weights must sum to 1")
        return self


class Scored(Model):
    """Summary = softmax of frozen scores; temperature 0 picks the highest."""

    kind: Literal["scored"] = "scored"
    scores: tuple[Annotated[Number, Field(ge=-1e3, le=1e3)], ...] = Field(
        default=(0.0,),
        min_length=1,
        max_length=256,
        title="Scores",
        description="One score per position of the block.",
    )
    temperature: Annotated[
        Number,
        Field(
            ge=0, le=1e3, title="Temperature", description="0 selects the best position: not differentiable."
        ),
        Ui(window=(0, 4), step=0.05),
    ] = 1.0


class Multilevel(Model):
    """Summary = mean of means over nested groups."""

    kind: Literal["multilevel"] = "multilevel"
    levels: tuple[Annotated[Integer, Field(ge=1, le=256)], ...] = Field(
        default=(2, 4),
        min_length=1,
        max_length=8,
        title="Levels",
        description="Group sizes; their product is the block length.",
    )


COMPRESSIONS = {
    "mean": (Mean, "Mean"),
    "first": (First, "First token"),
    "last": (Last, "Last token (stride)"),
    "select": (Select, "Selected tokens"),
    "scored": (Scored, "Scored tokens"),
    "multilevel": (Multilevel, "Multilevel mean"),
}
"""Every compression with its class and its name in menus."""

Compression = Annotated[Mean | Last | First | Select | Scored | Multilevel, Field(discriminator="kind")]
