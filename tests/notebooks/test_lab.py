"""JupyterLab as `make lab` opens it: a notebook that was only opened has no mark "unsaved", one that was edited has."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FIRST = "00_start/01_welcome.ipynb"
MARK = "document.querySelectorAll('.lm-TabBar-tab.jp-mod-dirty').length"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """The address of a JupyterLab at a copy of the first notebook."""
    (tmp_path / FIRST).parent.mkdir()
    shutil.copy(ROOT / "notebooks" / FIRST, tmp_path / FIRST)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = [
        "--no-browser",
        f"--port={port}",
        "--allow-root",
        "--IdentityProvider.token=",
        "--ServerApp.ip=127.0.0.1",
        f"--ServerApp.root_dir={tmp_path}",
    ]
    process = subprocess.Popen(
        [sys.executable, "-m", "jupyterlab", *options],
        env=os.environ | {"JUPYTER_CONFIG_PATH": str(ROOT / "notebooks" / "lab")},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        for _ in range(120):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/api", timeout=2)
                break
            except OSError:
                time.sleep(0.5)
        yield f"http://127.0.0.1:{port}/lab/tree/{FIRST}"
    finally:
        process.terminate()
        process.wait(30)


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
def test_opening_a_notebook_does_not_mark_it_as_unsaved(server: str) -> None:
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as run:
        browser = run.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-quic"])
        page = browser.new_page()
        page.goto(server, timeout=60_000)
        page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=60_000)
        page.wait_for_selector(".jp-Notebook-ExecutionIndicator[data-status=idle]", timeout=60_000)
        page.wait_for_timeout(2000)
        assert page.evaluate(MARK) == 0
        page.click(".jp-Notebook .jp-CodeCell .cm-content")
        page.keyboard.type("# mine")
        page.wait_for_timeout(1000)
        assert page.evaluate(MARK) == 1
        browser.close()
