"""Long settings, such as matrices, packed into few characters of a link, and unpacked with a bound."""

import base64
import binascii
import hashlib
import json
import zlib
from typing import Any

MARK = "z:"
"""Start of a packed parameter."""

LONGEST = 6000
"""Most characters of a packed parameter; browsers and mail programs cut links that are much longer."""

LARGEST = 2**20
"""Most bytes a packed parameter may unpack to."""


DIGEST_MARK = "file:"
"""Start of a parameter that only names what is too large for a link."""


def digest(content: Any) -> str:
    """Name plain data that is too large for a link."""
    plain = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()
    return DIGEST_MARK + hashlib.sha256(plain).hexdigest()[:16]


def pack(content: Any) -> str | None:
    """Pack plain data; None when the result would be too long for a link."""
    plain = json.dumps(content, separators=(",", ":"), allow_nan=False).encode()
    if len(plain) > LARGEST:
        return None
    text = MARK + base64.urlsafe_b64encode(zlib.compress(plain, 9)).decode().rstrip("=")
    return text if len(text) <= LONGEST else None


def unpack(text: str) -> Any:
    """Read what `pack` wrote.

    **Raises:** `ValueError` for anything else, or for what would unpack to more than is allowed.
    """
    body = text.removeprefix(MARK)
    try:
        packed = base64.b64decode(body + "=" * (-len(body) % 4), altchars=b"-_", validate=True)
        inflate = zlib.decompressobj()
        plain = inflate.decompress(packed, LARGEST)
        if inflate.unconsumed_tail or not inflate.eof:
            raise ValueError("expected a complete packed setting; got a cut or oversized one.")
        return json.loads(plain)
    except (binascii.Error, zlib.error, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"expected a packed setting; got text that does not unpack ({error}).") from None
