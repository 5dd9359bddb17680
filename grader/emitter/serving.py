"""Requests as lines of JSON, replies as lines of JSON.

A request is `{"name": …, "given": {…}}`, a reply `{"name": …, "answer": {…}}` or `{"name": …, "error": {"kind": …,
"message": …, "where": …}}`; values as in `grader.emitter.values`.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

from grader.emitter.replies import Answering, Reply, answering, problem_of
from grader.emitter.values import decode
from haribote.answers.tasks import find_task
from haribote.errors import HariboteError


def serve(task: str, path: Path, requests: Iterable[str | bytes], replies: TextIO) -> None:
    """Load the answer and reply to one request after the other. Raises HariboteError for requests that are none."""
    answers = _loaded(task, path)
    for request in requests:
        values = decode(request)
        name, given = values.get("name"), values.get("given")
        if not isinstance(name, str) or not isinstance(given, dict):
            raise HariboteError("a request is {name, given}")
        replies.write(answers(name, given).line() + "\n")
        replies.flush()


def _loaded(task: str, path: Path) -> Answering:
    """What replies; where the file cannot be loaded, it says so to every request."""
    found = find_task(task)
    try:
        return answering(found, path)
    except HariboteError as error:
        problem = problem_of(error)
        return lambda name, given: Reply(name, problem=problem)
