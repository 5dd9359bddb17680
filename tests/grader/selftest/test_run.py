"""The self-test's reports, in one process and in several."""

from __future__ import annotations

import os

import pytest

from grader.selftest.mistakes import MISTAKES
from grader.selftest.run import SelftestReport, selftest, task_report
from haribote.answers.tasks import all_tasks, find_task
from tests.long_runs import LONG


def test_reports_add_up() -> None:
    total = SelftestReport(seconds=1)
    total.add(SelftestReport(stubs=1, killed=3, exercises_killed=2, survivors=["a"], equivalent=4))
    total.add(SelftestReport(stubs=1, exercise_survivors=["b"], faults=["c"]))
    assert total.mutants == 7 and total.kill_rate == 5 / 7 and total.stubs == 2 and not total.passed
    assert "3 of 4 of kernels, 2 of 3 of other tasks, together 71.4%; 4 more" in str(total)


def test_a_broken_course_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grader.selftest.run.wrong_of", lambda task: (("argmax", "argmax"),))
    monkeypatch.setattr("grader.selftest.run.stub_of", lambda task, source: source.replace("argmax", "argmin"))
    faults = "\n".join(task_report("0.1", 0).faults)
    for fault in ("its stub is failed", "when it is run", "`argmax` passes", "fewer than two wrong answers"):
        assert fault in faults


@pytest.mark.slow
def test_several_processes_find_the_same() -> None:
    tasks = [find_task("0.1"), find_task("5.12"), find_task("2.5")]
    alone, together = selftest(tasks, 2), selftest(tasks, 2, workers=2)
    alone.seconds = together.seconds = 0
    assert alone == together and alone.passed and alone.causes == sum(mistake.task == "5.12" for mistake in MISTAKES)


RELU = find_task("5.12")


@pytest.mark.slow
def test_selftest_of_one_task() -> None:
    report = selftest([RELU], mutants=2)
    assert report.passed and report.kill_rate == 1 and report.mutants > 0 and report.wrong_answers >= 2
    assert "the course is sound" in str(report)


@LONG
@pytest.mark.slow
def test_selftest_of_the_course() -> None:
    report = selftest(all_tasks(), mutants=1, workers=os.cpu_count() or 1)
    print(report)
    assert report.passed, str(report)
    assert report.kill_rate > 0.96 and report.stubs == report.solutions == len(all_tasks())
