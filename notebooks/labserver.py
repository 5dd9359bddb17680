"""A JupyterLab of our own for a while: on a free port, with a token of its own, with settings that nobody else sees."""

from __future__ import annotations

import json
import secrets
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from notebooks.form import ROOT, NotebookError

QUIET = ROOT / "notebooks" / "lab"  # no news, no build prompts: `make lab` uses it too
START_SECONDS = 150
SETTINGS = {
    "docmanager-extension/plugin": {"autosave": False},
    "notebook-extension/tracker": {"windowingMode": "none", "scrollPastEnd": False},
}


@dataclass(frozen=True)
class Lab:
    """A running JupyterLab."""

    port: int
    token: str

    def url(self, path: str = "lab") -> str:
        """The address of a page, with the token in it."""
        return f"http://127.0.0.1:{self.port}/{path}?token={self.token}"


@contextmanager
def running(root: Path, scratch: Path, environment: Mapping[str, str]) -> Iterator[Lab]:
    """JupyterLab with `root` as its folder, until the block ends.

    scratch: an empty folder for its settings and its log. environment: variables of the server and its kernels.

    Raises:
        NotebookError: it has not answered within START_SECONDS; with the end of its log.
    """
    for name, values in SETTINGS.items():
        path = scratch / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(values), encoding="utf-8")
    lab = Lab(_free_port(), secrets.token_hex(16))
    folders = {
        "JUPYTER_TOKEN": lab.token,  # every user of the machine can read a command line
        "JUPYTER_CONFIG_PATH": str(QUIET),
        "JUPYTER_CONFIG_DIR": str(scratch / "config"),
        "JUPYTER_DATA_DIR": str(scratch / "data"),
        "JUPYTERLAB_SETTINGS_DIR": str(scratch / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(scratch / "workspaces"),
    }
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ServerApp.port_retries=0"]
    command += [f"--ServerApp.port={lab.port}", f"--ServerApp.root_dir={root}"]
    command += ["--ServerApp.ip=127.0.0.1", "--LabApp.expose_app_in_browser=True"]
    log = scratch / "log.txt"
    with log.open("wb") as output:
        server = subprocess.Popen(
            command, cwd=root, env={**environment, **folders}, stdout=output, stderr=subprocess.STDOUT
        )
        try:
            _wait(server, lab, log)
            yield lab
        finally:
            server.terminate()
            try:
                server.wait(20)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait(server: subprocess.Popen[bytes], lab: Lab, log: Path) -> None:
    """Until the server answers."""
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and server.poll() is None:
        try:
            with urllib.request.urlopen(lab.url("api/status"), timeout=5):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.3)
    tail = log.read_text(encoding="utf-8", errors="replace")[-2000:]
    raise NotebookError(f"JupyterLab has not started within {START_SECONDS} s\n{tail}")
