"""Run an answer as `grade` runs it, in a process of its own and over the same messages, but openly: one's own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from pathlib import Path

from grader.closure import imported_names
from grader.emitter.replies import Reply
from grader.emitter.serving import Order
from grader.emitter.values import encode
from grader.judging import replies_in
from grader.sandbox.emit import Emitters
from grader.sandbox.limits import Outcome
from grader.stubs import stub_of
from grader.trials import Trial
from haribote.answers.given import source_of
from haribote.answers.tasks import ROOT, Task, all_tasks
from simulator.parsing import readable

Find = Callable[[Task], "bytes | None"]
"""The file of an answer that others may import; None where nobody has written it."""
_HELPERS = "solutions.kernels._"


def replies_to(task: Task, path: Path, trials: Iterable[Trial], seconds: float = 0.0) -> list[Reply]:
    """What the answer in a file replies to these cases; no reply to those that it did not come to.

    seconds: its time limit, where that is not the task's. Raises OSError where the file cannot be read.
    """
    return replies_in(run(task, path, trials, seconds).output)


def run(task: Task, path: Path, trials: Iterable[Trial], seconds: float = 0.0) -> Outcome:
    """How the run of the answer in a file ended, and its replies as they were written."""
    place = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else str(path.absolute())
    requests = b"".join(encode({"name": t.name, "given": dict(t.given)}).encode() + b"\n" for t in trials)
    order = Order(task.id, place, path.read_bytes(), _beside(path), seconds or task.seconds)
    return _emitters().run(task, order, requests)


def _beside(path: Path) -> dict[str, bytes]:
    """What an answer in this file may import: the learner's files; of an answer of the course, the course's."""
    content = path.read_bytes()
    if path.is_relative_to(ROOT / "haribote"):
        return shared_with(content, _learners)
    return reference_files(content)


def reference_files(content: bytes) -> dict[str, bytes]:
    """What an answer of the course imports of its other answers, by place."""
    return shared_with(content, _reference) | _helpers(content)


def shared_with(content: bytes, find: Find) -> dict[str, bytes]:
    """The files of other answers that an answer imports, by place; the bare stub of what is not written."""
    found: dict[str, bytes] = {}
    waiting = [content]
    while waiting:
        names = _imported(waiting.pop())
        for task in (task for task in all_tasks() if task.shared):
            place = f"haribote/{task.file}"
            if place not in found and place.removesuffix(".py").replace("/", ".") in names:
                file = find(task)
                found[place] = stub_of(task, source_of(task)).encode() if file is None else file
                waiting.append(found[place])
    return found


@lru_cache(maxsize=1 << 15)
def _imported(content: bytes) -> frozenset[str]:
    """The modules, and names in modules, that a file imports; none of one that Python does not read."""
    names = set(imported_names(readable(content)))
    return frozenset(names | {name.rpartition(".")[0] for name in names})


def _learners(task: Task) -> bytes | None:
    path = ROOT / "haribote" / task.file
    return path.read_bytes() if path.is_file() else None


def _reference(task: Task) -> bytes:
    return (ROOT / "solutions" / task.file).read_bytes()


def _helpers(content: bytes) -> dict[str, bytes]:
    """What the reference answers share, as far as this one imports it."""
    found: dict[str, bytes] = {}
    waiting = [content]
    while waiting:
        for name in _imported(waiting.pop()):
            place = f"{name.replace('.', '/')}.py"
            if name.startswith(_HELPERS) and place not in found and (ROOT / place).is_file():
                found[place] = (ROOT / place).read_bytes()
                waiting.append(found[place])
    return found


@cache
def _emitters() -> Emitters:
    return Emitters(confined=False)
