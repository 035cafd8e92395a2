"""Uploaded arrays and packed links: nothing of theirs is trusted."""

import io
import json
import pickle
import zipfile
import zlib

import numpy as np
import pytest

from presets import packed
from presets.arrays import MOST_NUMBERS, read_arrays, write_arrays
from presets.link import read, write
from presets.load import Refused, dump, validate


def archive(**arrays: object) -> bytes:
    target = io.BytesIO()
    np.savez(target, **arrays)  # type: ignore[arg-type]
    return target.getvalue()


def raw(**members: bytes) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(f"{name}.npy", content)
    return target.getvalue()


def npy(array: np.ndarray, *, allow_pickle: bool = False) -> bytes:
    target = io.BytesIO()
    np.lib.format.write_array(target, array, allow_pickle=allow_pickle)
    return target.getvalue()


def claiming(shape: tuple[int, ...]) -> bytes:
    """An array whose header promises more than it holds."""
    target = io.BytesIO()
    np.lib.format.write_array_header_1_0(target, {"shape": shape, "fortran_order": False, "descr": "<f8"})
    return target.getvalue()


def test_arrays_survive_writing_and_reading() -> None:
    rng = np.random.default_rng(0)
    mixing, value = rng.normal(size=(5, 3, 3)), np.asfortranarray(rng.normal(size=(3, 3)))
    found = read_arrays(write_arrays(mixing, value))
    assert np.array_equal(found["mixing"], mixing)
    assert np.array_equal(found["value"], value)


@pytest.mark.parametrize("kind", ["<f4", ">f8", "<i8", "|u1"])
def test_other_number_formats_are_read(kind: str) -> None:
    found = read_arrays(archive(mixing=np.ones((2, 2), kind), value=np.zeros((2, 2), kind)))
    assert found["mixing"] == [[1.0, 1.0], [1.0, 1.0]]


class Harmful:
    """Would run code if anybody unpickled it."""

    def __reduce__(self) -> tuple:
        return pytest.fail, ("a pickle was loaded",)


SQUARE = npy(np.eye(2))
HOSTILE = {
    "not a zip": b"PK\x03\x04 nonsense",
    "empty": b"",
    "a pickle": pickle.dumps(Harmful()),
    "objects": raw(mixing=npy(np.array([[Harmful()]], dtype=object), allow_pickle=True), value=SQUARE),
    "one array": archive(mixing=np.eye(2)),
    "a third array": archive(mixing=np.eye(2), value=np.eye(2), more=np.eye(2)),
    "text": archive(mixing=np.array([["a"]]), value=np.eye(2)),
    "complex": archive(mixing=np.eye(2) * 1j, value=np.eye(2)),
    "a vector": archive(mixing=np.ones(4), value=np.eye(2)),
    "a huge claim": raw(mixing=claiming((10**9, 64, 64)), value=SQUARE),
    "a broken claim": raw(mixing=claiming((2, 2)), value=SQUARE),
    "a negative claim": raw(mixing=claiming((-1, 2, 2)), value=SQUARE),
    "no header": raw(mixing=b"\x93NUMPY", value=SQUARE),
    "a bomb": raw(mixing=npy(np.zeros((MOST_NUMBERS + 1, 1, 1))), value=SQUARE),
    "too large": b"PK" + bytes(9 * 2**20),
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE)
def test_hostile_archives_are_refused_by_name(content: bytes) -> None:
    with pytest.raises(Refused):
        read_arrays(content)


def test_not_a_number_is_refused_by_the_schema() -> None:
    arrays = read_arrays(archive(mixing=np.full((2, 2), np.nan), value=np.eye(2)))
    with pytest.raises(Refused, match="finite"):
        validate({"family": {"kind": "explicit", **arrays}})


def explicit(layers: int, width: int) -> dict:
    rng = np.random.default_rng(1)
    mixing, value = rng.normal(size=(2, layers, width, width)).round(3).tolist()
    return {"depth": 64, "family": {"kind": "explicit", "mixing": mixing, "value": value}}


@pytest.mark.parametrize(("layers", "mark"), [(2, "["), (20, packed.MARK), (64, packed.DIGEST_MARK)])
def test_matrices_take_the_shortest_way_into_a_link(layers: int, mark: str) -> None:
    scenario = validate(explicit(layers, 4 if layers < 64 else 8))
    link = write(scenario, "turning-saddle")
    assert link.get("family", link.get("family.mixing", "")).startswith(mark)
    assert sum(map(len, link.values())) < 8000
    known = {link.get("family", ""): dump(scenario)["family"]}
    assert read(link, families=known) == (scenario, "turning-saddle", [])


def test_a_link_without_its_matrices_says_so() -> None:
    found = read(write(validate(explicit(64, 8)), "turning-saddle"))
    assert [complaint.path for complaint in found.refused] == ["family"]
    assert "open the scenario's file" in found.refused[0].reason


BOMB = packed.MARK + packed.base64.urlsafe_b64encode(zlib.compress(bytes(2 * packed.LARGEST))).decode()


@pytest.mark.parametrize("text", ["z:", "z:!!!!", "z:AAAA", BOMB, str(packed.pack("{"))[:-3]])
def test_hostile_packed_links_are_refused_by_name(text: str) -> None:
    found = read({"preset": "turning-saddle", "family": text})
    assert [complaint.path for complaint in found.refused] == ["family"]


def test_packing_refuses_what_is_too_long() -> None:
    assert packed.pack(list(range(10**6))) is None
    assert packed.unpack(packed.pack({"a": [1.5, None]}) or "") == {"a": [1.5, None]}
    assert json.loads(json.dumps(packed.digest({"b": 1}))) == packed.digest({"b": 1})
