"""The scenario as a file: opened from the visitor's disk, and saved to it."""

import json

import numpy as np
import streamlit as st

from presets import quantities
from presets.arrays import LARGEST_ARCHIVE, read_arrays, write_arrays
from presets.load import Refused, dump, opened, stamped
from presets.schema import Scenario
from ui.session import open_scenario, put, refuse

LARGEST_MEGABYTES = LARGEST_ARCHIVE // 2**20


def draw(scenario: Scenario) -> None:
    """Draw the group: one place to drop a file, and what can be saved."""
    st.file_uploader(
        "Open a scenario (.json) or matrices (.npz)",
        type=["json", "npz"],
        key="opened",
        max_upload_size=LARGEST_MEGABYTES,
        help="An .npz file holds two arrays, mixing and value, each d×d or layers×d×d. The depth becomes "
        "the number of layers; raise it to repeat them.",
        on_change=_open,
    )
    with st.container(horizontal=True, key="saving"):
        st.download_button(
            "Scenario",
            lambda: json.dumps(stamped(dump(scenario)), ensure_ascii=False, indent=1),
            "scenario.json",
            "application/json",
            on_click="ignore",
        )
        st.download_button(
            "Matrices",
            lambda: _matrices(scenario),
            "matrices.npz",
            "application/octet-stream",
            on_click="ignore",
        )


def _open() -> None:
    file = st.session_state["opened"]
    if file is None:
        return
    content = file.getvalue()
    try:
        if file.name.endswith(".npz"):
            arrays = read_arrays(content)
            layers = max(np.ndim(array) == 3 and len(array) for array in arrays.values())
            put({"family.kind": "explicit", **_family(arrays), **({"depth": layers} if layers else {})})
        else:
            open_scenario(*opened(content.decode()))
    except UnicodeDecodeError:
        refuse(Refused.one("file", file.name[:60], "is not UTF-8 text"))
    except Refused as error:
        refuse(error)


def _family(arrays: dict[str, list]) -> dict[str, list]:
    return {f"family.{name}": array for name, array in arrays.items()}


def _matrices(scenario: Scenario) -> bytes:
    stack = quantities.layers(scenario)
    return write_arrays(stack.mixing, stack.value)
