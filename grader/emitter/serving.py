"""A run of an answer as lines of JSON: first the order, then one request per case; out come the replies.

The order is `{"task": id, "place": file, "language": of errors, "files": {file: bytes}, "seconds": limit}`: the place
of the answer's file in the course (or where else it lies), its content, and those of other answers that it may import.
A request is `{"name": …, "given": {…}}`, a reply `{"name": …, "answer": {…}}` or `{"name": …, "error": {"kind": …,
"message": …, "where": …}}`; values as in `grader.emitter.values`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TextIO

from grader.emitter.guard import Guard
from grader.emitter.replies import Answering, Reply, answering, prepare, problem_of
from grader.emitter.values import Value, decode, encode
from haribote.answers.tasks import ROOT, find_task
from haribote.errors import HariboteError
from simulator.language import LANGUAGES, language_or_english, spoken
from simulator.messages import tr


@dataclass(frozen=True)
class Order:
    """An answer that is to run. place: of its file, from the course's folder. seconds: for all that it does.

    shared: the files of other answers that it may import, by place. language: what its errors are told in.
    """

    task: str
    place: str
    content: bytes
    shared: Mapping[str, bytes]
    seconds: float
    language: str = field(default_factory=language_or_english)

    def line(self) -> str:
        """As a line of JSON, without its line end."""
        files: dict[str, Value] = {self.place: self.content, **self.shared}
        texts: dict[str, Value] = {"task": self.task, "place": self.place, "language": self.language}
        return encode({**texts, "files": files, "seconds": self.seconds})


def read_order(line: str | bytes) -> Order:
    """The order in a line. Raises HariboteError for a line that is none."""
    values: dict[str, Any] = decode(line)
    try:
        task, place, seconds = str(values["task"]), str(values["place"]), float(values["seconds"])
        files = {str(name): bytes(content) for name, content in values["files"].items()}
        return Order(task, place, files.pop(place), files, seconds, str(values["language"]))
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise HariboteError(tr("an order is {task, place, language, files, seconds}")) from error


def serve(lines: Iterable[str | bytes], replies: TextIO) -> None:
    """Load the answer of the order and reply to one request after the other. Raises HariboteError for lines that are
    none.
    """
    waiting: Iterator[str | bytes] = iter(lines)
    order = read_order(next(waiting, ""))
    with spoken(order.language if order.language in LANGUAGES else "en"):
        answers = _loaded(order)
        for request in waiting:
            values = decode(request)
            name, given = values.get("name"), values.get("given")
            if not isinstance(name, str) or not isinstance(given, dict):
                raise HariboteError(tr("a request is {name, given}"))
            replies.write(answers(name, given).line() + "\n")
            replies.flush()


def _loaded(order: Order) -> Answering:
    """What replies; where the file cannot be loaded, it says so to every request."""
    task, path = replace(find_task(order.task), seconds=order.seconds), ROOT / order.place
    prepare(task)
    Guard(task, str(path), order.shared).install()
    try:
        return answering(task, path, order.content)
    except HariboteError as error:
        problem = problem_of(error)
        problem = replace(problem, kind="loading") if problem.kind == "answer" else problem
        return lambda name, given: Reply(name, problem=problem)
