"""Replies as lines: what was said comes back, and forged lines are refused."""

from __future__ import annotations

import pytest

from grader.emitter.replies import Problem, Reply, read_reply
from grader.emitter.values import ValueFormatError


def test_replies_come_back_as_they_were() -> None:
    assert read_reply(Reply("a", {"x": 3}).line()).answer == {"x": 3}
    problem = Problem("refused", "no", "file.py:3")
    assert read_reply(Reply("b", problem=problem).line()).problem == problem
    no_value = read_reply(Reply("c", {"x": object()}).line())  # type: ignore[dict-item]
    assert no_value.problem and "object is no plain value" in no_value.problem.message


@pytest.mark.parametrize(
    "line",
    ["{}", '{"name": 3, "answer": {}}', '{"name": "a", "answer": 3}', '{"name": "a", "answer": {}, "more": 1}',
     '{"name": "a", "error": {"kind": "passed", "message": "", "where": ""}}', '{"name": "a", "error": {"kind": []}}'],
)  # fmt: skip
def test_forged_replies_are_refused(line: str) -> None:
    with pytest.raises(ValueFormatError):
        read_reply(line)
