"""Controls of the tokens: block length, number of blocks, and who reads whom inside a block."""

import streamlit as st

from presets.field import about
from presets.schema import KERNELS, Leaky, Scenario
from ui import controls, words

_LEAKY = "A leak ties the blocks together: there are no sectors, only each block’s own differences."


def draw(scenario: Scenario) -> None:
    """Draw the group."""
    entry = about(Scenario, "block_length")
    with controls.beside_box(entry, "block_length"):
        controls.select_slider(entry, "block_length", scenario.block_length)
    controls.menu(
        "Attention kernel",
        "kernel.kind",
        scenario.kernel.kind,
        list(KERNELS),
        words.kernel,
        "Causal: token t reads tokens 1 to t of its block. Bidirectional: the whole block, evenly. Leaky: "
        "causal, and a share of the attention goes to earlier blocks.",
    )
    if isinstance(scenario.kernel, Leaky):
        controls.control(Leaky, "leak", "kernel.leak", scenario.kernel.leak)
        st.caption(_LEAKY if scenario.blocks > 1 else "With one block there is nothing to leak to.")
    controls.integer(about(Scenario, "blocks"), "blocks", scenario.blocks)
    if scenario.gate.topology != "ring":
        st.caption("Blocks matter once the topology is a ring; every block of a self-loop is alike.")
    if scenario.tokens is not None:
        st.caption(f"T = {scenario.tokens} tokens from the link: the last block is ragged.")
