"""Watch a process tree until it ends or breaks a limit: read what it prints, time it, add up its memory."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from grader.sandbox.limits import MIB, Limits
from simulator.messages import tr

TICK = 0.05  # seconds between two looks at the memory
LAST = 4000  # bytes of stderr that are kept
CHUNK = 1 << 16
_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


@dataclass
class Watched:
    """What was read of a program. stopped: the limit it broke, in words, or ""."""

    output: bytearray = field(default_factory=bytearray)
    errors: bytearray = field(default_factory=bytearray)
    printed: int = 0
    stopped: str = ""


def watch(output: int, errors: int, ended: int, root: int, limits: Limits, baseline: int = 0) -> Watched:
    """Read `output` and `errors` (file descriptors) until `ended` is readable, or until a limit is broken.

    root: id of a process; the memory of all its descendants counts, less `baseline` bytes. The caller stops the
    program where the result says `stopped`.
    """
    seen, end = Watched(), time.monotonic() + limits.seconds
    open_ends = {output: seen.output, errors: seen.errors}
    next_look = time.monotonic() + TICK
    over = False
    while not seen.stopped and not (over and not open_ends):
        ready, _, _ = select.select([*open_ends, *([] if over else [ended])], [], [], TICK)
        for end_of_pipe in ready:
            if end_of_pipe == ended:
                over = True
            elif not _read(end_of_pipe, open_ends[end_of_pipe], seen, limits):
                del open_ends[end_of_pipe]
        if over and not ready:  # nobody is left who could close the pipes
            break
        now = time.monotonic()
        if now > end and not over:
            seen.stopped = seen.stopped or tr("ran longer than {seconds:g} s", limits.seconds)
        elif now > next_look:
            next_look = now + TICK
            if tree_memory(root) - baseline > limits.memory:
                seen.stopped = seen.stopped or tr("used more than {value} MiB of memory", limits.memory // MIB)
    del seen.errors[:-LAST]
    return seen


def _read(source: int, into: bytearray, seen: Watched, limits: Limits) -> bool:
    """Read once; False at the end of the pipe."""
    data = os.read(source, CHUNK)
    seen.printed += len(data)
    if seen.printed > limits.output:
        seen.stopped = tr("printed more than {value} MiB", limits.output // MIB)
    else:
        into += data
        if into is seen.errors and len(into) > 16 * LAST:
            del into[:-LAST]
    return bool(data)


def tree_memory(root: int) -> int:
    """Resident bytes of all descendants of a process; memory that two of them share counts twice."""
    return sum(_resident(pid) for pid in descendants(root))


def descendants(root: int) -> list[int]:
    """The ids of the processes below `root`, as far as they still live."""
    found: list[int] = []
    waiting = [root]
    while waiting:
        below = children(waiting.pop())
        found += below
        waiting += below
    return found


def children(pid: int) -> list[int]:
    """The ids of a process's own children, of all of its threads."""
    found: list[int] = []
    for thread in _threads(pid):
        with suppress(OSError):  # it has just ended
            found += [int(child) for child in (thread / "children").read_text().split()]
    return found


def end(sandbox: subprocess.Popen[bytes]) -> None:
    """Kill bubblewrap, or another process, with all that it has started, and close our ends of its pipes.

    `--die-with-parent` holds only from a moment after the start: bubblewrap killed earlier leaves its inside running,
    and a reader of its pipes waiting. So it is stopped first, when it can start nothing any more (the kernel refuses a
    fork while a signal is pending), then what is below it is killed; with the first process of the inside the kernel
    kills the rest. What the inside went on printing until then is not read: that may be any amount.
    """
    if sandbox.poll() is None:
        sandbox.send_signal(signal.SIGSTOP)
        for child in descendants(sandbox.pid):
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        sandbox.kill()
    for stream in (sandbox.stdout, sandbox.stderr):
        if stream is not None:
            stream.close()
    sandbox.wait()


def _threads(pid: int) -> list[Path]:
    try:
        return list(Path(f"/proc/{pid}/task").iterdir())
    except OSError:
        return []


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE
    except (OSError, IndexError):
        return 0
