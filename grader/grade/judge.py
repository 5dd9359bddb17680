"""Judge in a process with limits: an answer that takes all memory or all day to judge costs its own task only.

The process is a Python of its own and serves one answer after the other, so that its caches stay warm; where an answer
ends it, the next one gets a new one. It is no fork of the worker: in a cluster another thread of the worker is at work
meanwhile, and a fork would inherit the locks that it holds, which nobody there releases.
"""

from __future__ import annotations

import ctypes
import json
import os
import pickle
import select
import signal
import struct
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from simulator.messages import tr

try:
    import resource
except ImportError:  # no such limits on this system
    resource = None  # type: ignore[assignment]

MEMORY = 1 << 30  # bytes that judging may map beyond what the worker has; a worker takes less than 2 GiB in all
SECONDS = 60.0
CHUNK = 1 << 20
_LENGTH = struct.Struct("<q")
_NO_MEMORY = 3  # exit status
_DIE_WITH_PARENT = 1  # of prctl
_MMAP_THRESHOLD = -3  # of mallopt
LARGE = 8 << 20  # bytes

Verdict = dict[str, Any]  # plain values, for the journal


class JudgeLost(Exception):
    """The process that judged has gone for a reason that is not the answer's."""


class Judge:
    """A process that runs `function`, which gives plain values, on arguments that are sent to it."""

    def __init__(self, function: Callable[..., Verdict], memory: int = MEMORY) -> None:
        self._function, self._memory = function, memory
        self._child: subprocess.Popen[bytes] | None = None

    def __call__(self, *arguments: Any, seconds: float = SECONDS) -> tuple[Verdict, str]:
        """What the function gives, or why it was ended ("it took longer than 60 s to judge"). Raises JudgeLost."""
        if resource is None:
            return self._function(*arguments), ""
        if self._child is None:
            self._start()
        end = time.monotonic() + seconds
        try:
            _send(self._requests, pickle.dumps(arguments))
            reply = _receive(self._replies, end)
        except TimeoutError:
            self.close()
            return {}, tr("it took longer than {seconds:g} s to judge", seconds)
        except (EOFError, BrokenPipeError) as error:
            status = self.close(kill=False)
            if status == _NO_MEMORY:
                return {}, tr("it took too much memory to judge")
            if status == -signal.SIGKILL:
                raise JudgeLost(tr("the process that judged was ended from outside")) from error
            return {}, tr("it made the judge end (status {status})", status)
        verdict: Verdict = json.loads(reply)
        if "broken" in verdict:
            raise JudgeLost(verdict["broken"])
        return verdict, ""

    def close(self, kill: bool = True) -> int:
        """End the process; its status, negative for a signal."""
        child, self._child = self._child, None
        if child is None:
            return 0
        if kill:
            child.kill()
        os.close(self._requests)
        os.close(self._replies)
        return child.wait()

    def _start(self) -> None:
        """Start the process and wait until it has loaded what it needs. Raises JudgeLost."""
        here = f"import sys; sys.path[:] = {sys.path!r}; from {__name__} import serve; serve({os.getpid()})"
        theirs, self._requests = os.pipe()
        self._replies, answers = os.pipe()
        self._child = subprocess.Popen([sys.executable, "-c", here], stdin=theirs, stdout=answers)
        os.close(theirs)
        os.close(answers)
        try:
            _send(self._requests, pickle.dumps((self._function, self._memory)))
            _receive(self._replies, time.monotonic() + SECONDS)
        except (TimeoutError, EOFError, BrokenPipeError) as error:
            status = self.close()
            raise JudgeLost(tr("the process that judges did not start (status {status})", status)) from error


def serve(parent: int) -> None:
    """In the process: judge until nobody asks any more."""
    requests, replies = os.dup(0), os.dup(1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)  # what is printed is no reply
    function, memory = pickle.loads(_receive(requests, None))  # from the worker that started this
    _limit(parent, memory)
    _send(replies, b"ready")
    sys.exit(_serve(function, requests, replies))


def _limit(parent: int, memory: int) -> None:
    """So many bytes more than are mapped by now, and no longer than the worker."""
    bound_to(parent)
    _keep_little()
    warnings.simplefilter("ignore")  # such as division by zero in an answer
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    most = _mapped() + memory
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def bound_to(parent: int) -> None:
    """In a new process: Ctrl-C is for the one that started it to handle, and without that one there is no work."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)


def give_back() -> None:
    """Give free memory back to the system, of which C's library keeps what it can (glibc's `malloc_trim`)."""
    with suppress(AttributeError, OSError, TypeError):  # another library
        ctypes.CDLL(None).malloc_trim(0)


def _keep_little() -> None:
    """Blocks of LARGE bytes and more go back to the system as soon as they are free (glibc's `mallopt`)."""
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).mallopt(_MMAP_THRESHOLD, LARGE)


def _mapped() -> int:
    """Bytes of address space that this process has, with all the libraries that it has loaded."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except OSError:  # no Linux: what the libraries of a worker come to there is not known
        return 1 << 29
    return pages * resource.getpagesize()


def _serve(function: Callable[..., Verdict], requests: int, replies: int) -> int:
    """In the process: judge until nobody asks any more; the exit status."""
    while True:
        try:
            arguments = pickle.loads(_receive(requests, None))
        except EOFError:
            return 0
        try:
            reply = json.dumps(function(*arguments))
        except MemoryError:
            return _NO_MEMORY
        except Exception as error:  # a bug of ours: told as such
            reply = json.dumps({"broken": f"{type(error).__name__}: {error}"})
        _send(replies, reply.encode())


def _send(target: int, content: bytes) -> None:
    """One message. Raises BrokenPipeError where the other side is gone."""
    view = memoryview(_LENGTH.pack(len(content)) + content)
    while view:
        view = view[os.write(target, view) :]


def _receive(source: int, end: float | None) -> bytes:
    """One message. Raises EOFError where the other side is gone, TimeoutError after `end`."""
    (length,) = _LENGTH.unpack(_exactly(source, _LENGTH.size, end))
    return _exactly(source, length, end)


def _exactly(source: int, length: int, end: float | None) -> bytes:
    parts = bytearray()
    while len(parts) < length:
        left = None if end is None else max(0.0, end - time.monotonic())
        if not select.select([source], [], [], left)[0]:
            raise TimeoutError
        part = os.read(source, min(CHUNK, length - len(parts)))
        if not part:
            raise EOFError
        parts += part
    return bytes(parts)
