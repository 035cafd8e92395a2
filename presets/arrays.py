"""Matrices from an .npz archive: read without trusting a byte of it, and written back."""

import io
import math
import zipfile
from typing import IO

import numpy as np

from presets.load import Refused

NAMES = ("mixing", "value")

MOST_NUMBERS = 2**18
"""Numbers an array may hold: 64 layers at d = 64, or 4096 at d = 8."""

LARGEST_ARCHIVE = 8 * 2**20
"""Bytes an archive may have."""

_FORMAT = np.lib.format


def read_arrays(content: bytes) -> dict[str, list]:
    """Read `mixing` and `value`, each d×d or layers×d×d, from an .npz archive, as nested lists.

    Sizes are checked against the headers before anything is unpacked; objects are never loaded.

    **Raises:** `Refused`, naming the array that is wrong.
    """
    if len(content) > LARGEST_ARCHIVE:
        raise Refused.one("file", f"{len(content)} bytes", f"must have at most {LARGEST_ARCHIVE} bytes")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = {name.removesuffix(".npy") for name in archive.namelist()}
            if members != set(NAMES) or len(archive.namelist()) != len(NAMES):
                raise Refused.one("file", ", ".join(sorted(members))[:60], "must hold mixing and value only")
            return {name: _array(archive, name) for name in NAMES}
    except (zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError, RuntimeError, EOFError) as error:
        raise Refused.one("file", "an archive", f"is not a readable .npz file: {error}") from None


def write_arrays(mixing: np.ndarray, value: np.ndarray) -> bytes:
    """Write both arrays as an .npz archive."""
    target = io.BytesIO()
    np.savez_compressed(target, mixing=mixing, value=value)
    return target.getvalue()


def _array(archive: zipfile.ZipFile, name: str) -> list:
    with archive.open(f"{name}.npy") as member:
        shape, kind, by_column = _header(member, name)
        numbers = math.prod(shape)
        if len(shape) not in (2, 3) or numbers > MOST_NUMBERS:
            reason = f"must be d×d or layers×d×d with at most {MOST_NUMBERS} numbers"
            raise Refused.one(name, "×".join(map(str, shape)), reason)
        size = numbers * kind.itemsize
        plain = member.read(size + 1)
    if len(plain) != size:
        raise Refused.one(name, f"{len(plain)} bytes", f"must hold {size} bytes, as its header says")
    flat = np.frombuffer(plain, dtype=kind).reshape(shape, order="F" if by_column else "C")
    return flat.astype(np.float64).tolist()


def _header(member: IO[bytes], name: str) -> tuple[tuple[int, ...], np.dtype, bool]:
    try:
        version = _FORMAT.read_magic(member)
        read = _FORMAT.read_array_header_1_0 if version == (1, 0) else _FORMAT.read_array_header_2_0
        shape, by_column, kind = read(member)
    except ValueError as error:
        raise Refused.one(name, "an array", f"has a header that cannot be read: {str(error)[:80]}") from None
    if kind.kind not in "iuf":
        raise Refused.one(name, str(kind), "must hold real numbers")
    return shape, kind, by_column
