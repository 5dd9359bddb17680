"""Judge what was emitted in a process with limits: a text that takes all memory to judge costs its own task only."""

from __future__ import annotations

import json
import os
import select
import signal
import time
from collections.abc import Callable
from typing import Any

try:
    import resource
except ImportError:  # no such limits on this system
    resource = None  # type: ignore[assignment]

MEMORY = 6 << 30  # bytes of address space
SECONDS = 60.0
CHUNK = 1 << 20

Verdict = dict[str, Any]  # plain values, for the journal


class JudgeLost(Exception):
    """The process that judged has gone for a reason that is not the answer's."""


def judged_apart(judge: Callable[[], Verdict], seconds: float = SECONDS, memory: int = MEMORY) -> tuple[Verdict, str]:
    """What `judge` gives, or why it was ended ("judging it took longer than 60 s"). Raises JudgeLost."""
    if not hasattr(os, "fork"):
        return judge(), ""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _child(judge, writing, memory)
    os.close(writing)
    status: int | None = None
    try:
        output, late = _read(reading, time.monotonic() + seconds)
    finally:
        os.close(reading)
        os.kill(child, signal.SIGKILL)  # it has nothing left to say
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if late:
        return {}, f"judging it took longer than {seconds:g} s"
    if not output:
        if status == -signal.SIGKILL:
            raise JudgeLost("the process that judged was ended from outside")
        return {}, "judging it took too much memory" if status == 3 else f"it made the judge end (status {status})"
    reply: Verdict = json.loads(output)
    if "broken" in reply:
        raise JudgeLost(reply["broken"])
    return reply, ""


def _child(judge: Callable[[], Verdict], writing: int, memory: int) -> None:
    status = 1
    try:
        if resource is not None:
            hard = resource.getrlimit(resource.RLIMIT_AS)[1]
            most = memory if hard == resource.RLIM_INFINITY else min(memory, hard)
            resource.setrlimit(resource.RLIMIT_AS, (most, hard))
        try:
            text = json.dumps(judge())
        except MemoryError:
            os._exit(3)
        except Exception as error:  # a bug of ours: told as such
            text = json.dumps({"broken": f"{type(error).__name__}: {error}"})
        with open(writing, "wb") as file:
            file.write(text.encode())
        status = 0
    finally:
        os._exit(status)


def _read(source: int, end: float) -> tuple[bytes, bool]:
    """All that comes until the other side closes, and whether the time was over first."""
    parts: list[bytes] = []
    while True:
        ready, _, _ = select.select([source], [], [], max(0.0, end - time.monotonic()))
        if not ready:
            return b"", True
        part = os.read(source, CHUNK)
        if not part:
            return b"".join(parts), False
        parts.append(part)
