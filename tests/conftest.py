"""Imports the engine before anything can import JAX: the thread pool must be sized first."""

import engine  # noqa: F401
