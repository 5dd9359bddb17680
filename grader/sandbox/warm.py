"""The outer side of `grader.emitter.server`: a sandbox in which Python is warm, with a fresh sandbox for every answer.

Starting Python and loading the course takes longer than most answers. Whatever breaks a limit ends the whole sandbox;
the next answer gets a new one.
"""

from __future__ import annotations

import json
import os
import select
import socket
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import replace

from grader.sandbox.command import ENVIRONMENT, Sandbox, handle_of, outcome
from grader.sandbox.limits import Limits, Outcome
from grader.sandbox.watch import tree_memory, watch
from haribote.answers.tasks import Task
from haribote.errors import HariboteError

START = 120.0  # seconds that loading the course may take
GRACE = 2.0  # seconds for ending by itself
LONG = 10**6  # seconds that the sandbox may serve
_COPIES = 3  # the server and two forks of it share most of their memory


class WarmError(HariboteError):
    """The warm sandbox does not start or has ended by itself."""


class Warm:
    """A sandbox that emits answers to one task, or to all kernels. request: one line, to warm up with."""

    def __init__(self, sandbox: Sandbox, task: Task, request: bytes, limits: Limits) -> None:
        self._limits, self._busy = limits, False
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control = ours
        command = [sys.executable, "-s", "-m", "grader.emitter.server", task.id]
        outer = replace(limits, seconds=LONG, processes=2 * limits.processes + 8)
        with ExitStack() as stack:
            stack.enter_context(theirs)
            line, handles = replace(sandbox, filtered=False).command(command, outer, stack, {})
            self._process = subprocess.Popen(
                line, stdin=theirs.fileno(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=ENVIRONMENT,
                pass_fds=handles, start_new_session=True, cwd="/",
            )  # fmt: skip
        try:
            with ExitStack() as stack:
                socket.send_fds(ours, [b"warm up"], [handle_of(request, stack)])
            ready, _, _ = select.select([ours], [], [], START)
            if not ready or ours.recv(16) != b"ready":
                raise WarmError(f"the warm sandbox does not start: {self._last_words()}")
        except (OSError, WarmError) as error:
            words = self._last_words()
            self.close()
            raise WarmError(f"the warm sandbox does not start: {words or error}") from error
        self._baseline = _COPIES * tree_memory(self._process.pid)

    def run(self, task: Task, content: bytes, requests: bytes, limits: Limits | None = None) -> Outcome:
        """The replies of an answer to a task to these requests. Raises WarmError where the sandbox itself has ended."""
        limits = limits or self._limits
        order = {"task": task.id, "file": task.file, "disk": limits.disk, "rlimits": limits.rlimits}
        with ExitStack() as stack:
            output, replies = os.pipe()
            errors, messages = os.pipe()
            stack.callback(os.close, output)
            stack.callback(os.close, errors)
            files = [handle_of(content, stack), handle_of(requests, stack), replies, messages]
            try:
                socket.send_fds(self._control, [json.dumps(order).encode()], files)
            except OSError as error:
                raise WarmError(f"the warm sandbox has ended: {self._last_words()}") from error
            finally:
                os.close(replies)
                os.close(messages)
            self._busy = True
            seen = watch(output, errors, self._control.fileno(), self._process.pid, limits, self._baseline)
        if seen.stopped:
            self.close()
            return outcome(seen, None)
        status = self._control.recv(16)
        self._busy = False
        if not status:
            raise WarmError(f"the warm sandbox has ended: {self._last_words()}")
        return outcome(seen, int(status))

    @property
    def alive(self) -> bool:
        """Whether another answer can be run."""
        return self._process.poll() is None

    def close(self) -> None:
        """End the sandbox and all that runs in it; one that serves nothing ends by itself."""
        self._control.close()
        try:
            self._process.wait(0 if self._busy else GRACE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stderr:
            self._process.stderr.close()

    def _last_words(self) -> str:
        self._process.kill()
        stream = self._process.stderr
        return stream.read().decode("utf-8", "replace").strip()[-2000:] if stream and not stream.closed else ""
