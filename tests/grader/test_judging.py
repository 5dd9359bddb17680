"""The trusted side: verdicts over all cases, and answers that were made to hurt."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grader.emitter.replies import Problem, Reply
from grader.judging import judge_answers, judge_reply, key_of, replies_in, requests_of
from grader.running import replies_to
from grader.trials import compare, trials_of
from haribote.answers.ownership import answer_file, product_only
from haribote.answers.tasks import ROOT, Task, all_tasks, find_task

SOLUTION = answer_file(find_task("2.3"), solutions=True)


def replies(task: Task, path: Path, seed: int = 3) -> list[Reply]:
    return replies_to(task, path, trials_of(task, seed))


def test_all_cases_are_judged() -> None:
    task = find_task("2.3")
    own = list(replies(task, SOLUTION))
    good = judge_answers(task, 3, own, SOLUTION)
    assert good.passed and good.points == task.points and good.cases == good.total == len(own)
    wrong = [replace(own[0], answer={"model": b"rubbish"}), *own[1:3], *own[4:]]
    bad = judge_answers(task, 3, wrong, SOLUTION)
    assert bad.state == "failed" and bad.points == 3 and (bad.cases, bad.total) == (len(own) - 2, len(own))
    assert bad.failure and bad.failure.case == own[0].name and "no ONNX graph" in bad.failure.explanation
    assert judge_answers(task, 3, [], SOLUTION).cases == 0


def test_unwritten_in_every_case_is_not_started() -> None:
    task = find_task("0.1")
    unwritten = [Reply(trial.name, problem=Problem("not written", "no")) for trial in trials_of(task, 3)]
    assert judge_answers(task, 3, unwritten, SOLUTION).state == "not started"
    assert judge_answers(task, 3, [*unwritten[1:], Reply(unwritten[0].name, {})], SOLUTION).state == "failed"


def test_a_verdict_depends_on_the_text_alone() -> None:
    task = find_task("5.12")
    path = answer_file(task, solutions=True)
    own = list(replies(task, path))
    other_lines = [replace(r, answer={**(r.answer or {}), "sources": [7] * 3}) for r in own]
    assert key_of(task, 3, own) == key_of(task, 3, other_lines) == key_of(task, 3, reversed(own))
    assert key_of(task, 3, own) != key_of(task, 4, own) != key_of(task, 4, own[1:])
    broken = [replace(r, answer={"text": "ferlu $lm0v $ln0v\n", "sources": [42]}) for r in own]
    failure = judge_answers(task, 3, broken, ROOT / "haribote" / task.file).failure
    assert failure and failure.where == f"haribote/{task.file}:42" and failure.line == 1
    no_places = [replace(r, answer={"text": "ferlu\n", "sources": "x"}) for r in own]
    failure = judge_answers(task, 3, no_places, path).failure
    assert failure and failure.where == ""


def test_costs_decide_about_the_points() -> None:
    task = find_task("5.12")
    own = list(replies(task, answer_file(task, solutions=True)))
    slow = [replace(r, answer={"text": f"{(r.answer or {})['text']}nop\n"}) for r in own]
    result = judge_answers(task, 3, slow, SOLUTION)
    assert result.passed and result.points == 8 and result.costs[0].score == 3


ODD: list[Any] = [None, 3, -1.5, "text", b"bytes", [], [1], {}, {"a": 1}, True, np.zeros(0), np.full((2, 2), np.nan)]
ODD += [np.array(True), np.zeros((1,) * 9), 10**30, float("nan"), "nop\n" * 3, "\0" * 99, [[]] * 5]


QUICK = ("0.1", "1.2", "2.3", "3.2", "3.3", "3.4", "3.5", "4.1", "4.3", "5.1", "6.1", "6.2", "7.1", "7.3")


some_tasks = pytest.mark.parametrize(
    "task",
    [
        pytest.param(task, id=task.id, marks=() if task.id in QUICK else pytest.mark.slow)
        for task in all_tasks()
        if not task.is_kernel or task.id in QUICK
    ],
)


@pytest.mark.some(1)
@some_tasks
def test_no_answer_breaks_a_judge(task: Task) -> None:
    """Values of every other kind in place of the right ones: a failure, never an error."""
    with product_only():
        trial = next(trials_of(task, 3))
        own = replies_to(task, answer_file(task, solutions=True), [trial])[0].answer
        assert own
        for value in ODD:
            for key in own:
                judge_reply(trial, Reply(trial.name, {**own, key: value}))
            assert judge_reply(trial, Reply(trial.name, dict.fromkeys(own, value)))
        assert judge_reply(trial, Reply(trial.name, {}))


@some_tasks
def test_requests_are_lines(task: Task) -> None:
    lines = list(requests_of(task, 3))
    assert lines and all("\n" not in line for line in lines)


def test_output_that_is_no_reply_is_left_out() -> None:
    good = Reply("a", {"x": 1}).line().encode()
    found = replies_in(b"\xff\n{}\n\n" + good + b"\n" + Reply("a", {"x": 2}).line().encode() + b"\nmore")
    assert len(found) == 1 and found[0].answer == {"x": 1}


def test_compare_tells_the_first_difference() -> None:
    x = np.arange(6.0).reshape(2, 3)
    assert compare("c", {}, x, x + 1e-7) is None
    assert compare("c", {}, np.array([np.inf]), np.array([np.inf])) is None
    failure = compare("c", {"x": [1]}, x, np.where(x == 4, np.nan, x))
    assert failure and "1 of 6" in failure.explanation and "[1, 1]: expected 4, received nan" in failure.explanation
    shape = compare("c", {}, x, x.T)
    assert shape and "[2, 3], received [3, 2]" in shape.explanation
