"""Scenarios: what a visitor may set, where it comes from, and the arrays it stands for."""
