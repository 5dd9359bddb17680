"""`grade --networks`: a training step of the small and of the large network by every submission's own compiler alone.

For the board, without marks: of everybody who has passed all parts (`compilers.parts`), the answers that pass compile
the step in the sandbox, with nothing of the course's beside them, at -O0, and with residency and a scheduler of their
own at -O1 and -O2. The judge runs the programs and counts their cycles.
"""

from __future__ import annotations

import hashlib
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grader.course import verdict_hash
from grader.emitter.limits import PATIENCE
from grader.emitter.values import decode, encode
from grader.grade.cache import Cache
from grader.grade.compilers import parts
from grader.grade.journal import Journal
from grader.grade.judge import Judge, Verdict
from grader.grade.work import Work
from grader.judges.whole_step import cycles_of, forward
from grader.sandbox import Limits, Outcome, Sandbox, find_sandbox
from grader.sandbox.tree import COURSE, step_tree
from grader.submissions.submission import Submission, answer_hash, printable
from haribote.answers.tasks import find_task
from haribote.errors import HariboteError
from haribote.network import NETWORKS
from haribote.own.marks import MARKS
from simulator.engine import native
from simulator.messages import tr

SECONDS = 120.0  # of the processor, for a step at all levels
LIMITS = Limits(seconds=PATIENCE * SECONDS, work=SECONDS)
COMMAND = (sys.executable, "-s", "-m", "grader.emitter.whole_step")
OF_LEVEL = {0: (), 1: ("7.2", "7.3", "7.4", "7.5"), 2: ("7.2", "7.3", "7.4", "7.5", "7.7")}
"""The tasks besides the parts that a level needs for being all one's own."""


@dataclass(frozen=True)
class StepWork(Work):
    """A network's step. task: its name; content: its forward graph; shared: the answers that compile it, at these
    levels. whose: the digest of the submission.
    """

    levels: tuple[int, ...] = (0,)
    whose: str = ""


def step_work(
    submissions: Sequence[Submission], verdicts: Sequence[Mapping[str, Verdict]], seed: int, cached: bool = True
) -> Iterator[StepWork]:
    """The work for all submissions that have passed every part. verdicts: of each, by task."""
    version = verdict_hash()
    for name, network in NETWORKS.items():
        graph = forward(network).SerializeToString()
        for submission, found in zip(submissions, verdicts, strict=True):
            passed = {task for task, verdict in found.items() if verdict["state"] == "passed"}
            if not passed.issuperset(task.id for task in parts()):
                continue
            levels = tuple(level for level, tasks in OF_LEVEL.items() if passed.issuperset(tasks))
            answers = tuple(sorted((_place(task), submission.files[task]) for task in passed))
            told = (submission.id, submission.source, name, levels, answer_hash(b"", answers), seed, version)
            key = hashlib.sha256("\n".join(map(str, told)).encode()).hexdigest()[:32]
            yield StepWork(
                key, submission.source, name, graph, seed, version, cached=cached, shared=answers, levels=levels,
                whose=submission.digest,
            )  # fmt: skip


def what_failed(works: Sequence[StepWork], journal: Journal) -> Iterator[str]:
    """A line for each step that is not right, and why."""
    for work in works:
        verdict = journal.verdicts.get(work.key, {})
        if why := verdict.get("failure") or verdict.get("message"):
            yield tr("{source}, {network}: {why}", work.submission, MARKS[work.task].network, why)


def step_one(work: StepWork) -> Verdict:
    """The cycles of a submission's step, at every level that is right; as plain values, like `work.grade_one`."""
    start, cache_ = time.monotonic(), Cache()
    name = ("step", work.task, work.seed, work.levels, work.digest)
    verdict = cache_.get(*name) if work.cached else None
    if verdict is None:
        verdict = _verdict(work)
        if not verdict["note"]:  # else another time it may be quick enough
            cache_.put(verdict, *name)
    return verdict | {"file": work.whose, "seconds": round(time.monotonic() - start, 3)}


def _verdict(work: StepWork) -> Verdict:
    judge, costs, wrong = Judge(judged), dict[str, list[float]](), list[str]()
    native.available()
    run = _compiled(work)
    try:
        for level, reply in _replies(work, run).items():
            found, ended = judge(work.task, work.seed, reply)
            if problem := ended or found["wrong"]:
                wrong.append(f"-O{level}: {problem}")
            else:
                costs[f"-O{level}"] = [found["cycles"], MARKS[work.task].par]
    finally:
        judge.close()
    medal = MARKS[work.task].medal(min(cycles for cycles, _ in costs.values())) if costs else ""
    return {
        "task": work.task, "state": "passed" if costs else "failed", "points": 0, "of": 0, "seed": work.seed,
        "cases": len(costs), "total": len(work.levels), "message": "", "failure": printable("\n".join(wrong)),
        "cause": "", "costs": costs, "note": run.stopped, "answer": "", "medal": medal,
    }  # fmt: skip


def judged(name: str, seed: int, reply: dict[str, Any]) -> Verdict:
    """`{"cycles", "wrong"}` of what was compiled; in the process that judges, for nothing of it is to be trusted."""
    if "error" in reply:
        return {"wrong": str(reply["error"])}
    try:
        return {"wrong": "", "cycles": cycles_of(NETWORKS[name], seed, reply["model"], reply["programs"])}
    except Exception as error:
        return {"wrong": f"{type(error).__name__}: {error}"}


def _compiled(work: StepWork) -> Outcome:
    """What `grader.emitter.whole_step` has written in the sandbox."""
    rate = NETWORKS[work.task].learning_rate
    order = encode({"forward": work.content, "rate": rate, "levels": [*work.levels]})
    box = Sandbox({COURSE: step_tree()}, COURSE, find_sandbox().bwrap)
    files = {f"{COURSE}/{place}": content for place, content in work.shared}
    return box.run(COMMAND, f"{order}\n".encode(), files, LIMITS)


def _replies(work: StepWork, run: Outcome) -> dict[int, dict[str, Any]]:
    """What was compiled, by level; one that is missing was not reached."""
    levels = [*work.levels]
    ended = run.stopped or run.errors.strip().rsplit("\n", 1)[-1] or tr("it ended early")
    found: dict[int, dict[str, Any]] = {level: {"error": ended} for level in levels}
    for line in run.output.splitlines():
        try:
            reply: dict[str, Any] = decode(line)
            found[levels[levels.index(reply["level"])]] = reply
        except (HariboteError, KeyError, ValueError):  # no reply of ours
            continue
    return found


def _place(task: str) -> str:
    return f"haribote/{find_task(task).file}"
