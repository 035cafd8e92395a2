"""Gate: how large an amplitude is certified, what is true, and what refresh and wiring change."""

from ui.navigation import guard

guard()

import streamlit as st  # noqa: E402

from figures import FIGURES, PAGES  # noqa: E402
from figures.gate_verdict import gate_metrics, gate_verdict  # noqa: E402
from ui import header, panel  # noqa: E402

header.draw(gate_verdict, gate_metrics)
with st.container(key="panels"):
    for slug in PAGES["gate"]:
        panel.draw(slug, FIGURES[slug])
