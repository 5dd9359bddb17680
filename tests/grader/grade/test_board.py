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
from grader.grade.work import Work
from grader.stubs import source_of, stub_of
from grader.submissions.submission import Submission, file_hash
from haribote.answers.tasks import ROOT, find_task
from haribote.errors import HariboteError
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
    return say_passed(work) | {"costs": {"mul": [score, MUL.par]}, "file": file_hash(work.content)} | state


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


def test_the_shortest_whole_compiler_goes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class_ = [whole("ann", "2026-05-01", "X = 1\n"), whole("bob", "2026-05-02"), whole("cyd", "2026-05-03")]
    class_[2] = replace(class_[2], files={task: text for task, text in class_[2].files.items() if task != "5.47"})
    monkeypatch.setattr("grader.grade.board.read_submissions", lambda paths, any_version: class_)
    with Journal(tmp_path) as kept:
        found = lambda work: say_passed(work) | {"costs": {}, "file": file_hash(work.content)}  # noqa: E731
        run(work_list(class_, parts(), 1), kept, threads(), grade=found)
    made = board([], tmp_path)
    assert [(entry.learner, entry.score, entry.medal) for entry in made.compilers] == [
        ("bob", reference_lines(), "gold"), ("ann", reference_lines() + 1, "silver"),
    ]  # fmt: skip
    assert f"1. bob {reference_lines()} (gold), 2. ann" in str(made) and "cyd" not in as_page(made)


def test_the_reference_has_the_parts_and_lines_that_instructors_read() -> None:
    page = (ROOT / "docs" / "instructors.md").read_text(encoding="utf-8")
    assert f"all {len(parts())} parts" in page and f"{reference_lines()} of them" in page


def test_lines_that_were_given_do_not_count() -> None:
    task = find_task("5.38")
    assert 0 < own_lines(task, (ROOT / "solutions" / task.file).read_bytes()) <= 10
    assert own_lines(task, stub_of(task, source_of(task)).encode()) <= 2  # NotWritten and its import
