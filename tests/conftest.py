"""Imports the engine before anything can import JAX: the thread pool must be sized first.

What one worker, server or command line has compiled, the others read, as the app does between starts.

Properties are checked on the same examples every time, so that a red suite is red for everyone;
`script/test --hypothesis-profile search` looks for new ones.
"""

from pathlib import Path

from hypothesis import settings

from engine import device

device.keep_compiled(str(Path(__file__).parents[1] / ".jax-cache"))

settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.register_profile("search", deadline=None)
settings.load_profile("repeatable")
