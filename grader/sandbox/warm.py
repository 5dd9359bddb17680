"""The outer side of `grader.emitter.server`: a process in which Python is warm, with a fresh one for every answer; in a
sandbox, or as the user's own.

Starting Python and loading the course takes longer than most answers. Whatever breaks a limit ends the whole process;
the next answer gets a new one.
"""

from __future__ import annotations

import json
import os
import select
import socket
import subprocess
import sys
import tempfile
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path

from grader.emitter.limits import NOT_STARTED
from grader.sandbox.command import ENVIRONMENT, Sandbox, handle_of, outcome
from grader.sandbox.limits import Limits, Outcome
from grader.sandbox.watch import end, tree_memory, watch
from haribote.answers.tasks import ROOT
from haribote.errors import HariboteError
from simulator.messages import tr

START = 120.0  # seconds that loading the course may take
GRACE = 2.0  # seconds for ending by itself
LONG = 10**6  # seconds that the sandbox may serve
_COPIES = {True: 2, False: 3}  # the server and its forks, one in a sandbox, two openly, share most of their memory


class WarmError(HariboteError):
    """The warm process does not start or has ended by itself."""


def clean(folder: Path) -> dict[str, str]:
    """The environment of an answer that runs openly: nothing of the user's own. folder: for all that it writes."""
    kept = {} if sys.platform == "linux" else dict(os.environ)
    return {**kept, **ENVIRONMENT, "TMPDIR": str(folder), "HOME": str(folder)}


class Warm:
    """A process that emits answers to the tasks of a tree. sandbox: where it runs; None: openly. warming: lines to warm
    up with.
    """

    def __init__(self, sandbox: Sandbox | None, tree: Path, limits: Limits, warming: bytes) -> None:
        self._busy = False
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control = ours
        command = [sys.executable, "-s", "-m", "grader.emitter.server", *([] if sandbox else ["open", str(ROOT)])]
        with ExitStack() as stack:
            stack.enter_context(theirs)
            handles: list[int] = []
            if sandbox:
                outer = replace(limits, seconds=LONG, work=LONG, processes=2 * limits.processes + 8)
                command, handles = replace(sandbox, filtered=False).command(command, outer, stack, {})
            self._process = subprocess.Popen(
                command, stdin=theirs.fileno(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, pass_fds=handles,
                env=ENVIRONMENT if sandbox else clean(Path(tempfile.gettempdir())), start_new_session=True,
                cwd="/" if sandbox else tree,
            )  # fmt: skip
        try:
            with ExitStack() as stack:
                socket.send_fds(ours, [b"warm up"], [handle_of(warming, stack)])
            ready, _, _ = select.select([ours], [], [], START)
            if not ready or ours.recv(16) != b"ready":
                raise WarmError(tr("the warm process does not start: {last_words}", self._last_words()))
        except (OSError, WarmError) as error:
            words = self._last_words()
            self.close()
            raise WarmError(tr("the warm process does not start: {value}", words or error)) from error
        self._baseline = _COPIES[sandbox is not None] * tree_memory(self._process.pid)

    def run(self, lines: bytes, limits: Limits) -> Outcome:
        """What an answer replies to these lines, its order first. Raises WarmError where the process has ended."""
        order = {"disk": limits.disk, "rlimits": limits.rlimits}
        with ExitStack() as stack:
            output, replies = os.pipe()
            errors, messages = os.pipe()
            stack.callback(os.close, output)
            stack.callback(os.close, errors)
            files = [handle_of(lines, stack), replies, messages]
            try:
                socket.send_fds(self._control, [json.dumps(order).encode()], files)
            except OSError as error:
                raise WarmError(tr("the warm process has ended: {last_words}", self._last_words())) from error
            finally:
                os.close(replies)
                os.close(messages)
            self._busy = True
            seen = watch(output, errors, self._control.fileno(), self._process.pid, limits, self._baseline)
        if seen.stopped:
            self.close()
            return outcome(seen, None, limits)
        status = self._control.recv(16)
        self._busy = False
        if not status:
            raise WarmError(tr("the warm process has ended: {last_words}", self._last_words()))
        if int(status) == NOT_STARTED:
            why = seen.errors.decode("utf-8", "replace").strip()
            raise WarmError(tr("the answer was not started: {why}", why))
        return outcome(seen, int(status), limits)

    @property
    def alive(self) -> bool:
        """Whether another answer can be run."""
        return self._process.poll() is None

    def close(self) -> None:
        """End the process and all that it has started; one that serves nothing ends by itself."""
        self._control.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(0 if self._busy else GRACE)
        end(self._process)

    def _last_words(self) -> str:
        """The end of what the process wrote to stderr, as far as it is there already; the process is ended."""
        stream = self._process.stderr
        if stream is None or stream.closed:
            return ""
        os.set_blocking(stream.fileno(), False)
        words = stream.read(1 << 16) or b""
        end(self._process)
        return words.decode("utf-8", "replace").strip()[-2000:]
