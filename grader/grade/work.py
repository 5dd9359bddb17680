"""One piece of work, done in a worker: one answer to one task, from the bytes of its file to a verdict.

`grade_one` needs nothing but its argument, so that any executor can run it, on another machine too. It runs no code of
a learner in its own process, and judges in a process that it can end.
"""

from __future__ import annotations

import multiprocessing.util
import threading
import time
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from grader.course import SHORT, verdict_hash
from grader.emitter.serving import Order
from grader.feedback.error_map import error_map
from grader.feedback.failure import Failure
from grader.grade.cache import Cache
from grader.grade.confined import run_confined
from grader.grade.judge import Judge, Verdict, give_back
from grader.judging import (
    judge_answers,
    key_of,
    not_judged,
    note_of,
    replies_in,
    requests_of,
    seconds_to_judge,
    told_with,
)
from grader.result import Result
from grader.rigs.native_run import confine
from grader.sandbox import Outcome
from grader.sandbox.emit import Emitters
from grader.submissions.submission import answer_hash, printable
from grader.unfinished import unfinished
from haribote.answers.tasks import ROOT, Task, find_task
from haribote.errors import HariboteError
from simulator.engine import native
from simulator.language import in_english
from simulator.messages import tr

MOST_PICTURE = 40_000  # characters
_TOO_LONG = "longer than"


@dataclass(frozen=True)
class Work:
    """An answer to be graded. key: of submission, task, file, seed and course, under which its verdict is written.

    version: of the course that the coordinator has. cached: whether known verdicts may be taken. shared: files of other
    answers that this one imports, by place.
    """

    key: str
    submission: str
    task: str
    content: bytes
    seed: int
    version: str
    unsafe: bool = False
    cached: bool = True
    shared: tuple[tuple[str, bytes], ...] = ()

    @property
    def digest(self) -> str:
        """Of the answer's file and of all that it imports."""
        return answer_hash(self.content, self.shared)


class OtherVersion(HariboteError):
    """This worker has another version of the course than the coordinator."""


_own = threading.local()  # of a thread: sandboxes are not shared


def grade_one(work: Work) -> Verdict:
    """The verdict on one answer, as plain values. What it raises is the grader's own trouble, never the learner's."""
    if work.version != verdict_hash():
        here, there = verdict_hash()[:SHORT], work.version[:SHORT]
        raise OtherVersion(tr("this worker has version {verdict_hash} of the course, not {version}", here, there))
    start, task, cache = time.monotonic(), find_task(work.task), Cache()
    name = work.digest
    known = cache.get("file", task.id, work.seed, name) if work.cached else None
    if known:
        return known | {"file": name, "seconds": round(time.monotonic() - start, 3), "cached": True}
    order = Order(task.id, f"haribote/{task.file}", work.content, dict(work.shared), task.seconds)
    outcome = _emitters(work.unsafe).run(task, order, requests(task, work.seed))
    seconds = seconds_to_judge(task)
    judge_apart = _judge(work.unsafe)
    verdict, ended = judge_apart(task.id, work.seed, work.content, outcome, work.cached, seconds=seconds)
    if ended:
        verdict = verdict_of(not_judged(task, work.seed, ROOT / "haribote" / task.file, ended))
    if not outcome.stopped and _TOO_LONG not in verdict["failure"]:  # another time it may be quick enough
        cache.put(verdict, "file", task.id, work.seed, name)
    return verdict | {"file": name, "seconds": round(time.monotonic() - start, 3), "cached": False}


def judge(name: str, seed: int, content: bytes, outcome: Outcome, cached: bool) -> Verdict:
    """The verdict on what an answer emitted; in the process that judges, for its bytes are not to be trusted.

    An answer that was judged before is not judged again if it passed.
    """
    if getattr(_own, "task", name) != name:  # answers come task by task
        give_back()
    _own.task = name
    task, cache, replies = find_task(name), Cache(), replies_in(outcome.output)
    left = unfinished(task, content, ROOT / "haribote" / task.file, seed)
    if left is not None:
        return verdict_of(left) | {"answer": ""}
    answer = key_of(task, seed, replies)
    verdict = cache.get("answer", answer) if cached else None
    if verdict is None:
        place = ROOT / "haribote" / task.file
        verdict = verdict_of(told_with(judge_answers(task, seed, replies, place), task, content, place, outcome))
        verdict["answer"] = answer
        if verdict["state"] == "passed":
            cache.put(verdict, "answer", answer)
    verdict["note"] = printable(note_of(outcome))
    return verdict


def verdict_of(result: Result) -> Verdict:
    """A result as plain values for journal and reports, its texts printable."""
    failure = result.failure
    picture = _picture(failure) if failure else ""
    if failure and picture:  # instead of the one in text
        failure = replace(failure, picture="")
    return {
        "task": result.task, "state": result.state, "points": result.points, "of": result.of, "seed": result.seed,
        "cases": result.cases, "total": result.total, "message": printable(result.message), "medal": result.medal,
        "failure": printable(str(failure)) if failure else "", "cause": failure.cause if failure else "",
        "costs": {cost.name: [cost.score, cost.par] for cost in result.costs}, "note": "",
        "picture": picture,
    }  # fmt: skip


def _picture(failure: Failure) -> str:
    """Where the error is, as SVG with English texts; "" where there is no picture, or one too large for a report."""
    with in_english():  # a verdict is kept for others
        picture = error_map(failure)
    svg = picture.text if picture is not None else ""
    return svg if len(svg) <= MOST_PICTURE else ""


@lru_cache(maxsize=4)
def requests(task: Task, seed: int) -> bytes:
    """What the emitter is asked, the same for every answer."""
    return "".join(f"{line}\n" for line in requests_of(task, seed)).encode()


def judge_confined(*arguments: Any) -> Verdict:
    """`judge`, with a sandbox for programs that come out of answers."""
    confine.set(run_confined)
    return judge(*arguments)


def _judge(unsafe: bool) -> Judge:
    name = "unsafe_judge" if unsafe else "judge"
    found: Judge | None = getattr(_own, name, None)
    if found is None:
        native.available()  # built here if need be, where nothing limits time and memory
        found = Judge(judge if unsafe else judge_confined)
        setattr(_own, name, found)
        multiprocessing.util.Finalize(None, found.close, exitpriority=1)
    return found


def _emitters(unsafe: bool) -> Emitters:
    found: Emitters | None = getattr(_own, "emitters", None)
    if found is None or found.confined == unsafe:
        found = _own.emitters = Emitters(confined=not unsafe, most=1)  # answers come task by task
    return found
