"""The report's shape: every number of a scenario, key by key."""

from typing import Literal

from pydantic import Field

from engine.ladder import Name
from presets.field import Model
from presets.schema import Scenario

Extended = float | Literal["inf", "-inf"]
"""A number, or an infinity written as text."""

Crossing = Literal["+1", "-1", "complex", "gap-lost", "none"]


class Interval(Model):
    """One interval of growth factors per layer."""

    lower: float
    upper: float
    multiplicity: int
    whisker: tuple[float, float] | None = Field(description="The edges at resolution ⌊H/2⌋; null when exact.")


class SpectrumReport(Model):
    """The dichotomy spectrum, largest growth first."""

    method: Literal["exact-tied", "exact-periodic", "window"]
    resolution: int | None = Field(description="Layers H the growth is averaged over; null when exact.")
    intervals: list[Interval]
    verdict: Literal["hyperbolic", "contains-one", "undecided"]
    certified: bool = Field(description="True when exact, or proved by the block gap at this resolution.")
    persistent_rank: int | None = Field(description="Directions that grow; null unless hyperbolic.")
    gap: tuple[Extended, Extended] | None = Field(description="Certified edges around 1, per layer.")


class DichotomyReport(Model):
    """Rates and constants of the split; an absent branch has no rate and an infinite margin."""

    status: Literal["ok", "no-split"]
    rank: int | None = Field(description="Directions that grow; null without a split.")
    decay_rate: float | None = Field(description="r₋ < 1 per layer, chosen with r₊ for the best Green bound.")
    growth_rate: float | None = Field(description="r₊ > 1 per layer.")
    decay_margin: Extended = Field(description="1 − r₋.")
    growth_margin: Extended = Field(description="r₊ − 1.")
    constant_decay: Extended = Field(description="C₋ at r₋; 0 for an absent branch, inf without a split.")
    constant_growth: Extended = Field(description="C₊ at r₊; likewise.")
    constant: Extended = Field(description="The larger of the two.")


class SaturationReport(Model):
    """When token differences inside a block have washed out. Depths in layers; null = not reached."""

    tolerance: float
    status: Literal["reached", "not-reached", "trivial"]
    measured: int | None = Field(
        description="First layer from which the token-sup norm stays within tolerance."
    )
    first_crossing: int | None = Field(description="First layer at which it is within tolerance at all.")
    relative_status: Literal["reached", "not-reached", "trivial"]
    measured_relative: int | None = Field(description="The same, relative to the shared sector.")
    measured_l2: int | None = Field(description="The same for the ℓ² operator norm.")
    peak: Extended = Field(description="Largest token-sup norm over depth.")
    paper_bound: int | None = Field(
        description="⌈log(κ C_f/tolerance)/log(1/r_f)⌉; null when r_f ≥ 1, or under a leak."
    )
    norm_certificate: int | None = Field(
        description="Depth proved by layer norms, for the token-sup norm; null = not reached."
    )
    disc_certificate: int | None = Field(
        description="Depth proved on a disc of kernel eigenvalues, for the ℓ² norm; null = not reached."
    )
    kappa: Extended | None = Field(
        description="Condition of the kernel's eigenvector matrix; null under a leak, which has no sectors."
    )
    fluctuation_rate: float = Field(description="r_f: largest growth over sectors j ≥ 2, per layer.")
    fluctuation_constant: Extended = Field(description="C_f: transient overshoot of those sectors.")
    gap_product: float = Field(description="r_f times the largest growth of the shared sector.")


class DualityReport(Model):
    """What compressing a block before the last layer costs, relative to the shared flow |Φ₁(L,0)|."""

    compression: str
    relative_error_from_input: Extended | None = Field(
        description="E(0,L): compressed at the input. Null under a leak."
    )
    relative_error_from_saturation: Extended | None = Field(
        description="E(τ,L): compressed at τ. Null when τ is not reached, or under a leak."
    )


class Limit(Model):
    """The gate limit on one side."""

    value: Extended | None
    crossing: Crossing


class BoundaryReport(Model):
    """The smallest amplitude of each sign at which the closed loop loses its split."""

    status: Literal["complete", "searched", "needs-trajectory", "not-a-loop"]
    searched_to: float | None
    resolution: int | None = Field(description="Layers H for a window; null when exact.")
    negative: Limit
    positive: Limit


class MarginsReport(Model):
    """Factors the current amplitude may be multiplied by before the count of growing directions changes."""

    gain_down: Extended
    gain_up: Extended


class CertificateReport(Model):
    """The largest proved limit on |ϱ|, and the bound it comes from."""

    value: Extended
    name: Name | None = Field(description="Null when nothing is certified, as there is no split.")


class GateReport(Model):
    """How far the gate can open."""

    amplitude: float
    lipschitz: float = Field(description="‖W‖₂ of the injection.")
    paper_estimate: Extended = Field(
        description="min(m₋, m₊)/(C·lipschitz): proved when A7 holds, else an estimate."
    )
    green_bound: Extended = Field(description="Certified |ϱ|: 1/(lipschitz·C(1/m₋ + 1/m₊)).")
    green_bound_split: Extended = Field(description="The same with C₋ and C₊ apart.")
    roughness_bound: Extended = Field(description="Certified |ϱ| by Battelli, Franca and Palmer.")
    green_norm_bound: Extended = Field(description="Certified |ϱ| by the block sum of the Green operator.")
    radius_bound: Extended | None = Field(
        description="Certified |ϱ| by the ℓ² radius; null for a window or a held summary."
    )
    best_certificate: CertificateReport
    boundary: BoundaryReport
    string_limit: Extended | None = Field(
        description="Cascade: amplitude above which a long chain amplifies; null unless nothing persists."
    )
    closed_spectrum: SpectrumReport | None = Field(description="Spectrum at the current amplitude.")
    inside: Literal["certified", "kept", "changed", "undecided"]
    margins: MarginsReport | None


class TrajectoryReport(Model):
    """The bounded state the gated stack settles on, followed from ϱ = 0; null where it is not known."""

    status: Literal["converged", "failed"] = Field(
        description="Failed when it was lost on the way, or when there is no split."
    )
    displacement: Extended | None = Field(description="sup ‖P₊u*‖, ends of a window left out.")
    slope: Extended | None = Field(description="Derivative of the displacement at ϱ = 0.")
    size: Extended | None = Field(description="sup ‖u*‖.")
    contraction: Extended | None = Field(description="|ϱ|·lipschitz·(block-sum norm); below 1 it proves u*.")


class AssumptionReport(Model):
    """One assumption of the paper, checked on this scenario."""

    name: str
    status: Literal["holds", "fails", "undecided", "not-applicable", "hypothesis"]
    value: Extended | None
    text: str


class Report(Model):
    """Everything the explorer computes for one scenario. Open loop unless it says closed."""

    version: str
    device: str
    precision: str
    scenario: Scenario
    spectrum: SpectrumReport
    finite_time_growth: list[float] = Field(description="σ_i(Φ(L,0))^(1/L), largest first.")
    dichotomy: DichotomyReport
    saturation: SaturationReport
    gate: GateReport
    trajectory: TrajectoryReport
    duality: DualityReport
    assumptions: list[AssumptionReport]
