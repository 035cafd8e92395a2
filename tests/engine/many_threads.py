"""Call mixed kernels from many threads at once; a program of its own, so that a hang can be ended.

Usage: python -m tests.engine.many_threads THREADS CALLS SECONDS
After SECONDS without an end, all stacks go to standard error and the process exits with 1.
"""

import faulthandler
import sys
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from engine.certificate import block_gaps
from engine.device import jax, run
from engine.fluctuation import fluctuation_norms
from engine.monodromy import multipliers
from engine.preln_stack import random_stack
from engine.qr_flow import log_stretches

NORMAL = np.random.default_rng(0).standard_normal
MATRICES = NORMAL((64, 32, 32))
VECTOR = NORMAL(1 << 20)
MIXING, VALUE = 0.2 * NORMAL((2, 16, 4, 4))
WAVES = 10
KIND: dict[str, Any] = {"norm": "rms", "activation": "swiglu", "order": "sequential"}
SCALES: dict[str, Any] = {"attention_scale": 1.0, "mlp_scale": 1.0, "tied": False, "seed": 0}


@jax.jit
def singular_vectors(matrices: jax.Array) -> Any:
    return jax.numpy.linalg.svd(matrices)


@jax.jit
def orthonormal(matrices: jax.Array) -> Any:
    return jax.numpy.linalg.qr(matrices)


@jax.jit
def element_wise(vector: jax.Array) -> jax.Array:
    def wave(_: int, x: jax.Array) -> jax.Array:
        return jax.numpy.sin(x) + 0.1 * x**2 * jax.numpy.exp(-x * x)

    return jax.lax.fori_loop(0, WAVES, wave, vector).sum()


@jax.jit
def swept(matrices: jax.Array) -> jax.Array:
    def layer(frames: jax.Array, matrix: jax.Array) -> tuple[jax.Array, None]:
        return jax.numpy.linalg.qr(matrix @ frames)[0], None

    return jax.lax.scan(layer, jax.numpy.broadcast_to(jax.numpy.eye(32), (64, 32, 32)), matrices[:32])[0]


# The first four, run by two threads or more, hang a pool of two threads.
CALLS: list[Callable[[], Any]] = [
    partial(run, singular_vectors, MATRICES),
    partial(run, orthonormal, MATRICES),
    partial(run, element_wise, VECTOR),
    partial(run, swept, MATRICES),
    partial(block_gaps, np.eye(4) + MIXING[None], 4),
    partial(fluctuation_norms, MIXING, VALUE, 4, "causal"),
    partial(multipliers, np.eye(4) + MIXING),
    partial(log_stretches, np.eye(4) + MIXING),
    partial(random_stack, depth=8, width=4, heads=2, kv_heads=1, hidden=8, **KIND, **SCALES),
]


def main(threads: int, calls: int, seconds: float) -> None:
    faulthandler.dump_traceback_later(seconds, exit=True)
    failures: list[BaseException] = []

    def work(start: int) -> None:
        try:
            for number in range(calls):
                CALLS[(start + number) % len(CALLS)]()
        except BaseException as failure:
            failures.append(failure)
            raise

    running = [threading.Thread(target=work, args=(start,)) for start in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    faulthandler.cancel_dump_traceback_later()
    if failures:
        raise failures[0]
    print(f"{threads * calls} calls")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]))
