"""What the gate map says: its caption, and what stands behind its question mark."""

import math

from figures.number import rate, toward_zero, typed
from figures.phrase import at_resolution, fitting, is_split, kept
from figures.read_me import ReadMe
from presets.gate_limit import GateLimit
from presets.ladder_quantities import Standing

READ_ME = ReadMe(
    formula=(
        r"u(\ell+1)=B(\ell)\,u(\ell)+\varrho\,D\psi\,u(\ell),\qquad "
        r"\text{limit: a multiplier of one closed period reaches } |\mu|=1"
    ),
    statement=(
        "Section 3 and Theorem 12. For a repeated layer or period the limits are roots of matrix pencils. "
        "For a finite stack the split counts as kept while the gap at its rank stays certified over windows "
        "of H layers. A saturating ψ with a bias is linearised at u*, followed from ϱ = 0, for the current "
        "setting alone."
    ),
    reading=(
        "Inside the solid lines the split of the open loop survives. Green: the best certificate. Dashed: "
        "the paper’s margin, while it is an estimate. The menu chooses what runs upwards; a click sets both "
        "ϱ and that. Refresh periods are lanes with nothing between them; other limits are "
        "joined from lane to lane. Limits are named by what happens there: static (a multiplier passes 1), "
        "flip (−1), oscillation (a pair leaves the circle). “Split changed” includes amplitudes where the "
        "count returns without being joined to ϱ = 0."
    ),
)


def said(
    limit: GateLimit,
    amplitude: float,
    where: str,
    inside: Standing,
    rank: int | None,
    width: int,
    cascade: bool,
) -> str:
    """Say for which amplitudes the split is kept, and where the current one stands.

    **Arguments:**

    - `limit`: the limits of the scenario.
    - `amplitude`: the current ϱ.
    - `where`: the current second parameter in words; empty when there is none.
    - `inside`: what has become of the split at the current ϱ.
    - `rank`, `width`: directions that grow in the open loop, and all of them.
    - `cascade`: whether blocks read only their left neighbour.
    """
    exact = limit.resolution is None
    if limit.status == "not-a-loop":
        return "The summary is never refreshed: no loop closes, so ϱ cannot change the split."
    if limit.negative is None or limit.positive is None:
        return "ψ has a bias, and u* is too long to follow here: no range is shown."
    if limit.negative == limit.positive:
        reason = "1 lies in the open-loop spectrum" if exact else "the open loop has no certified gap"
        return f"There is no split to keep: {reason}{at_resolution(limit.resolution)}."
    if cascade:
        return f"A cascade keeps its split at every ϱ; {_string(limit)}."
    place = f"At {where}" if where else "For this ψ"
    place += "" if exact else f", H = {limit.resolution},"
    range_kept = _range(limit.negative, limit.positive, limit.searched_to)
    words: dict[Standing, str] = {
        "certified": "certified",
        "kept": "inside",
        "changed": "outside",
        "undecided": "on a limit" if exact else "undecided",
        "lost": "beyond: u* is lost",
    }
    full = f"{place} {kept(rank, width)} {range_kept}"
    short = f"{place} kept {range_kept}" if is_split(rank, width) else full
    stand = f"; ϱ = {typed(amplitude)} is {words[inside]}."
    bare = f"{'For this scenario' if exact else f'At H = {limit.resolution}'} kept {range_kept}."
    return fitting(f"{full}{stand}", f"{short}{stand}", f"{full}.", f"{short}.", bare)


def _string(limit: GateLimit) -> str:
    if limit.string_limit is None:
        return "no string limit is defined here"
    if math.isinf(limit.string_limit):
        return "it never amplifies from block to block"
    return f"beyond |ϱ| = {toward_zero(limit.string_limit)} long chains amplify"


def _range(negative: float, positive: float, searched_to: float | None) -> str:
    """Write the amplitudes between the limits, and how far a search went where it found none."""
    lower, upper = math.isfinite(negative), math.isfinite(positive)
    searched = "" if searched_to is None else f" (searched to {rate(searched_to, 'down')})"
    if lower and upper:
        return f"for {toward_zero(negative)} < ϱ < {toward_zero(positive)}"
    if lower:
        return f"for ϱ > {toward_zero(negative)}{searched}"
    if upper:
        return f"for ϱ < {toward_zero(positive)}{searched}"
    return f"at every ϱ{searched}" if searched else "at every ϱ: no multiplier reaches the unit circle"
