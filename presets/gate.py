"""The slow path: gate amplitude ϱ, refresh period, topology and injection ψ."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from presets.family import Matrix
from presets.field import Integer, Model, Number, Ui, refusal


class Injection(Model):
    """ψ(u) = W u + b, or tanh(W u + b)."""

    kind: Literal["linear", "tanh"] = Field(
        default="linear", title="Injection ψ", description="ψ(u) = W u + b, or tanh(W u + b)."
    )
    matrix: Matrix | None = Field(
        default=None,
        title="Matrix W",
        description="W written out, d×d; used as it stands unless a gain is given.",
    )
    alignment: Literal["identity", "aligned", "angle", "random", "worst"] | None = Field(
        default=None, title="Direction of ψ", description="How W lies to the coordinates or to the split."
    )
    angle: Annotated[
        Number,
        Field(
            ge=-180,
            le=180,
            title="Angle θ of ψ",
            description="W ∝ cos θ·I + sin θ·J, J swapping coordinates 1↔2, 3↔4, …; an odd last one stays.",
        ),
        Ui(window=(0, 90), step=1, unit="°"),
    ] = 30.0
    gain: Annotated[Number, Field(ge=0, le=1e3), Ui(window=(0, 4), step=0.05)] | None = Field(
        default=None,
        title="Gain ‖W‖₂",
        description="W is scaled to this norm; by default 1, and no scaling for a matrix written out.",
    )
    bias: (
        Annotated[Number, Field(ge=-1e3, le=1e3)]
        | tuple[Annotated[Number, Field(ge=-1e3, le=1e3)], ...]
        | None
    ) = Field(
        default=None,
        title="Bias b",
        description="A list of d numbers, or one number b standing for b·(1,…,1)/√d.",
    )

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if self.matrix is not None and self.alignment is not None:
            raise refusal(
                "gate.injection.alignment", self.alignment, "give either a matrix or an alignment, not both"
            )
        if self.matrix is None and self.alignment is None:
            object.__setattr__(self, "alignment", "angle")
        if self.alignment is not None and self.gain is None:
            object.__setattr__(self, "gain", 1.0)
        return self


class Gate(Model):
    """The slow path: how strongly, how often and along which route the held summary returns."""

    amplitude: Annotated[
        Number,
        Field(
            ge=-100,
            le=100,
            title="Gate amplitude ϱ",
            description="How strongly the held summary is injected into every layer.",
        ),
        Ui(window=(-1, 1), step=0.005),
    ] = 0.1
    refresh_period: (
        Annotated[Integer, Field(ge=1, le=4096), Ui(options=(1, 2, 4, 8, 16, 32), unit="layers")] | None
    ) = Field(
        default=1,
        title="Refresh period Lᵣ",
        description="Layers for which the summary is held; null = held for the whole pass.",
    )
    topology: Literal["self", "ring", "cascade"] = Field(
        default="self",
        title="Topology",
        description="Whose summary a block reads: its own, or its left neighbour's in a ring or chain.",
    )
    injection: Injection = Injection()
