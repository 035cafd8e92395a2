"""Where JAX computes, in which precision, and how many threads may compute at once.

Two Python threads that run larger JAX programs together hang for good when XLA's
CPU pool is as small as the machine (two cores: reproducibly within 60 calls). The pool
takes its size from NPROC *when JAX is imported*, so this module sets it first and every
entry point (app, command line, tests) reaches JAX only through `engine`.
"""

import os
import sys
import threading
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

POOL_THREADS = 16
"""Threads of XLA's CPU pool; enough for eight threads calling kernels at once."""

CONCURRENT_KERNELS = 2
"""Kernels that may run on the device at the same time; later callers wait."""

SMALLEST_BUCKET = 8

if "jax" in sys.modules and "NPROC" not in os.environ:
    warnings.warn(
        "JAX was imported before engine: its thread pool keeps the size of this machine and may "
        "hang under concurrent use. Import engine first.",
        stacklevel=2,
    )
os.environ.setdefault("NPROC", str(POOL_THREADS))
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import jax  # noqa: E402  (the pool size above must be set before this line)
import numpy as np  # noqa: E402

jax.config.update("jax_enable_x64", True)

PRECISION = "float64"

_permits = threading.BoundedSemaphore(CONCURRENT_KERNELS)


def run(kernel: Callable[..., Any], *arguments: Any, **static: Any) -> Any:
    """Call a jitted kernel under a permit and return its outputs as NumPy arrays.

    The only door to the device. `kernel` must be pure and jitted and must not call
    `run` itself: permits are taken at the leaf and never nested. Floats become
    float64 arrays, so that Python, NumPy and JAX scalars share one compiled kernel.

    **Arguments:**

    - `kernel`: a jitted function.
    - `arguments`: its traced arguments; anything `numpy.asarray` accepts; floats become float64.
    - `static`: its static arguments, hashable.

    **Returns:** the kernel's outputs, same structure, NumPy arrays.
    """
    traced = [_widened(np.asarray(argument)) for argument in arguments]
    with _permits:
        return jax.tree.map(np.asarray, kernel(*traced, **static))


def run_all(kernel: Callable[..., Any], jobs: Sequence[tuple[Any, ...]]) -> list[Any]:
    """Call a jitted kernel once per tuple of arguments, as many at a time as there are permits."""
    if len(jobs) == 1:
        return [run(kernel, *jobs[0])]
    with ThreadPoolExecutor(CONCURRENT_KERNELS) as pool:
        return list(pool.map(lambda job: run(kernel, *job), jobs))


def _widened(array: np.ndarray) -> np.ndarray:
    return array.astype(np.float64) if np.issubdtype(array.dtype, np.floating) else array


def bucket(size: int) -> int:
    """Round a size up to the next power of two (at least 8), to share compiled kernels."""
    return max(SMALLEST_BUCKET, 1 << (size - 1).bit_length())


@cache
def keep_compiled(folder: str) -> None:
    """Keep compiled kernels in a folder, so that the next start need not compile them again.

    A folder named by the environment (JAX_COMPILATION_CACHE_DIR) wins.
    """
    if "JAX_COMPILATION_CACHE_DIR" not in os.environ:
        jax.config.update("jax_compilation_cache_dir", folder)
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", 0)


def device_name() -> str:
    """Name the device JAX computes on, such as `cpu` or `NVIDIA H200`."""
    device = jax.devices()[0]
    return "cpu" if device.platform == "cpu" else device.device_kind
