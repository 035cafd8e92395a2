"""The Fast–Slow Explorer: reads the link, draws the shell, and runs the page that was asked for."""

import streamlit as st

from ui import follow, navigation, session, settled, sidebar, style

st.set_page_config(page_title="Fast–Slow Explorer", layout="wide")

session.start_run()
style.apply()
page = st.navigation(navigation.pages(), position="top")
sidebar.draw()
navigation.run(page)
settled.mark()
follow.finish()
