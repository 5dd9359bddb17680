"""Puzzles in a notebook: what a cell shows, what is saved and where, and that nobody's work is lost."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell

from grader import check, puzzle
from grader.progress import Progress
from grader.puzzling import Attempt, attempt, save
from grader.stubs import stub_of
from haribote.answers.given import source_of
from haribote.answers.ownership import is_written
from haribote.answers.tasks import ROOT, find_task
from haribote.answers.verdicts import last_verdict
from simulator.notebook.card import Card
from simulator.pictures import Picture

TASK = find_task("4.8")
RIGHT, WRONG = "lpassa $lm0v $ln0v/0110", "lpassa $lm0v $ln0v"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A tree with the stub of one puzzle."""
    path = tmp_path / "haribote" / TASK.file
    path.parent.mkdir(parents=True)
    path.write_text(stub_of(TASK, source_of(TASK)), encoding="utf-8")
    return tmp_path


def test_a_right_answer_is_saved_and_counts(root: Path) -> None:
    path = root / "haribote" / TASK.file
    found = attempt("4.8", f"{RIGHT}\n", root)
    assert isinstance(found, Attempt) and found.result.passed and "saved in" in repr(found)
    assert Progress(root).points(TASK) == 2
    assert path.read_text(encoding="utf-8").endswith(f'    """\n    yield "{RIGHT}"\n')
    assert "NotWritten" not in path.read_text(encoding="utf-8") and is_written(path)
    assert check("4.8", path=path).passed and last_verdict(TASK, root) == "passed"
    assert "<svg" in found._repr_html_() and "Your lines at work" in found._repr_html_()
    again = attempt("4.8", "# nothing new", root)
    assert isinstance(again, Attempt) and again.result.passed and not again.saved
    assert not (root / "backup").exists()


def test_a_wrong_answer_changes_nothing(root: Path) -> None:
    path = root / "haribote" / TASK.file
    before = path.read_bytes()
    found = attempt("4.8", WRONG, root)
    assert isinstance(found, Attempt) and not found.result.passed and "hint: all four cycles write" in repr(found)
    assert attempt("4.8", "lpassa $lm0q", root)._repr_html_().count("Traceback") == 0
    assert path.read_bytes() == before
    card = attempt("4.8", "# my line", root)
    assert isinstance(card, Card) and "write your line" in str(card)


@pytest.mark.parametrize("edited", ['def lines():\n    yield "my own"\n', "def lines(:\n", "\n"])
def test_what_somebody_wrote_by_hand_is_kept(root: Path, edited: str) -> None:
    path = root / "haribote" / TASK.file
    path.write_text(edited, encoding="utf-8")
    save(TASK, RIGHT, root)
    kept = list((root / "backup").iterdir())
    assert [file.read_text(encoding="utf-8") for file in kept] == [edited]
    assert check("4.8", path=path).passed
    save(TASK, 'lpassa $lm[0,2,4,6] $ln0v/0110  # "my" \\ way', root)  # ours by now: no further copy
    assert check("4.8", path=path).passed
    save(TASK, RIGHT, root)
    assert len(list((root / "backup").iterdir())) == 1


def test_with_the_solutions_nothing_is_saved(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARIBOTE_SOLUTIONS", "1")
    before = (root / "haribote" / TASK.file).read_bytes()
    found = attempt("4.20", "# your line")
    assert isinstance(found, Attempt) and found.result.passed and not found.saved
    assert isinstance(attempt("4.8", RIGHT), Attempt)
    assert (root / "haribote" / TASK.file).read_bytes() == before


def test_mistakes_in_the_name_become_cards() -> None:
    assert isinstance(puzzle("4.8"), Picture) and "two of four cycles" in repr(puzzle("4.8"))
    assert "did you mean" in str(puzzle("4.88")) and "is no puzzle" in str(puzzle("5.12", "nop"))


@pytest.fixture(scope="module")
def shell() -> Iterator[InteractiveShell]:
    yield InteractiveShell.instance()
    InteractiveShell.clear_instance()


def test_the_cell_magic_judges(shell: InteractiveShell, monkeypatch: pytest.MonkeyPatch) -> None:
    from grader.puzzling import load

    load(shell)
    before = (ROOT / "haribote" / TASK.file).read_bytes()
    result = shell.run_cell(f"%%puzzle 4.8\n{WRONG}\n")
    assert result.success and isinstance(result.result, Attempt) and not result.result.result.passed
    monkeypatch.setenv("HARIBOTE_SOLUTIONS", "1")
    assert shell.run_cell("%%puzzle 4.8\n# your line\n").result.result.passed
    assert isinstance(shell.run_cell("%%puzzle 9.9\nnop\n").result, Card)
    assert (ROOT / "haribote" / TASK.file).read_bytes() == before


@pytest.mark.slow
def test_the_debugger_begins_at_the_first_wrong_word(root: Path) -> None:
    path = root / "haribote" / find_task("4.20").file
    path.write_text('def lines():\n    yield "nop"\n    yield "lpassa $lm0v $ln0v"\n', encoding="utf-8")
    found = check("4.20", path=path, seed=1).debug()
    assert "the first wrong word is word 0 of LM1 in $n0n0c0b0m0p0" in found.report
    assert f"written by line 4, cycle 0 ({path.name}:3): lpassa" in found.report and found.page
