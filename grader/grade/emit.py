"""Let an answer emit: in a warm sandbox, in a cold one where a warm one does not work, or, if asked for, in none."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections import OrderedDict
from contextlib import ExitStack
from pathlib import Path

from grader.emitter.limits import MARGIN
from grader.sandbox import Limits, Outcome, Sandbox, find_sandbox
from grader.sandbox.command import ENVIRONMENT
from grader.sandbox.tree import COURSE, course_tree, mounts
from grader.sandbox.warm import Warm, WarmError
from haribote.answers.tasks import Task

MOST_WARM = 2  # sandboxes that are kept: one for all kernels, one for the task at hand


def limits_of(task: Task) -> Limits:
    """What an answer to a task may use, all its cases together."""
    return Limits(seconds=task.seconds + MARGIN)


class Emitters:
    """Runs answers, one after the other. unsafe: without a sandbox."""

    def __init__(self, unsafe: bool = False) -> None:
        self.unsafe = unsafe
        self._sandbox = None if unsafe else find_sandbox()
        self._warm: OrderedDict[str, Warm] = OrderedDict()
        self._cold_only = False

    def run(self, task: Task, content: bytes, requests: bytes) -> Outcome:
        """The replies of an answer's file to these requests (lines of JSON). Raises WarmError after two failures."""
        if self.unsafe:
            return run_unsafe(task, content, requests)
        if not self._cold_only:
            for _ in range(2):  # a sandbox that is gone is replaced once
                warm = self._started(task, requests)
                if warm is None:
                    break
                try:
                    return warm.run(task, content, requests, limits_of(task))
                except WarmError:
                    warm.close()
        return self._run_cold(task, content, requests)

    def close(self) -> None:
        """End all sandboxes."""
        while self._warm:
            self._warm.popitem()[1].close()

    def _started(self, task: Task, requests: bytes) -> Warm | None:
        """The warm sandbox for a task; None, from now on, where such sandboxes do not start on this machine."""
        name = "kernels" if task.is_kernel else task.id
        warm = self._warm.pop(name, None)
        if warm is None or not warm.alive:
            while len(self._warm) >= MOST_WARM:
                self._warm.popitem(last=False)[1].close()
            try:
                warm = Warm(self._view(task), task, requests.split(b"\n", 1)[0], limits_of(task))
            except WarmError:
                self._cold_only = True
                return None
        self._warm[name] = warm
        return warm

    def _view(self, task: Task) -> Sandbox:
        assert self._sandbox is not None
        return Sandbox(mounts(task), COURSE, self._sandbox.bwrap)

    def _run_cold(self, task: Task, content: bytes, requests: bytes) -> Outcome:
        place = f"{COURSE}/haribote/{task.file}"
        command = [sys.executable, "-s", "-m", "grader.emitter", task.id, place]
        return self._view(task).run(command, requests, {place: content}, limits_of(task))


def run_unsafe(task: Task, content: bytes, requests: bytes) -> Outcome:
    """The same as a plain process of the grader's user: for answers that are trusted, such as one's own."""
    limits = limits_of(task)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="haribote-")))
        path = folder / Path(task.file).name
        path.write_bytes(content)
        command = [sys.executable, "-s", "-m", "grader.emitter", task.id, str(path)]
        environment = {**ENVIRONMENT, "TMPDIR": str(folder), "HOME": str(folder)}
        try:
            run = subprocess.run(
                command, input=requests, capture_output=True, cwd=course_tree() / "course", timeout=limits.seconds,
                env=environment if sys.platform == "linux" else None,
            )  # fmt: skip
        except subprocess.TimeoutExpired as error:
            return Outcome(error.stdout or b"", "", None, f"ran longer than {limits.seconds:g} s")
    return Outcome(run.stdout[: limits.output], run.stderr.decode("utf-8", "replace")[-4000:], run.returncode)
