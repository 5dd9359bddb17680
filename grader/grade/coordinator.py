"""Hand out work, collect verdicts, write each once. Workers may fail or vanish; submissions may be anything."""

from __future__ import annotations

import hashlib
import time
from collections import defaultdict, deque
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from dataclasses import dataclass, field

from grader.course import verdict_hash
from grader.credits import credit, credited, told
from grader.grade.executors import Crew
from grader.grade.journal import Journal
from grader.grade.judge import Verdict
from grader.grade.work import Work, grade_one
from grader.running import shared_with
from grader.sandbox.limits import SUBMISSION
from grader.submissions.submission import Submission, answer_hash, printable
from haribote.answers.tasks import Task, all_tasks, find_task
from haribote.network import NETWORKS
from simulator.messages import tr

Grade = Callable[[Work], Verdict]


def work_list(
    submissions: Iterable[Submission], tasks: Sequence[Task], seed: int, unsafe: bool = False, cached: bool = True
) -> Iterator[Work]:
    """One piece of work for every written answer, task by task: then sandboxes and caches stay warm."""
    found = list(submissions)
    for task in tasks:
        for submission in found:
            content = submission.files.get(task.id)
            if content is not None:
                key = work_key(submission, task.id, seed)
                shared = shared_files(submission, task.id)
                yield Work(key, submission.source, task.id, content, seed, verdict_hash(), unsafe, cached, shared)


def work_key(submission: Submission, task: str, seed: int) -> str:
    """Under which a verdict is written: of submission, task, file, seed and all that decides a verdict."""
    digest = graded_as(submission, task)
    parts = (submission.id, submission.source, task, digest, seed, verdict_hash())
    return hashlib.sha256("\n".join(map(str, parts)).encode()).hexdigest()[:32]


def graded_as(submission: Submission, task: str) -> str:
    """The hash under which a verdict names an answer: of its file with all that it imports of the submission's."""
    return answer_hash(submission.files[task], shared_files(submission, task))


def shared_files(submission: Submission, task: str) -> tuple[tuple[str, bytes], ...]:
    """The files of the submission's other answers that its answer to a task imports, by place."""
    found = shared_with(submission.files[task], lambda other: submission.files.get(other.id))
    return tuple(sorted(found.items()))


@dataclass
class Progress:
    """How far a run is. trouble: verdicts that are the grader's own fault."""

    total: int
    done: int = 0
    trouble: int = 0
    start: float = 0.0

    def __str__(self) -> str:
        spent = time.monotonic() - self.start
        left = ""
        if 5 < self.done < self.total:
            left = tr(", about {value:.0f} s left", spent / self.done * (self.total - self.done))
        return tr("{done} of {total} answers{left}", self.done, self.total, left)


def run(
    works: Iterable[Work],
    journal: Journal,
    crew: Crew,
    say: Callable[[Progress], object] = lambda progress: None,
    grade: Grade = grade_one,
    limit: float = SUBMISSION,
) -> Progress:
    """Grade all work that the journal has no verdict for. A run that is interrupted goes on when it is called again.

    A piece of work whose worker fails is tried once more, alone; fails it again, its verdict is "trouble". limit:
    seconds of one submission; what is left of it then fails without being run.
    """
    works = list(works)
    left = [work for work in works if work.key not in journal.verdicts]
    spent: defaultdict[str, float] = defaultdict(float)
    for work in works:
        spent[work.submission] += _seconds(journal.verdicts.get(work.key, {}))
    progress = Progress(len(left), start=time.monotonic())
    suspects: list[tuple[Work, str]] = []

    def keep(work: Work, verdict: Verdict) -> None:
        journal.write(work.key, verdict)
        spent[work.submission] += _seconds(verdict)
        progress.done += 1
        progress.trouble += verdict["state"] == "trouble"
        say(progress)

    waiting = Waiting(left)
    lanes = [_Lane(crew.make()) for _ in range(min(crew.executors, len(left)))]
    try:
        while True:
            for lane in lanes:
                others = {other.task for other in lanes if other is not lane}
                while len(lane.running) < crew.at_once and (taken := waiting.next_for(lane.task, others)):
                    if spent[taken.submission] >= limit:
                        keep(taken, out_of_time(taken, limit))
                    elif why := lane.start(taken, grade, crew):
                        suspects.append((taken, why))
                        break
            running = {future: lane for lane in lanes for future in lane.running}
            if not running and not waiting:
                break
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                work = running[future].running.pop(future)
                try:
                    keep(work, future.result())
                except (Exception, CancelledError) as error:
                    suspects.append((work, _told(error)))
        for work, first in suspects:
            lanes[0].executor, verdict = _again(work, first, lanes[0].executor, crew, grade)
            keep(work, verdict)
        while lanes:
            lanes[-1].close()
            lanes.pop()
    finally:
        for lane in lanes:  # interrupted
            lane.close(crew)
    return progress


class Waiting:
    """Work that is left, by its tasks, in their order."""

    def __init__(self, works: Iterable[Work]) -> None:
        self._works: defaultdict[str, deque[Work]] = defaultdict(deque)
        for work in works:
            self._works[work.task].append(work)

    def __bool__(self) -> bool:
        return bool(self._works)

    def next_for(self, task: str, others: Container[str]) -> Work | None:
        """Take a piece of work: of this task, else of one that is none of the others', else of any; None for none."""
        tasks = [task] if task in self._works else [name for name in self._works if name not in others]
        chosen = next(iter([*tasks, *self._works]), None)
        if chosen is None:
            return None
        work = self._works[chosen].popleft()
        if not self._works[chosen]:
            del self._works[chosen]
        return work


@dataclass(eq=False)
class _Lane:
    """An executor, None once it is lost, with what it runs. task: the last one of which it was given an answer."""

    executor: Executor | None
    task: str = ""
    running: dict[Future[Verdict], Work] = field(default_factory=dict)

    def start(self, work: Work, grade: Grade, crew: Crew) -> str:
        """Hand out work; why it could not be, or "". A broken executor is replaced once nothing of it is left."""
        self.task = work.task
        if self.executor is None:
            self.executor = crew.make()
        try:
            self.running[self.executor.submit(grade, work)] = work
        except (BrokenExecutor, RuntimeError) as error:
            if not self.running:
                self.executor.shutdown(wait=False, cancel_futures=True)
                self.executor = None
            return _told(error)
        return ""

    def close(self, crew: Crew | None = None) -> None:
        """End the executor; with a crew at once, whatever it does."""
        if self.executor is not None:
            crew.stop(self.executor) if crew else self.executor.shutdown()
            self.executor = None


def _again(
    work: Work, first: str, executor: Executor | None, crew: Crew, grade: Grade
) -> tuple[Executor | None, Verdict]:
    """Try work once more, with nothing beside it, so that it cannot be the victim of other work."""
    for fresh in (False, True):
        if executor is None or fresh:
            executor = crew.make()
        try:
            future = executor.submit(grade, work)
        except (BrokenExecutor, RuntimeError):  # broken by the work before: this was no try
            crew.stop(executor)
            continue
        try:
            return executor, future.result()
        except (Exception, CancelledError) as error:
            if isinstance(error, BrokenExecutor):
                crew.stop(executor)
                executor = None
            return executor, trouble(work, tr("{error}; the first time: {first}", _told(error), first))
    return None, trouble(work, first)


def trouble(work: Work, why: str) -> Verdict:
    """The verdict where the grader itself has failed: no points, but not the learner's fault."""
    message = tr(
        "the grader's own trouble, not this answer's fault: {why}; `grade --task {id}` tries it again", why, work.task
    )
    return _blank(work) | {"state": "trouble", "message": printable(message)}


def _seconds(verdict: Verdict) -> float:
    """What it took; 0 where a journal does not say."""
    told = verdict.get("seconds", 0)
    return float(told) if isinstance(told, int | float) else 0.0


def out_of_time(work: Work, limit: float) -> Verdict:
    """The verdict on an answer for which nothing is left of its submission's time."""
    failure = tr("it was not run, for this submission has had its {limit:g} s for all its answers together", limit)
    return _blank(work) | {"state": "failed", "failure": failure}


def _told(error: BaseException) -> str:
    text = str(error).split("\n", 1)[0]
    if isinstance(error, BrokenExecutor):
        return tr("the worker was lost ({name})", type(error).__name__)
    return f"{text or error!r}"


def not_started(task: Task) -> Verdict:
    """The verdict on a task that is not in a submission."""
    return {
        "task": task.id, "state": "not started", "points": 0, "of": task.points, "seed": 0,
        "cases": 0, "total": 0, "message": "", "failure": "", "cause": "", "costs": {}, "note": "", "answer": "",
    }  # fmt: skip


def _blank(work: Work) -> Verdict:
    """A verdict that says nothing yet on an answer, or on the step of a network, for which there are no points."""
    if work.task not in NETWORKS:
        return not_started(find_task(work.task)) | {"seed": work.seed}
    return not_started(all_tasks()[0]) | {"task": work.task, "of": 0, "seed": work.seed}


def verdicts_of(
    submission: Submission, journal: Journal, seed: int, tasks: Sequence[Task] | None = None
) -> dict[str, Verdict]:
    """All verdicts on a submission, by task; one without is not started, not graded yet, or a generator answers it."""
    found: dict[str, Verdict] = {}
    for task in all_tasks() if tasks is None else tasks:
        known = journal.verdicts.get(work_key(submission, task.id, seed)) if task.id in submission.files else None
        found[task.id] = not_started(task) | (known or {})
        if known is None and task.id in submission.files:
            found[task.id] = not_started(task) | {"state": "not graded"}
    passed = [task for task, verdict in found.items() if verdict["state"] == "passed"]
    for name, by in credited(passed, submission.files).items():
        if name in found:
            found[name] |= {"state": "generated", "points": credit(find_task(name)), "message": told(by)}
    return found
