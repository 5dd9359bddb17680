"""Stubs in Japanese: the same code, with the contracts that `grader contract` shows."""

from __future__ import annotations

import ast
import shutil
from pathlib import Path

import pytest

import grader.cli
from grader.stubs import MANIFEST, is_edited, reset, stub_of, write_stubs
from grader.translations.contracts import described
from grader.translations.stubs import stub_in, with_contract
from grader.translations.texts import translated
from haribote.answers.given import source_of
from haribote.answers.tasks import ROOT, Task, all_tasks, find_task
from simulator.language import spoken

RELU = find_task("5.12")


def without_words(text: str) -> str:
    """The code of a stub: no descriptions, and no text of what is raised."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:]
        if isinstance(node, ast.Raise) and "NotWritten" in ast.dump(node):
            node.exc = None
    return ast.dump(tree)


@pytest.mark.parametrize("task", all_tasks(), ids=lambda task: task.id)
def test_the_code_is_that_of_the_english_stub_and_the_contract_japanese(task: Task) -> None:
    english, japanese = stub_of(task, source_of(task)), stub_in(task, "ja")
    assert without_words(japanese) == without_words(english)
    found = translated(task, "ja")
    assert found is not None
    assert "\n\n".join(text for _, text in described(japanese)) == found.contract
    assert max(map(len, japanese.splitlines())) <= 121


@pytest.mark.parametrize("paragraphs", ["one", "one\n\ntwo\n\nthree"])
def test_a_contract_of_other_paragraphs_than_the_stub_has_leaves_it_as_it_is(paragraphs: str) -> None:
    stub = 'def f():\n    """First."""\n\n\ndef g():\n    """Second."""\n'
    assert with_contract(stub, paragraphs) == stub
    assert with_contract(stub, "eins\n\nzwei\nund") == (
        'def f():\n    """eins"""\n\n\ndef g():\n    """zwei\n    und\n    """\n'
    )


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A course of one task, whose stub is English."""
    for folder in ("solutions", "haribote"):
        (tmp_path / folder / "kernels").mkdir(parents=True)
    (tmp_path / "grader").mkdir()
    shutil.copy(ROOT / "solutions" / RELU.file, tmp_path / "solutions" / RELU.file)
    write_stubs(tmp_path, [RELU])
    return tmp_path


def test_a_stub_in_another_language_is_no_edited_file(course: Path) -> None:
    file, manifest = course / "haribote" / RELU.file, (course / MANIFEST).read_text()
    english, japanese = file.read_text(encoding="utf-8"), stub_in(RELU, "ja", course)
    assert reset(RELU, course, japanese) is None
    assert file.read_text(encoding="utf-8") == japanese != english
    assert not is_edited(RELU, course) and (course / MANIFEST).read_text() == manifest
    with spoken("ja"):
        assert write_stubs(course, [RELU]).kept == () and file.read_text(encoding="utf-8") == english
    file.write_text(japanese + "\n# mine\n", encoding="utf-8")
    assert is_edited(RELU, course) and reset(RELU, course, japanese) is not None


@pytest.mark.parametrize(
    ("language", "asked", "wanted"),
    [("ja", [], "ja"), ("ja", ["--lang", "en"], "en"), ("en", ["--lang", "ja"], "ja"), ("en", [], "en")],
)
def test_reset_writes_the_language_asked_for_else_that_of_the_moment(
    language: str, asked: list[str], wanted: str, course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HARIBOTE_LANG", language)
    monkeypatch.setattr(grader.cli, "reset", lambda task, text: reset(task, course, text))
    assert grader.cli.main(["reset", "5.12", *asked]) == 0
    assert (course / "haribote" / RELU.file).read_text(encoding="utf-8") == stub_in(RELU, wanted, course)
