"""From replies to a verdict: a pure function of task, seed and what the emitter replied.

`grade` collects replies from a sandbox, `check` from the same process; both judge them here, outside and trusted.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from grader.emitter.replies import Reply, read_reply
from grader.emitter.values import LIMIT, ValueFormatError, encode
from grader.feedback.causes import STALE
from grader.feedback.failure import Failure
from grader.feedback.next_step import with_next_step
from grader.points import over_par, partial
from grader.result import Cost, Result, State
from grader.sandbox.limits import Outcome
from grader.trials import Trial, refused, trials_of
from grader.unfinished import unwritten
from haribote.answers.ownership import product_only
from haribote.answers.tasks import Task, path_shown
from simulator.errors import UserError, advised
from simulator.language import language_or_english, spoken
from simulator.messages import Text, tr
from simulator.parsing import readable

_USELESS = (
    ArithmeticError, AssertionError, AttributeError, LookupError, MemoryError, RuntimeError, TypeError, ValueError,
)  # fmt: skip
"""What a judge may raise for an answer that is not of the form it needs."""
_UNANSWERED = Text("there is no answer to this case: the run ended before it")
Answer = Callable[[Trial], Reply]
SECONDS = 60.0  # that judging may take at least
SOURCES = "sources"  # in an answer of assembly: the line of the answer's file for each line of the text


@dataclass
class Verdict:
    """What is known so far. total: how many cases there are, 0 while they are not counted.

    earned: of the cases that earn a part of the points, `earning`, those that passed. chance: a result depends on what
    nobody wrote, so that the cases that passed did so by chance.
    """

    cases: int = 0
    total: int = 0
    earned: int = 0
    earning: int = 0
    chance: bool = False
    costs: list[Cost] = field(default_factory=list)
    failure: Failure | None = None
    written: bool = False

    def add(self, trial: Trial, reply: Reply) -> Failure | None:
        """Judge one more case; what is wrong with it, or None."""
        self.total += 1
        self.written |= not (reply.problem and reply.problem.kind == "not written")
        failure = judge_reply(trial, reply)
        self.earning += trial.earns
        if failure is None:
            self.cases += 1
            self.earned += trial.earns
            cost = trial.cost(reply.answer or {})
            if cost:
                self.add_cost(cost)
        self.chance |= failure is not None and failure.cause == STALE
        self.failure = self.failure or failure
        return failure

    def add_cost(self, cost: Cost) -> None:
        """Of several of one name the worst counts."""
        for number, known in enumerate(self.costs):
            if known.name == cost.name:
                self.costs[number] = max(known, cost, key=lambda one: one.score - one.par)
                return
        self.costs.append(cost)


def judge_answers(
    task: Task, seed: int, replies: Iterable[Reply], path: Path, trials: Iterable[Trial] | None = None
) -> Result:
    """Judge all cases of a task, one after the other, whatever fails on the way. trials: these, if they are at hand.

    The verdict depends on task, seed and the replies alone; `path` (the answer's file) only on how places are told.
    Result.cases of Result.total passed; a case without a reply has failed.
    """
    found = {reply.name: reply for reply in replies}
    trials = trials_of(task, seed) if trials is None else trials
    return judge_trials(task, trials, lambda trial: found.get(trial.name) or Reply(trial.name), seed, path)


def judge_trials(
    task: Task, trials: Iterable[Trial], reply: Answer, seed: int, path: Path, whole: bool = True
) -> Result:
    """Ask for one reply after the other and judge it, whatever fails on the way; where not `whole`, until one fails."""
    verdict = Verdict()
    first: dict[str, Reply] = {}
    with product_only(), spoken(language_or_english()):  # asked once, not for every message
        for trial in trials:
            received = reply(trial)
            if verdict.add(trial, received):
                first = first or {trial.name: received}
                if not whole:
                    verdict.total = verdict.earning = 0
                    break
    return result_of(task, verdict, seed, first, path)


def judge_reply(trial: Trial, reply: Reply) -> Failure | None:
    """What is wrong with the reply to one case, or None. No answer, whatever is in it, raises an error here."""
    if reply.problem:
        if reply.problem.kind == "loading":
            return Failure(tr("loading the file"), "", reply.problem.message)
        if reply.problem.kind == "refused":
            return refused(trial.name, reply.problem.message)
        return Failure(trial.name, "", reply.problem.message)
    if reply.answer is None:
        return Failure(trial.name, "", _UNANSWERED.said())
    try:
        return trial.failure(reply.answer)
    except UserError as error:
        return Failure(trial.name, "", str(error))
    except _USELESS as error:
        return Failure(trial.name, "", tr("the answer cannot be judged: {name}: {error}", type(error).__name__, error))


def seconds_to_judge(task: Task) -> float:
    """How long judging an answer may take: a graph may be right or wrong only after days."""
    return max(SECONDS, 4 * task.seconds)


def not_judged(task: Task, seed: int, path: Path, why: str) -> Result:
    """The verdict on an answer that could not be judged within the limits."""
    failure = Failure(tr("judging"), "", tr("the answer could not be judged: {why}", why))
    return Result(task.id, task.title, "failed", 0, task.points, path_shown(path), "", seed=seed, failure=failure)


def told_with(result: Result, task: Task, content: bytes, path: Path, outcome: Outcome) -> Result:
    """The result, its failure with the place of the answer's function and with what to try next."""
    failure = result.failure
    if failure is None:
        return result
    if failure.explanation == _UNANSWERED.said():
        advice = tr("an answer returns its result; take out what ends the program, such as exit() or os._exit()")
        if outcome.stopped:  # time, memory or output: what has no end uses up
            advice = tr("is there an endless loop?")
        failure = replace(failure, explanation=advised(failure.explanation, advice))
    return replace(result, failure=with_next_step(failure, task.id, _place_in(content, task, path)))


def _place_in(content: bytes, task: Task, path: Path) -> str:
    """Where the answer's function, or kernel, stands in its file; "" where that is not to be found."""
    functions = [node for node in readable(content).body if isinstance(node, ast.FunctionDef)]
    lines = [node.lineno for node in functions if (node.decorator_list if task.is_kernel else node.name == task.name)]
    return f"{path_shown(path)}:{lines[0]}" if lines else ""


def result_of(task: Task, verdict: Verdict, seed: int, replies: Mapping[str, Reply], path: Path) -> Result:
    """The result of a verdict, with file and line of what failed."""
    failure = verdict.failure and located(verdict.failure, replies, path)
    costs = tuple(verdict.costs)
    points, message = 0, ""
    state: State = "passed"
    if failure:
        earned = 0 if verdict.chance else verdict.earned
        state, points = "failed", partial(task.points, earned, verdict.earning)
    elif all(cost.score <= cost.par for cost in costs):
        points = task.points
    else:
        points, message = over_par(task.points), tr("right; at par it gives {points} points", task.points)
    if not verdict.written:
        state, points, message, failure = "not started", 0, unwritten(task, path), None
    return Result(
        task.id, task.title, state, points, task.points, path_shown(path), message, seed=seed, cases=verdict.cases,
        total=verdict.total, costs=costs, failure=failure,
    )  # fmt: skip


def located(failure: Failure, replies: Mapping[str, Reply], path: Path) -> Failure:
    """The failure with the place in the answer's file that gave the line of its text, where it is known."""
    reply = replies.get(failure.case)
    sources = reply.answer.get(SOURCES) if reply and reply.answer else None
    if not failure.line or failure.where or not isinstance(sources, list) or not sources:
        return failure
    source = sources[min(failure.line, len(sources)) - 1]
    return replace(failure, where=f"{path_shown(path)}:{source}") if type(source) is int else failure


def key_of(task: Task, seed: int, replies: Iterable[Reply]) -> str:
    """A hash of all that a verdict depends on, but for the grader itself: the same key gives the same verdict.

    The lines of the answer's file are left out: they are told, not judged.
    """
    digest = hashlib.sha256(f"{task.id} {seed}\n".encode())
    for reply in sorted(replies, key=lambda reply: reply.name):
        problem = [reply.problem.kind, reply.problem.message] if reply.problem else []
        content = {key: value for key, value in (reply.answer or {}).items() if key != SOURCES}
        try:
            digest.update(encode({"name": reply.name, "answer": content, "problem": [*problem]}).encode() + b"\n")
        except ValueFormatError as error:
            digest.update(f"{reply.name}: {error}\n".encode())
    return digest.hexdigest()


def note_of(outcome: Outcome) -> str:
    """How the run of an answer ended, where that is worth telling; "" where it came to its end."""
    if not outcome.stopped and not outcome.status:
        return ""
    why = outcome.stopped or tr("ended with status {status}", outcome.status)
    last = outcome.errors.strip().rsplit("\n", 1)[-1]
    return tr("the run of this file {why}", why) + (tr("; the last it said: {last}", last) if last else "")


def requests_of(task: Task, seed: int) -> Iterator[str]:
    """What `python -m grader.emitter` reads for a task behind the order: a line of JSON per case, without line ends."""
    with product_only():
        for trial in trials_of(task, seed):
            yield encode({"name": trial.name, "given": dict(trial.given)})


def replies_in(output: bytes, limit: int = LIMIT) -> list[Reply]:
    """The replies that an emitter wrote, the first one to each name; lines that are none are left out."""
    replies: dict[str, Reply] = {}
    for line in output.split(b"\n"):
        try:
            reply = read_reply(line, limit)
        except ValueFormatError:
            continue
        replies.setdefault(reply.name, reply)
    return list(replies.values())
