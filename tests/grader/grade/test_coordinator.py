"""Runs of many submissions: who gets which verdict, whatever happens to workers and to the run itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from grader.grade.coordinator import Waiting, work_key, work_list
from grader.grade.journal import NAME
from grader.grade.report import report_of
from grader.grade.work import Work
from tests.grader.grade.runs import TASKS, graded, learner, say_passed, states, threads


def raise_error(work: Work) -> dict[str, Any]:
    if work.content == b"vanish":
        raise RuntimeError("no room")
    return say_passed(work)


def test_every_answer_gets_one_verdict(tmp_path: Path) -> None:
    class_ = [learner(f"learner{n}", t0_1=f"a{n}", t5_12="b") for n in range(20)]
    journal = graded(tmp_path, class_, threads(), say_passed)
    assert len(journal.verdicts) == 40
    lines = (tmp_path / NAME).read_text().splitlines()
    assert len(lines) == 40 == len({json.loads(line)["key"] for line in lines})


def test_a_run_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    class_ = [learner(f"learner{n}", t0_1=f"a{n}") for n in range(6)]
    asked: list[str] = []

    def stopping(work: Work) -> dict[str, Any]:
        asked.append(work.submission)
        if len(asked) == 4:
            raise KeyboardInterrupt
        return say_passed(work)

    with pytest.raises(KeyboardInterrupt):
        graded(tmp_path, class_, threads(1), stopping)
    with (tmp_path / NAME).open("a") as file:
        file.write('{"key": "half a li')
    before = len(asked)
    journal = graded(tmp_path, class_, threads(1), stopping)
    assert len(journal.verdicts) == 6 and len(asked) - before == 3
    lines = (tmp_path / NAME).read_text().splitlines()
    assert len(lines) == 6 and all(json.loads(line) for line in lines)


def test_trouble_is_not_the_learners_fault(tmp_path: Path) -> None:
    class_ = [learner("ada", t0_1="x"), learner("bad", t0_1="vanish"), learner("eve", t0_1="y")]
    journal = graded(tmp_path, class_, threads(), raise_error)
    assert [states(journal, s)["0.1"] for s in class_] == ["passed", "trouble", "passed"]
    verdict = journal.verdicts[work_key(class_[1], "0.1", 1)]
    assert "not this answer's fault" in verdict["message"] and "no room" in verdict["message"]
    assert "own trouble: 0.1" in report_of(class_, journal, 1).remarks(1)[0]


def test_a_worker_goes_on_with_its_task_and_begins_none_of_the_others() -> None:
    waiting = Waiting(work_list([learner(f"learner{n}", t0_1=f"a{n}", t5_12="b") for n in range(2)], TASKS, 1))
    asked = [("", ()), ("", ("0.1",)), ("0.1", ("5.12",)), ("0.1", ("5.12",)), ("5.12", ())]
    found = [work and work.task for work in (waiting.next_for(task, others) for task, others in asked)]
    assert found == ["0.1", "5.12", "0.1", "5.12", None]
