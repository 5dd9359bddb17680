"""Find a sandbox that really shuts: bubblewrap is started, and what must not work inside is tried there."""

from __future__ import annotations

import json
import os
import shutil
import socket
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

from grader.sandbox.command import Sandbox
from grader.sandbox.limits import MIB, Limits
from haribote.errors import HariboteError
from simulator.cache import home_folder
from simulator.messages import Text, tr

# Run inside, with what must be out of reach as arguments; prints a list of what was in reach all the same.
_ATTEMPTS = r"""
import json, os, socket, sys, time
port, hidden, outside = int(sys.argv[1]), json.loads(sys.argv[2]), json.loads(sys.argv[3])
found = []
def works(name, attempt):
    try:
        attempt()
    except OSError:
        return
    found.append(name)
works("the network", lambda: socket.create_connection(("127.0.0.1", port), 1))
for path in hidden:
    works(path, lambda: os.lstat(path))
for path in outside:
    works("writing to " + path, lambda: open(os.path.join(path, "probe"), "w"))
def fill():
    with open("/tmp/a", "wb") as a, open("/tmp/b", "wb") as b, open("/tmp/c", "wb") as c:
        for file in (a, b, c):
            file.write(bytes(15 << 20))
works("45 MiB in a /tmp of 32 MiB", fill)
def fork():
    for _ in range(40):
        if os.fork() == 0:
            time.sleep(30)
            os._exit(0)
works("40 processes where 16 are allowed", fork)
if len([name for name in os.listdir("/proc") if name.isdigit()]) > 25:
    found.append("other processes")
print(json.dumps(found), flush=True)
"""
_LIMITS = Limits(seconds=20, memory=512 * MIB, processes=16, disk=32 * MIB, output=MIB)
_GREEDY = "a = [bytearray(b'x' * (8 << 20)) for _ in range(16)]; import time; time.sleep(5); print('kept')"
INSTALL = Text("install bubblewrap and util-linux, such as `apt-get install bubblewrap util-linux` (Linux only)")


class SandboxMissing(HariboteError):
    """There is no working sandbox on this machine; the message says what is missing."""


@cache
def find_sandbox() -> Sandbox:
    """A sandbox that has been tried out; asked again, the same. Raises SandboxMissing."""
    if not sys.platform.startswith("linux"):
        raise SandboxMissing(
            tr("there is no sandbox for this system ({platform}): it needs Linux", sys.platform), INSTALL
        )
    for program in ("bwrap", "prlimit", *(("setpriv",) if os.geteuid() == 0 else ())):
        if shutil.which(program) is None:
            raise SandboxMissing(
                tr("the sandbox needs the program {program}, which is not installed", program), INSTALL
            )
    sandbox = Sandbox(bwrap=shutil.which("bwrap") or "bwrap")
    open_doors = probe(sandbox)
    if open_doors:
        raise SandboxMissing(tr("the sandbox does not shut: {open_doors}", "; ".join(open_doors)), INSTALL)
    return sandbox


def probe(sandbox: Sandbox) -> list[str]:
    """What is open in this sandbox that must not be; empty where it is fine. Raises SandboxMissing if it fails."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        hidden = json.dumps([str(path) for path in _private()])
        python = [sys.executable, "-I", "-S", "-c"]
        arguments = [
            str(server.getsockname()[1]),
            hidden,
            json.dumps(["/", "/usr", sys.prefix, "/dev/shm", "/var/tmp"]),
        ]
        run = sandbox.run([*python, _ATTEMPTS, *arguments], limits=_LIMITS)
    try:
        found = [str(item) for item in json.loads(run.output.splitlines()[0])]
    except (ValueError, IndexError) as error:
        reason = run.stopped or run.errors.strip() or f"status {run.status}"
        raise SandboxMissing(tr("the sandbox does not start: {reason}", reason), INSTALL) from error
    greedy = sandbox.run([*python, _GREEDY], limits=replace(_LIMITS, memory=64 * MIB))
    return found + ([tr("more memory than it allows")] if b"kept" in greedy.output else [])


def _private(most: int = 50) -> list[Path]:
    """What lies in the home folder and in the course's, except the way to the Python in use."""
    found: list[Path] = []
    for folder in filter(None, (home_folder(), Path(__file__).resolve().parents[2])):
        inside = sorted(folder.iterdir()) if os.access(folder, os.R_OK) else []
        found += [
            path for path in inside if not any(Path(p).is_relative_to(path) for p in (sys.prefix, sys.base_prefix))
        ]
    return found[:most]
