"""One piece of work, done in a worker: one answer to one task, from the bytes of its file to a verdict.

`grade_one` needs nothing but its argument, so that any executor can run it, on another machine too. It runs no code of
a learner in its own process, and judges in a process that it can end.
"""

from __future__ import annotations

import ast
import re
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

from grader.course import SHORT, verdict_hash
from grader.emitter.replies import Reply
from grader.error_map import error_map
from grader.grade.cache import Cache
from grader.grade.emit import Emitters
from grader.grade.judge import SECONDS, Verdict, judged_apart
from grader.grade.points import points_of
from grader.judging import judge_answers, key_of, replies_in, requests_of
from grader.result import Failure, Result
from grader.sandbox import Outcome
from grader.submission import file_hash
from haribote.errors import HariboteError
from haribote.tasks import ROOT, Task, find_task

MOST_TEXT = 4000  # characters of a message in a verdict
MOST_PICTURE = 100_000  # characters
STATES = ("passed", "failed", "not started", "unreadable", "trouble")
_UNPRINTABLE = re.compile(r"[^\n\x20-\x7e\xa0-\ud7ff\ue000-\uffef\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class Work:
    """An answer to be graded. key: of submission, task, file, seed and course, under which its verdict is written.

    version: of the course that the coordinator has. cached: whether known verdicts may be taken.
    """

    key: str
    submission: str
    task: str
    content: bytes
    seed: int
    version: str
    unsafe: bool = False
    cached: bool = True


class OtherVersion(HariboteError):
    """This worker has another version of the course than the coordinator."""


_own = threading.local()  # of a thread: sandboxes are not shared
_requests: OrderedDict[tuple[str, int], bytes] = OrderedDict()


def grade_one(work: Work) -> Verdict:
    """The verdict on one answer, as plain values. What it raises is the grader's own trouble, never the learner's."""
    if work.version != verdict_hash():
        raise OtherVersion(
            f"this worker has version {verdict_hash()[:SHORT]} of the course, not {work.version[:SHORT]}"
        )
    start, task, cache = time.monotonic(), find_task(work.task), Cache()
    name = file_hash(work.content)
    known = cache.get("file", task.id, work.seed, name) if work.cached else None
    if known:
        return known | {"file": name, "seconds": round(time.monotonic() - start, 3), "cached": True}
    outcome = _emitters(work.unsafe).run(task, work.content, requests(task, work.seed))
    verdict = judge(task, work.seed, work.content, outcome, cache if work.cached else None)
    if not outcome.stopped:
        cache.put(verdict, "file", task.id, work.seed, name)
    return verdict | {"file": name, "seconds": round(time.monotonic() - start, 3), "cached": False}


def judge(task: Task, seed: int, content: bytes, outcome: Outcome, cache: Cache | None) -> Verdict:
    """The verdict on what an answer emitted. An answer that was judged before is not judged again if it passed."""
    replies = replies_in(outcome.output)
    answer = key_of(task, seed, replies)
    known = cache.get("answer", answer) if cache else None
    if known and known["state"] == "passed":
        return known
    verdict, ended = judged_apart(
        lambda: _verdict(task, seed, content, replies, outcome), max(SECONDS, 4 * task.seconds)
    )
    if ended:
        verdict = _failed(task, seed, ended)
    verdict["answer"] = answer
    if cache and verdict["state"] == "passed":
        cache.put(verdict, "answer", answer)
    return verdict


def _verdict(task: Task, seed: int, content: bytes, replies: list[Reply], outcome: Outcome) -> Verdict:
    """In the process that judges. The text of the file is looked at here too: parsing it may end the process."""
    path = ROOT / "haribote" / task.file
    result = judge_answers(task, seed, replies, path)
    verdict = verdict_of(result)
    if _unwritten(content):
        verdict |= {"state": "not started", "points": 0, "failure": "", "cause": ""}
    elif outcome.stopped or outcome.status:
        why = outcome.stopped or f"ended with status {outcome.status}"
        last = outcome.errors.strip().rsplit("\n", 1)[-1]
        note = f"the run of this file {why}" + (f"; the last it said: {last}" if last else "")
        verdict["note"] = printable(note)
    return verdict


def verdict_of(result: Result) -> Verdict:
    """A result as plain values for journal and reports, its texts printable."""
    failure = result.failure
    return {
        "task": result.task, "state": result.state, "points": points_of(result), "of": result.of, "seed": result.seed,
        "cases": result.cases, "total": result.total, "message": printable(result.message),
        "failure": printable(str(failure)) if failure else "", "cause": failure.cause if failure else "",
        "costs": {cost.name: [cost.score, cost.par] for cost in result.costs}, "note": "",
        "picture": _picture(failure) if failure else "",
    }  # fmt: skip


def _picture(failure: Failure) -> str:
    """Where the error is, as SVG; "" where there is no picture of it, or one too large for a report."""
    picture = error_map(failure)
    svg = picture.text if picture is not None else ""
    return svg if len(svg) <= MOST_PICTURE else ""


def _failed(task: Task, seed: int, why: str) -> Verdict:
    empty = Result(task.id, task.title, "failed", 0, task.points, "", "", seed=seed)
    return verdict_of(empty) | {"failure": f"the answer could not be judged: {why}"}


def printable(text: Any) -> str:
    """A text that a learner may have written, without control characters, and not endless."""
    clean = _UNPRINTABLE.sub("·", str(text))
    return clean if len(clean) <= MOST_TEXT else clean[:MOST_TEXT] + " …"


def _unwritten(content: bytes) -> bool:
    """Whether the file still raises NotWritten somewhere, as `haribote.tasks.is_written` sees it."""
    try:
        module = ast.parse(content)
    except (SyntaxError, ValueError, RecursionError):
        return False
    raised = (node.exc for node in ast.walk(module) if isinstance(node, ast.Raise))
    names = (exc.func if isinstance(exc, ast.Call) else exc for exc in raised)
    return any(isinstance(name, ast.Name) and name.id == "NotWritten" for name in names)


def requests(task: Task, seed: int) -> bytes:
    """What the emitter is asked, the same for every answer."""
    key = (task.id, seed)
    if key not in _requests:
        while len(_requests) >= 4:
            _requests.popitem(last=False)
        _requests[key] = "".join(f"{line}\n" for line in requests_of(task, seed)).encode()
    return _requests[key]


def _emitters(unsafe: bool) -> Emitters:
    found: Emitters | None = getattr(_own, "emitters", None)
    if found is None or found.unsafe != unsafe:
        found = _own.emitters = Emitters(unsafe)
    return found
