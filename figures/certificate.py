"""What the certificates of the gate are called, everywhere in the app."""

from engine.ladder import Certificate, Name
from figures.number import rate

CERTIFICATES: dict[Name, str] = {
    "green_bound": "Green bound with one constant",
    "green_bound_split": "Green bound",
    "roughness_bound": "roughness theorem",
    "green_norm_bound": "Green sum",
    "radius_bound": "ℓ² radius",
}
"""Names in running text, after “the”."""


def certified(best: Certificate) -> str:
    """Say up to which |ϱ| the best certificate reaches, and which it is."""
    return f"the {CERTIFICATES[best.name]} certifies |ϱ| < {rate(best.value, 'down')}"
