"""One case: what the learner's code replies to what is given, in this process or as lines of JSON."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, cast, get_args

from grader.emitter.forms import form_of
from grader.emitter.in_product import KEY, in_product
from grader.emitter.kernels import emit, op_of
from grader.emitter.limits import MARGIN, Budget
from grader.emitter.loading import AnswerError, Refused, explained, function_in, load, place_of, told
from grader.emitter.values import LIMIT, Value, ValueFormatError, Values, decode, encode
from haribote.answers.ownership import product_only, withheld
from haribote.answers.resolve import kernel_in
from haribote.answers.tasks import Task, path_shown
from haribote.errors import HariboteError, NotWritten
from haribote.kernel import Kernel
from simulator.messages import tr

Kind = Literal["answer", "refused", "not written", "loading"]
Answering = Callable[[str, Values], "Reply"]
"""(a case's name, what is given) -> the reply."""


@dataclass(frozen=True)
class Problem:
    """Why there is no answer. message: with file and line, as a learner reads it. where: file and line alone."""

    kind: Kind
    message: str
    where: str = ""


@dataclass(frozen=True, eq=False)
class Reply:
    """What came back for one case: an answer or a problem. text: the line that tells it, where it is known."""

    name: str
    answer: Values | None = None
    problem: Problem | None = None
    text: str = ""

    def line(self) -> str:
        """As a line of JSON, without its line end. An answer that is no plain value becomes a problem."""
        if self.text:
            return self.text
        if self.problem is None:
            try:
                return encode({"name": self.name, "answer": dict(self.answer or {})})
            except ValueFormatError as error:
                return Reply(self.name, problem=Problem("answer", str(error))).line()
        problem = self.problem
        return encode({"name": self.name, "error": {**vars(problem)}})


def read_reply(line: str | bytes, limit: int = LIMIT) -> Reply:
    """The reply in a line that an emitter wrote; nothing in it is trusted. Raises ValueFormatError."""
    values = decode(line, limit)
    name, answer, error = values.get("name"), values.get("answer"), values.get("error")
    if not isinstance(name, str) or len(values) != 2:
        raise ValueFormatError(tr("a reply is {name, answer} or {name, error}"))
    if isinstance(answer, dict):
        return Reply(name, answer)
    texts = isinstance(error, dict) and all(isinstance(error.get(key), str) for key in ("kind", "message", "where"))
    if not isinstance(error, dict) or not texts or error["kind"] not in get_args(Kind):
        raise ValueFormatError(tr("an error is {kind, message, where}, all of them text"))
    return Reply(name, problem=Problem(cast(Kind, error["kind"]), str(error["message"]), str(error["where"])))


def answering(task: Task, path: Path, content: bytes) -> Answering:
    """Load an answer, told as this file; a function that replies to one case. Raises AnswerError, NotWritten.

    The task's seconds are for loading and all cases together, so that a check takes no longer than grading allows.
    """
    prepare(task)
    budget, whole = Budget(task.seconds), Budget(task.seconds + MARGIN)
    with product_only(), withheld(task.id), explained(path, whole.seconds), whole.spending():
        module = load(path, content, budget)
        if task.is_kernel:
            return _answering_kernel(kernel_in(module, task.id), path, budget, whole)
        function, form = function_in(module, task, path, budget), form_of(task)

    place = place_of(function, path)

    def reply(given: Values) -> dict[str, Value]:
        try:
            return in_product(task, function, given) if KEY in given else form(function, given)
        except AnswerError as error:
            if error.where not in ("", path_shown(path)):
                raise
            raise AnswerError(error.message.removeprefix(f"{error.where}: "), error.try_, place) from error
        except NotWritten:
            raise
        except HariboteError as error:  # a graph that is not valid
            raise AnswerError(error.message, error.try_, place) from error
        except Exception as error:  # what it gave is of no use
            raise AnswerError(
                tr("what {name} gave is of no use: {error}", task.name, told(error)), "", place
            ) from error

    return lambda name, given: _reply(name, lambda: reply(given), path, whole)


def prepare(task: Task) -> None:
    """Import what an answer to this task imports before its time runs: torch alone takes seconds."""
    for module in (task.product.partition(":")[0], *task.may_import):
        with suppress(ImportError):  # where answers run, the module of the product's own may be missing
            importlib.import_module(module) if module else None


def answering_kernel(task: Task, kernel: Kernel, path: Path) -> Answering:
    """The same for a kernel at hand. path: of the file that its lines come from."""
    return _answering_kernel(kernel, path, Budget(task.seconds), Budget(task.seconds + MARGIN))


def _answering_kernel(kernel: Kernel, path: Path, budget: Budget, whole: Budget) -> Answering:
    return lambda name, given: _reply(name, lambda: emit(kernel, op_of(given), path, budget).answer(), path, whole)


def _reply(name: str, answer: Callable[[], dict[str, Value]], path: Path, budget: Budget) -> Reply:
    """The reply as its line tells it: plain values, whatever objects the answer gave."""
    try:
        with product_only(), explained(path, budget.seconds), budget.spending():
            line = encode({"name": name, "answer": answer()})
            return replace(read_reply(line), text=line)
    except NotWritten as error:
        return Reply(name, problem=Problem("not written", str(error)))
    except HariboteError as error:
        return Reply(name, problem=problem_of(error))


def problem_of(error: HariboteError) -> Problem:
    """What an error tells, as plain text."""
    kind: Kind = (
        "refused" if isinstance(error, Refused) else "not written" if isinstance(error, NotWritten) else "answer"
    )
    return Problem(kind, str(error), error.where if isinstance(error, AnswerError) else "")
