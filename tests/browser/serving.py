"""A server of the app on a free port of this machine, and the Chromium that visits it."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Playwright

ROOT = Path(__file__).parents[2]
START_SECONDS = 60

ONLY_THIS_MACHINE = "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"


@contextmanager
def served(script: Path = ROOT / "app.py") -> Iterator[str]:
    """Serve a Streamlit script from its own folder and yield its address."""
    port = _free_port()
    options = {
        "server.port": port,
        "server.address": "127.0.0.1",
        "server.headless": "true",
        "server.fileWatcherType": "none",
        "browser.gatherUsageStats": "false",
        "runner.postScriptGC": "false",
    }
    command = [sys.executable, "-m", "streamlit", "run", script.name]
    command += [text for name, value in options.items() for text in (f"--{name}", str(value))]
    with subprocess.Popen(
        command, cwd=script.parent, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            address = f"http://127.0.0.1:{port}"
            _wait(address, process)
            yield address
        finally:
            process.terminate()


def chromium(playwright: Playwright) -> Browser:
    """Start Chromium: the one CHROMIUM names, else one on the PATH, else Playwright's own."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    options = [ONLY_THIS_MACHINE]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        options.append("--no-sandbox")
    return playwright.chromium.launch(executable_path=path, args=options)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _wait(address: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"the server ended with code {process.returncode} before it was ready")
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=5):
                return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(f"the server was not ready after {START_SECONDS} s")
