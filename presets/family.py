"""The generator families: how M(ℓ) and V(ℓ) of every layer are described by a few numbers."""

import math
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from presets.field import Integer, Model, Number, Ui, refusal

LARGEST_WIDTH = 64
LARGEST_PERIOD = 4096

Entry = Annotated[Number, Field(ge=-1e6, le=1e6)]
Row = Annotated[tuple[Entry, ...], Field(min_length=1, max_length=LARGEST_WIDTH)]
Matrix = Annotated[tuple[Row, ...], Field(min_length=1, max_length=LARGEST_WIDTH)]
Matrices = Annotated[tuple[Matrix, ...], Field(min_length=1, max_length=LARGEST_PERIOD)]
Growth = Annotated[Number, Field(ge=-100, le=100)]
Growths = Annotated[tuple[Growth, ...], Field(min_length=1, max_length=LARGEST_WIDTH)]

Multipliers = Annotated[
    Growths,
    Field(
        title="Multipliers b", description="Growth factors of the layer map B, one per direction, per layer."
    ),
    Ui(window=(-1.5, 1.5), step=0.01, unit="per layer"),
]
ValueParts = Annotated[
    Growths,
    Field(title="Value part v", description="What attention moves (V), one entry per direction, per layer."),
    Ui(window=(-1.5, 1.5), step=0.01, unit="per layer"),
]
ValuePart = Annotated[
    Growth,
    Field(title="Value part v", description="What attention moves: V = v·I, per layer."),
    Ui(window=(-1.5, 1.5), step=0.01, unit="per layer"),
]
Shear = Annotated[
    Number,
    Field(
        ge=-1000,
        le=1000,
        title="Shear",
        description="Coupling between neighbouring directions; makes the map non-normal.",
    ),
    Ui(window=(-4, 4), step=0.05),
]
Seed = Annotated[
    Integer,
    Field(
        ge=0, le=2**31 - 1, title="Seed", description="Draws the random numbers of this stack (NumPy PCG64)."
    ),
    Ui(window=(0, 100), step=1),
]


def _same_length(name: str, values: tuple[float, ...], other: str, width: int) -> None:
    if len(values) != width:
        reason = f"{name} has {len(values)} entries and {other} {width}; give one per direction"
        raise refusal(f"family.{name}", len(values), reason)


class Explicit(Model):
    """Matrices written out: one d×d pair, or one per layer of a period or window."""

    kind: Literal["explicit"] = "explicit"
    mixing: Matrix | Matrices = Field(
        default=((-0.5, 1.0), (0.0, -0.2)),
        title="Mixing M",
        description="Token-wise Jacobian of a layer: d×d, or one d×d per layer.",
    )
    value: Matrix | Matrices = Field(
        default=((0.2, 0.0), (0.0, 0.3)),
        title="Value V",
        description="Value-path Jacobian of a layer: d×d, or one d×d per layer.",
    )
    repeat: bool | None = Field(
        default=None,
        title="Repeat for ever",
        description="Yes: one period of an infinite stack. No: a window of a stack that never repeats.",
    )

    @model_validator(mode="after")
    def _square_and_equal(self) -> Self:
        width = self.width
        for name in ("mixing", "value"):
            for matrix in self.sequence(name):
                if len(matrix) != width or any(len(row) != width for row in matrix):
                    raise refusal(
                        f"family.{name}",
                        f"{len(matrix)}×{len(matrix[0])}",
                        f"every matrix must be {width}×{width}",
                    )
        lengths = {len(self.sequence(name)) for name in ("mixing", "value")}
        if self.repeat is False and len(lengths - {1}) > 1:
            raise refusal("family.value", sorted(lengths), "a window needs as many mixing as value matrices")
        if self.period > LARGEST_PERIOD:
            raise refusal("family.value", self.period, f"the joint period must be at most {LARGEST_PERIOD}")
        return self

    def sequence(self, name: str) -> tuple[Matrix, ...]:
        """Return `mixing` or `value` as a list of matrices, of length one when written as a single matrix."""
        entry = getattr(self, name)
        return entry if isinstance(entry[0][0], tuple) else (entry,)

    @property
    def width(self) -> int:
        """Feature dimension d."""
        return len(self.sequence("mixing")[0])

    @property
    def period(self) -> int:
        """Layers after which M and V both repeat."""
        return math.lcm(len(self.sequence("mixing")), len(self.sequence("value")))


class Tied(Model):
    """One layer repeated: V = diag(v), M = diag(b − 1 − v) + shear·superdiagonal."""

    kind: Literal["tied"] = "tied"
    multipliers: Multipliers = (1.1, 0.5)
    value: ValueParts = (1.0, 0.4)
    shear: Shear = 0.5

    @model_validator(mode="after")
    def _lengths(self) -> Self:
        _same_length("value", self.value, "multipliers", len(self.multipliers))
        return self

    @property
    def width(self) -> int:
        """Feature dimension d."""
        return len(self.multipliers)


class Rotation(Model):
    """A sheared rotation repeated: B = modulus·S R(angle) S⁻¹, V = v·I."""

    kind: Literal["rotation"] = "rotation"
    modulus: Annotated[
        Number,
        Field(ge=0, le=100, title="Modulus", description="Growth factor per layer of the rotating pair."),
        Ui(window=(0, 1.5), step=0.01, unit="per layer"),
    ] = 0.95
    angle: Annotated[
        Number,
        Field(ge=-math.pi, le=math.pi, title="Angle", description="Rotation per layer."),
        Ui(window=(-3.1, 3.1), step=0.05, unit="rad per layer"),
    ] = 0.4
    shear: Shear = 0.5
    value: ValuePart = 0.5

    @property
    def width(self) -> int:
        """Feature dimension d."""
        return 2


class Turning(Model):
    """A quasi-periodic stack with known growth factors b, seen in a frame that turns with depth."""

    kind: Literal["turning"] = "turning"
    multipliers: Multipliers = (1.15, 0.7, 0.52, 0.25)
    value: ValueParts = (0.62, 0.3, 0.2, 0.1)
    turn: Annotated[
        Number,
        Field(
            ge=-math.pi,
            le=math.pi,
            title="Frame turn",
            description="How far the split turns from one layer to the next.",
        ),
        Ui(window=(0, 0.5), step=0.01, unit="rad per layer"),
    ] = 0.11
    modulation: Annotated[
        Number,
        Field(
            ge=0,
            le=2,
            title="Rate modulation β",
            description="Strength of the quasi-periodic change of all growth factors.",
        ),
        Ui(window=(0, 0.3), step=0.01),
    ] = 0.07
    skew: Annotated[
        Number,
        Field(
            ge=-10,
            le=10,
            title="Skew",
            description="Tilts the directions against each other (3→1, 4→2): non-normal layers.",
        ),
        Ui(window=(0, 2), step=0.05),
    ] = 0.5

    @model_validator(mode="after")
    def _lengths(self) -> Self:
        _same_length("value", self.value, "multipliers", len(self.multipliers))
        return self

    @property
    def width(self) -> int:
        """Feature dimension d."""
        return len(self.multipliers)


class Switching(Model):
    """A scalar stack that switches between two growth factors in longer and longer blocks; V = 0."""

    kind: Literal["switching"] = "switching"
    up: Annotated[
        Growth,
        Field(title="Up factor", description="Growth factor of the first kind of block."),
        Ui(window=(0, 8), step=0.1, unit="per layer"),
    ] = 2.0
    down: Annotated[
        Growth,
        Field(title="Down factor", description="Growth factor of the second kind of block."),
        Ui(window=(0, 8), step=0.1, unit="per layer"),
    ] = 0.5
    pattern: Literal["doubling", "linear"] = Field(
        default="doubling", title="Pattern", description="Block lengths 1, 2, 4, … or 1, 1, 2, 2, 3, 3, …"
    )

    @property
    def width(self) -> int:
        """Feature dimension d."""
        return 1


class AlmostMathieu(Model):
    """Transfer matrices of the almost Mathieu operator at a given energy; V = 0."""

    kind: Literal["almost_mathieu"] = "almost_mathieu"
    coupling: Annotated[
        Number,
        Field(ge=-100, le=100, title="Coupling λ", description="Strength of the quasi-periodic potential."),
        Ui(window=(0, 4), step=0.1),
    ] = 2.0
    energy: Annotated[
        Number,
        Field(
            ge=-1000,
            le=1000,
            title="Energy E",
            description="0 lies in the operator's spectrum; 6 in a true gap.",
        ),
        Ui(window=(-8, 8), step=0.1),
    ] = 0.0
    phase: Annotated[
        Number,
        Field(ge=0, le=1, title="Phase", description="Where the potential starts, in turns."),
        Ui(window=(0, 1), step=0.01, unit="turns"),
    ] = 0.0

    @property
    def width(self) -> int:
        """Feature dimension d."""
        return 2


class Random(Model):
    """Independent random layers: M = mean·I + scale·N/√d, V the same with its own numbers."""

    kind: Literal["random"] = "random"
    width: Annotated[
        Integer,
        Field(ge=1, le=LARGEST_WIDTH, title="Width d", description="Feature dimension."),
        Ui(window=(1, 16), step=1),
    ] = 4
    mean: Annotated[
        Growth,
        Field(title="Mean of M", description="Diagonal of every M."),
        Ui(window=(-1.5, 0.5), step=0.01, unit="per layer"),
    ] = -0.5
    scale: Annotated[
        Number,
        Field(
            ge=0, le=100, title="Spread of M", description="Standard deviation of M's random part, times √d."
        ),
        Ui(window=(0, 1), step=0.01, unit="per layer"),
    ] = 0.2
    value_mean: Annotated[
        Growth,
        Field(title="Mean of V", description="Diagonal of every V."),
        Ui(window=(-0.5, 1.5), step=0.01, unit="per layer"),
    ] = 0.4
    value_scale: Annotated[
        Number,
        Field(
            ge=0, le=100, title="Spread of V", description="Standard deviation of V's random part, times √d."
        ),
        Ui(window=(0, 1), step=0.01, unit="per layer"),
    ] = 0.2
    seed: Seed = 0


class Drifting(Model):
    """Growth factors that move linearly with depth from `start` to `end`."""

    kind: Literal["drifting"] = "drifting"
    start: Annotated[
        Growths,
        Field(title="Multipliers at the input", description="Growth factors of the first layer."),
        Ui(window=(-1.5, 1.5), step=0.01),
    ] = (1.3, 0.5)
    end: Annotated[
        Growths,
        Field(title="Multipliers at the output", description="Growth factors of the last layer."),
        Ui(window=(-1.5, 1.5), step=0.01),
    ] = (1.05, 0.8)
    value: ValueParts = (0.9, 0.3)
    shear: Shear = 0.5

    @model_validator(mode="after")
    def _lengths(self) -> Self:
        _same_length("end", self.end, "start", len(self.start))
        _same_length("value", self.value, "start", len(self.start))
        return self

    @property
    def width(self) -> int:
        """Feature dimension d."""
        return len(self.start)


class Looped(Model):
    """A looped linear time-invariant stack: B = diag(exp(−e^a Δ)); everything decays."""

    kind: Literal["looped"] = "looped"
    log_rate: Annotated[
        tuple[Annotated[Number, Field(ge=-20, le=20)], ...],
        Field(
            min_length=1,
            max_length=LARGEST_WIDTH,
            title="Log rates a",
            description="Decay rate of each direction is e^a.",
        ),
        Ui(window=(-4, 2), step=0.1),
    ] = (-2.0, -1.0, 0.0)
    step: Annotated[
        Number,
        Field(ge=0, le=100, title="Step Δ", description="Time one loop covers."),
        Ui(window=(0, 2), step=0.05),
    ] = 1.0
    value: ValueParts = (0.4, 0.3, 0.2)

    @model_validator(mode="after")
    def _lengths(self) -> Self:
        _same_length("value", self.value, "log_rate", len(self.log_rate))
        return self

    @property
    def width(self) -> int:
        """Feature dimension d."""
        return len(self.log_rate)


class Transformer(Model):
    """A true Pre-LN transformer block, linearised along its own homogeneous trajectory."""

    kind: Literal["transformer"] = "transformer"
    width: Annotated[
        Integer,
        Field(ge=1, le=LARGEST_WIDTH, title="Width d", description="Feature dimension."),
        Ui(window=(2, 16), step=1),
    ] = 8
    heads: Annotated[
        Integer,
        Field(ge=1, le=LARGEST_WIDTH, title="Heads", description="Attention heads; must divide the width."),
        Ui(options=(1, 2, 4, 8)),
    ] = 2
    kv_heads: Annotated[
        Integer,
        Field(
            ge=1,
            le=LARGEST_WIDTH,
            title="Key–value heads",
            description="Groups that share keys and values; must divide the heads.",
        ),
        Ui(options=(1, 2, 4, 8)),
    ] = 1
    hidden: Annotated[
        Integer,
        Field(ge=1, le=256, title="Hidden width", description="Width of the MLP's middle layer."),
        Ui(options=(8, 16, 32, 64)),
    ] = 16
    norm: Literal["rms", "layer"] = Field(
        default="rms", title="Norm", description="RMSNorm or LayerNorm before each sub-layer."
    )
    activation: Literal["gelu", "swiglu"] = Field(
        default="swiglu", title="Activation", description="GELU, or SwiGLU with its gate."
    )
    order: Literal["sequential", "parallel"] = Field(
        default="sequential", title="Order", description="MLP after attention, or both side by side."
    )
    attention_scale: Annotated[
        Number,
        Field(ge=0, le=100, title="Attention scale", description="Multiplies the attention output weights."),
        Ui(window=(0, 3), step=0.05),
    ] = 1.0
    mlp_scale: Annotated[
        Number,
        Field(ge=0, le=100, title="MLP scale", description="Multiplies the MLP output weights."),
        Ui(window=(0, 3), step=0.05),
    ] = 1.0
    tied: bool = Field(
        default=False,
        title="Tied weights",
        description="Every layer uses the same weights (the state still moves).",
    )
    seed: Seed = 0

    @model_validator(mode="after")
    def _divide(self) -> Self:
        if self.width % self.heads:
            raise refusal("family.heads", self.heads, f"must divide the width {self.width}")
        if self.heads % self.kv_heads:
            raise refusal("family.kv_heads", self.kv_heads, f"must divide the number of heads {self.heads}")
        return self


Family = Annotated[
    Explicit
    | Tied
    | Rotation
    | Turning
    | Switching
    | AlmostMathieu
    | Random
    | Drifting
    | Looped
    | Transformer,
    Field(discriminator="kind"),
]

FAMILIES: dict[str, tuple[type[Model], str]] = {
    "turning": (Turning, "Turning frame"),
    "tied": (Tied, "Tied (one layer repeated)"),
    "rotation": (Rotation, "Rotation (tied)"),
    "looped": (Looped, "Looped LTI (tied)"),
    "random": (Random, "Random layers"),
    "drifting": (Drifting, "Drifting growth"),
    "transformer": (Transformer, "Pre-LN transformer block"),
    "switching": (Switching, "Switching (scalar)"),
    "almost_mathieu": (AlmostMathieu, "Almost Mathieu"),
    "explicit": (Explicit, "Explicit matrices"),
}
"""Every family that can be chosen, with the name its menu shows."""
