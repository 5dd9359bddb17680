"""Let an answer emit, for `check` and for `grade` alike: in a process forked from a warm one, in a new one elsewhere.

For `grade` that is in a sandbox; a learner's own answer runs openly, as its user.
"""

from __future__ import annotations

import multiprocessing.util
import subprocess
import sys
import tempfile
from collections import OrderedDict
from dataclasses import replace
from pathlib import Path

from grader.emitter.limits import MARGIN, PATIENCE
from grader.emitter.serving import Order
from grader.sandbox.command import Sandbox
from grader.sandbox.limits import Limits, Outcome
from grader.sandbox.probe import find_sandbox
from grader.sandbox.tree import COURSE, course_tree
from grader.sandbox.warm import Warm, WarmError, clean
from grader.stubs import stub_of
from haribote.answers.given import source_of
from haribote.answers.tasks import ROOT, Task
from simulator.messages import tr

Key = tuple[Path, Limits]
"""A tree, and the limits without their time: an answer's own cannot be wider than those of the process around it."""
MOST_WARM = 3  # processes that are kept, each of which may hold a third of a gigabyte
COMMAND = (sys.executable, "-s", "-m", "grader.emitter")


def limits_of(task: Task) -> Limits:
    """What an answer to a task may use, all its cases together."""
    return Limits(seconds=PATIENCE * task.seconds + MARGIN, work=task.seconds + MARGIN)


class Emitters:
    """Runs answers, one after the other. confined: in a sandbox. most: warm processes that are kept at once.

    Raises SandboxMissing where there is to be a sandbox.
    """

    def __init__(self, confined: bool, most: int = MOST_WARM) -> None:
        self.confined, self._most = confined, most
        self._bwrap = find_sandbox().bwrap if confined else ""
        self._warm: OrderedDict[Key, Warm] = OrderedDict()
        self._cold_only = not sys.platform.startswith("linux")  # others do not fork, or not safely
        multiprocessing.util.Finalize(self, _close, args=(self._warm,), exitpriority=1)

    def run(self, task: Task, order: Order, requests: bytes) -> Outcome:
        """The replies of an answer to these requests (lines of JSON), of which there is at least one.

        Raises WarmError after two failures.
        """
        lines = f"{order.line()}\n".encode() + requests
        for _ in range(2):  # a process that is gone is replaced once
            warm = self._started(task, requests)
            if warm is None:
                break
            try:
                return warm.run(lines, limits_of(task))
            except WarmError:
                warm.close()
        return self._run_cold(task, lines)

    def close(self) -> None:
        """End all processes."""
        _close(self._warm)

    def _started(self, task: Task, requests: bytes) -> Warm | None:
        """The warm process for a task; None, from now on, where such processes do not start on this machine."""
        if self._cold_only:
            return None
        tree, limits = course_tree(task), limits_of(task)
        key = (tree, replace(limits, seconds=0.0, work=0.0))
        warm = self._warm.pop(key, None)
        if warm is None or not warm.alive:
            while len(self._warm) >= self._most:
                self._warm.popitem(last=False)[1].close()
            try:
                warm = Warm(self._sandbox(tree), tree, limits, _warming(task, requests))
            except WarmError:
                self._cold_only = True
                return None
        self._warm[key] = warm
        return warm

    def _sandbox(self, tree: Path) -> Sandbox | None:
        return Sandbox({COURSE: tree}, COURSE, self._bwrap) if self.confined else None

    def _run_cold(self, task: Task, lines: bytes) -> Outcome:
        tree, limits = course_tree(task), limits_of(task)
        sandbox = self._sandbox(tree)
        return sandbox.run(COMMAND, lines, limits=limits) if sandbox else _run_openly(tree, lines, limits)


def _close(warm: OrderedDict[Key, Warm]) -> None:
    while warm:
        warm.popitem()[1].close()


def _warming(task: Task, requests: bytes) -> bytes:
    """Order and requests with which a process warms up: the bare stub, the first case, and the last, which may be in
    the product: what that computes before it comes to the answer is remembered for all.
    """
    stub = stub_of(task, source_of(task)).encode()
    order = Order(task.id, f"haribote/{task.file}", stub, {}, task.seconds)
    cases = requests.splitlines(keepends=True)
    return f"{order.line()}\n".encode() + cases[0] + cases[-1]


def _run_openly(tree: Path, lines: bytes, limits: Limits) -> Outcome:
    """A new process of the user's, where none can be forked."""
    with tempfile.TemporaryDirectory(prefix="haribote-") as folder:
        try:
            run = subprocess.run(
                [*COMMAND, str(ROOT)], input=lines, capture_output=True, cwd=tree, timeout=limits.seconds,
                env=clean(Path(folder)),
            )  # fmt: skip
        except subprocess.TimeoutExpired as error:
            return Outcome(error.stdout or b"", "", None, tr("ran longer than {seconds:g} s", limits.seconds))
    return Outcome(run.stdout[: limits.output], run.stderr.decode("utf-8", "replace")[-4000:], run.returncode)
