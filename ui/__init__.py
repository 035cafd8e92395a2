"""Everything Streamlit: the shell around the pages, the controls, and the panel a figure lives in."""
