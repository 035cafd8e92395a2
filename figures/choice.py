"""A name that must be one of those known."""

from collections.abc import Iterable

from presets.load import Refused


def check_choice(what: str, given: str, known: Iterable[str]) -> None:
    """Raise `Refused` for a name that is not among those known."""
    if given not in known:
        raise Refused.one(what, given, f"is not a {what}; choose one of {', '.join(known)}")
