"""The Fast–Slow Explorer: reads the link, draws the shell, and runs the page that was asked for."""

from pathlib import Path

import streamlit as st

from engine import device
from ui import bar, follow, navigation, session, settled, sidebar, style

st.set_page_config(page_title="Fast–Slow Explorer", layout="wide")

device.keep_compiled(str(Path(__file__).parent / ".jax-cache"))
session.start_run()
style.apply(present=session.session().view.present)
page = st.navigation(navigation.pages(), position="top")
sidebar.draw()
navigation.run(page)
bar.draw()
settled.mark()
follow.finish()
