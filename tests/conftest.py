"""Imports the engine before anything can import JAX: the thread pool must be sized first.

Properties are checked on the same examples every time, so that a red suite is red for everyone;
`script/test --hypothesis-profile search` looks for new ones.
"""

from hypothesis import settings

import engine  # noqa: F401

settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.register_profile("search", deadline=None)
settings.load_profile("repeatable")
