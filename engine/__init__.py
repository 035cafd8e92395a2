"""Numerics of the fast-slow stack: arrays in, named arrays out.

Importing anything from here switches JAX to float64 and sizes its thread pool
(see `engine.device`), so import it before JAX does any work of yours.
"""

from engine import device as device
