"""The scenario: everything a visitor may set, with its range, unit, label and help, written here once."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from presets import rules
from presets.compression import Compression, Mean
from presets.family import Family, Turning
from presets.field import Integer, Model, Number, Ui
from presets.gate import Gate


class Causal(Model):
    """Token t reads tokens 1…t of its block, each with weight 1/t."""

    kind: Literal["causal"] = "causal"


class Bidirectional(Model):
    """Every token reads its whole block evenly."""

    kind: Literal["bidirectional"] = "bidirectional"


class Leaky(Model):
    """Causal inside the block; a share of the attention is spread evenly over the blocks before."""

    kind: Literal["leaky"] = "leaky"
    leak: Annotated[
        Number,
        Field(
            ge=0, le=1, title="Leak ε", description="Share of its attention a token gives to earlier blocks."
        ),
        Ui(window=(0, 0.3), step=0.01),
    ] = 0.1


Kernel = Annotated[Causal | Bidirectional | Leaky, Field(discriminator="kind")]

KERNELS = {
    "causal": (Causal, "Causal"),
    "bidirectional": (Bidirectional, "Bidirectional"),
    "leaky": (Leaky, "Leaky: reads earlier blocks too"),
}


class Scenario(Model):
    """One complete setting of the explorer; the only state there is."""

    schema_number: Literal[1] = Field(
        default=1, alias="schema", title="Schema", description="Version of this format."
    )
    title: str = Field(default="", max_length=200, title="Title", description="Shown as text.")
    note: str = Field(default="", max_length=2000, title="Note", description="Shown as text.")
    depth: Annotated[
        Integer,
        Field(ge=1, le=4096, title="Depth L", description="Number of layers."),
        Ui(window=(4, 256), step=4, unit="layers"),
    ] = 64
    block_length: Annotated[
        Integer,
        Field(
            ge=1, le=256, title="Block length P", description="Tokens that are compressed into one summary."
        ),
        Ui(options=(1, 2, 4, 8, 16, 32, 64), unit="tokens"),
    ] = 8
    blocks: Annotated[
        Integer,
        Field(ge=1, le=64, title="Blocks K", description="Blocks in the sequence."),
        Ui(window=(1, 64), step=1),
    ] = 4
    tokens: Annotated[Integer, Field(ge=1, le=256 * 64), Ui(unit="tokens")] | None = Field(
        default=None,
        title="Tokens T",
        description="Length of the sequence; null = K·P. Less leaves the last block ragged.",
    )
    kernel: Kernel = Causal()
    family: Family = Turning()
    compression: Compression = Mean()
    gate: Gate = Gate()
    window: Annotated[Integer, Field(ge=2, le=4096), Ui(window=(2, 128), step=1, unit="layers")] | None = (
        Field(
            default=None,
            title="Resolution H",
            description="Layers over which growth is averaged; null = chosen from the depth.",
        )
    )
    tolerance: Annotated[
        Number,
        Field(
            ge=1e-12, le=1, title="Tolerance", description="Token differences below this count as washed out."
        ),
        Ui(options=(1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1)),
    ] = 1e-3
    seed: Annotated[
        Integer,
        Field(ge=0, le=2**31 - 1, title="Seed", description="For a random injection."),
        Ui(window=(0, 100), step=1),
    ] = 0

    @model_validator(mode="after")
    def _fields_fit(self) -> Self:
        rules.check(self)
        return self
