"""The board of the shortest programs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grader.grade.board import as_page, board, ranked
from grader.grade.compilers import own_lines, parts, reference_lines
from grader.grade.coordinator import run, work_list
from grader.grade.journal import Journal
from grader.grade.steps import StepWork, step_work
from grader.grade.work import Work
from grader.stubs import source_of, stub_of
from grader.submissions.submission import Submission
from haribote.answers.tasks import ROOT, find_task
from haribote.errors import HariboteError
from haribote.network import NETWORKS
from tests.grader.grade.runs import learner, say_passed, threads

MUL = find_task("5.14")
SCORES = {"a": 4, "b": 3, "c": 3, "d": 9, "e": 2}


def room(monkeypatch: pytest.MonkeyPatch, *made: str) -> list[Submission]:
    """Ann, Bob, … with answers that cost what SCORES says, handed in at these times."""
    names = ("ann", "<b>ob", "cyd", "dan", "eve")
    class_ = [
        replace(learner(name, t5_14=letter), made=time) for name, letter, time in zip(names, SCORES, made, strict=False)
    ]
    monkeypatch.setattr("grader.grade.board.read_submissions", lambda paths, any_version: class_)
    return class_


def grade(work: Work) -> dict[str, Any]:
    score = SCORES[work.content.decode()]
    state = {"state": "failed"} if score == 2 else {}
    return say_passed(work) | {"costs": {"mul": [score, MUL.par]}, "file": work.digest} | state


def journal(folder: Path, class_: list[Submission]) -> None:
    with Journal(folder) as kept:
        run(work_list(class_, (MUL,), 1), kept, threads(), grade=grade)


def test_the_shortest_stand_first_and_of_equal_ones_the_earliest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal(tmp_path, room(monkeypatch, "2026-05-01", "2026-05-03", "2026-05-02", "2026-05-01", "2026-05-01"))
    made = board([], tmp_path)
    (entries,) = made.entries.values()
    assert [(entry.learner, entry.score, entry.medal) for entry in entries] == [
        ("cyd", 3, "gold"), ("<b>ob", 3, "gold"), ("ann", 4, "par"), ("dan", 9, ""),
    ]  # fmt: skip
    assert [place for place, _ in ranked(entries)] == [1, 1, 3]
    assert "1. cyd 3 (gold), 1. <b>ob 3 (gold), 3. ann 4 (par), and 1 more" in str(made)
    page = as_page(made)
    assert "&lt;b&gt;ob" in page and "<b>" not in page and "and 1 more" in page and "eve" not in page
    assert "default-src 'none'" in page and "http" not in page.replace("http-equiv", "")


def test_nothing_of_an_answer_is_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class_ = room(monkeypatch, "2026-05-01")
    class_[0] = replace(class_[0], files={"5.14": b"yield 'secret'"})
    monkeypatch.setitem(SCORES, "yield 'secret'", 3)
    journal(tmp_path, class_)
    assert "secret" not in str(board([], tmp_path)) + as_page(board([], tmp_path))


def test_what_is_not_graded_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class_ = room(monkeypatch, "2026-05-01", "2026-05-02")
    with pytest.raises(HariboteError, match="no right answer is graded"):
        board([], tmp_path)
    journal(tmp_path, class_[:1])
    made = board([], tmp_path)
    assert made.waiting == 1 and "1 answer not graded yet" in str(made) and "1 answer not graded yet" in as_page(made)


def whole(name: str, made: str, more: str = "") -> Submission:
    """Somebody who hands in the reference's compiler, with more lines in one of its files."""
    files = {task.id: (ROOT / "solutions" / task.file).read_bytes() for task in parts()}
    files["6.1"] += more.encode()
    return replace(learner(name), files=files, made=made)


def found(work: Work) -> dict[str, Any]:
    """Stands for `grade_one`: an answer, or a step that costs so many cycles."""
    if isinstance(work, StepWork):
        costs = {"-O0": [8_672.0, 9_000], "-O1": [5_000.0, 9_000]}
        return {"task": work.task, "state": "passed", "costs": costs, "file": work.whose}
    return say_passed(work) | {"costs": {}, "file": work.digest}


def test_the_shortest_whole_compiler_goes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class_ = [whole("ann", "2026-05-01", "X = 1\n"), whole("bob", "2026-05-02"), whole("cyd", "2026-05-03")]
    class_[2] = replace(class_[2], files={task: text for task, text in class_[2].files.items() if task != "5.47"})
    monkeypatch.setattr("grader.grade.board.read_submissions", lambda paths, any_version: class_)
    with Journal(tmp_path) as kept:
        run(work_list(class_, parts(), 1), kept, threads(), grade=found)
    made = board([], tmp_path)
    assert [(entry.learner, entry.score, entry.medal) for entry in made.compilers] == [
        ("bob", reference_lines(), "gold"), ("ann", reference_lines() + 1, "silver"),
    ]  # fmt: skip
    assert f"1. bob {reference_lines()} (gold), 2. ann" in str(made) and "cyd" not in as_page(made)
    assert "`grader grade --networks`" in str(made)


def test_the_fewest_cycles_of_a_step_are_those_that_grade_has_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class_ = [whole("ann", "2026-05-01"), replace(learner("bob"), made="2026-05-02")]
    monkeypatch.setattr("grader.grade.board.read_submissions", lambda paths, any_version: class_)
    verdicts = [{task: {"state": "passed"} for task in one.files} for one in class_]
    works = list(step_work(class_, verdicts, 1))
    assert [(work.task, work.levels, work.whose) for work in works] == [
        (name, (0,), class_[0].digest) for name in NETWORKS
    ]
    with Journal(tmp_path) as kept:
        run(works[:1], kept, threads(), grade=found)  # type: ignore[arg-type]
    made = board([], tmp_path)
    assert list(made.steps) == [works[0].task]
    assert [(entry.learner, entry.score, entry.level) for entry in made.steps[works[0].task]] == [("ann", 5_000, "-O1")]
    assert "1. ann 5,000 -O1 (gold)" in str(made) and "gold 19,640 cycles" in as_page(made)


def test_residency_and_a_scheduler_of_ones_own_open_the_other_levels() -> None:
    one = whole("ann", "2026-05-01")
    verdicts = {task: {"state": "passed"} for task in (*one.files, "7.2", "7.3", "7.4", "7.5")}
    files = dict.fromkeys(("7.2", "7.3", "7.4", "7.5"), b"")
    (first, _) = step_work([replace(one, files={**one.files, **files})], [verdicts], 1)
    assert first.levels == (0, 1)
    verdicts["5.47"] = {"state": "failed"}
    assert not list(step_work([one], [verdicts], 1))


def test_the_reference_has_the_parts_and_lines_that_instructors_read() -> None:
    page = (ROOT / "docs" / "instructors.md").read_text(encoding="utf-8")
    assert f"all {len(parts())} parts" in page and f"{reference_lines()} of them" in page


def test_lines_that_were_given_do_not_count() -> None:
    task = find_task("5.38")
    assert 0 < own_lines(task, (ROOT / "solutions" / task.file).read_bytes()) <= 10
    assert own_lines(task, stub_of(task, source_of(task)).encode()) <= 2  # NotWritten and its import
