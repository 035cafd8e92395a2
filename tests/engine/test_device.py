import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from engine import device
from engine.device import CONCURRENT_KERNELS, bucket, jax, run

ROOT = Path(__file__).parents[2]
COMPILED = "/jax/core/compile/backend_compile_duration"
THREADS, CALLS = 8, 60
SECONDS_TO_FINISH = 300
SECONDS_TO_DIE = 60


@jax.jit
def scaled(vector: jax.Array, factor: jax.Array) -> dict[str, jax.Array]:
    return {"scaled": factor * vector, "size": jax.numpy.sum(vector**2)}


@contextmanager
def compilations() -> Iterator[list[str]]:
    seen: list[str] = []

    def note(event: str, duration_secs: float, **kwargs: str | int) -> None:
        if event == COMPILED:
            seen.append(event)

    jax.monitoring.register_event_duration_secs_listener(note)
    try:
        yield seen
    finally:
        jax.monitoring.unregister_event_duration_listener(note)


def fresh_python(*words: str, seconds: int = 120, **environment: str) -> subprocess.CompletedProcess[str]:
    inherited = {key: text for key, text in os.environ.items() if key != "NPROC"}
    return subprocess.run(
        [sys.executable, *words],
        cwd=ROOT,
        env={**inherited, **environment},
        capture_output=True,
        text=True,
        timeout=seconds,
    )


def test_run_returns_numpy_in_float64() -> None:
    found = run(scaled, [1.0, 2.0], 3.0)
    assert set(found) == {"scaled", "size"}
    for part in found.values():
        assert isinstance(part, np.ndarray)
        assert part.dtype == np.float64
    np.testing.assert_array_equal(found["scaled"], [3.0, 6.0])


def test_moving_a_float_never_recompiles() -> None:
    vector = np.arange(5.0)
    factors = (2.0, np.float64(3.0), np.array(4.0), jax.numpy.asarray(5.0), -0.0, float("inf"))
    with compilations() as first:
        run(scaled, vector, 1.0)
    assert len(first) >= 1
    with compilations() as later:
        for factor in factors:
            run(scaled, vector, factor)
    assert later == []
    with compilations() as longer:
        run(scaled, np.arange(6.0), 1.0)
    assert len(longer) >= 1


def test_at_most_the_permitted_kernels_run_at_once() -> None:
    lock, running, seen = threading.Lock(), 0, []

    def slow_kernel() -> np.ndarray:
        nonlocal running
        with lock:
            running += 1
            seen.append(running)
        time.sleep(0.05)
        with lock:
            running -= 1
        return np.zeros(())

    threads = [threading.Thread(target=run, args=(slow_kernel,)) for _ in range(4 * CONCURRENT_KERNELS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == len(threads)
    assert max(seen) == CONCURRENT_KERNELS


def test_a_failing_kernel_gives_its_permit_back() -> None:
    def broken_kernel() -> np.ndarray:
        raise RuntimeError("broken kernel")

    for _ in range(CONCURRENT_KERNELS):
        with pytest.raises(RuntimeError, match="broken kernel"):
            run(broken_kernel)
    finished = threading.Event()
    threading.Thread(target=lambda: (run(scaled, [1.0], 1.0), finished.set()), daemon=True).start()
    assert finished.wait(timeout=30)


@pytest.mark.parametrize(("size", "expected"), [(1, 8), (8, 8), (9, 16), (64, 64), (65, 128), (4096, 4096)])
def test_bucket_is_the_next_power_of_two(size: int, expected: int) -> None:
    assert bucket(size) == expected


def test_the_device_is_named_plainly() -> None:
    first = jax.devices()[0]
    assert device.device_name() == ("cpu" if jax.default_backend() == "cpu" else first.device_kind)


def test_engine_sizes_the_pool_before_jax_and_keeps_what_was_asked_for() -> None:
    program = "import engine, os; print(os.environ['NPROC'])"
    assert fresh_python("-c", program).stdout.strip() == str(device.POOL_THREADS)
    assert fresh_python("-c", program, NPROC="24").stdout.strip() == "24"


def test_engine_warns_when_jax_came_first() -> None:
    late = fresh_python("-c", "import jax, engine")
    assert late.returncode == 0, late.stderr
    assert "JAX was imported before engine" in late.stderr
    assert "JAX was imported before engine" not in fresh_python("-c", "import engine, jax").stderr


def test_many_threads_of_mixed_kernels_come_to_an_end() -> None:
    sizes = [str(size) for size in (THREADS, CALLS, SECONDS_TO_FINISH)]
    limit = SECONDS_TO_FINISH + SECONDS_TO_DIE
    ended = fresh_python("-m", "tests.engine.many_threads", *sizes, seconds=limit)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.strip() == f"{THREADS * CALLS} calls"
