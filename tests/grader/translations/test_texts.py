"""Texts of tasks in Japanese: whole, of the English texts as they are, and shown where Japanese is asked for."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from grader import contract
from grader.cli import main
from grader.translations.__main__ import entry, renewed
from grader.translations.texts import FOLDER, english, notebooks, texts_of, tomllib, translated
from haribote.answers.tasks import Task, all_tasks, find_task

TASKS = pytest.mark.parametrize("task", all_tasks(), ids=lambda task: task.id)
JAPANESE = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")
CODE = re.compile(r"`([^`(]*)[^`]*`")
"""What is in backquotes, to its first parenthesis: words between these may be translated."""


@TASKS
def test_every_task_is_in_japanese(task: Task) -> None:
    found, wanted = translated(task, "ja"), english(task)
    assert found is not None and found.of == wanted.of, "python -m grader.translations --new says what is to be done"
    assert len(found.hints) == len(wanted.hints)
    for text in (*found.hints, found.contract):
        assert JAPANESE.search(text), text


@TASKS
def test_a_contract_keeps_its_numbers_and_names(task: Task) -> None:
    found, wanted = translated(task, "ja"), english(task)
    assert found is not None
    names, kept = (sorted(set(CODE.findall(" ".join(text.contract.split())))) for text in (wanted, found))
    assert kept == names
    missing = set(re.findall(r"\d+", wanted.contract)) - set(re.findall(r"\d+", found.contract.replace(",", "")))
    assert not {number for number in missing if len(number) > 1}, "numbers of two digits and more"


def test_there_are_no_other_files() -> None:
    assert {path.relative_to(FOLDER / "ja").with_suffix("").as_posix() for path in FOLDER.glob("ja/*/*.toml")} == set(
        notebooks()
    )


def test_a_changed_original_makes_a_translation_stale() -> None:
    wanted = english(find_task("5.3"))
    found = renewed(wanted, None)
    assert (found.of, found.title) == (f"missing {wanted.of}", wanted.title)
    done = replace(found, of=wanted.of, title="題")
    assert renewed(wanted, done) == done
    later = replace(wanted, of="01234567")
    assert renewed(later, done).of == "stale 01234567"
    assert renewed(later, renewed(later, done)).of == "stale 01234567", "a second run forgets nothing"


def test_an_entry_is_read_as_it_is_written() -> None:
    wanted = english(find_task("4.3"))
    (table,) = tomllib.loads(entry(wanted)).values()
    assert (table["of"], table["title"], tuple(table["hints"])) == (wanted.of, wanted.title, wanted.hints)
    assert table["contract"].strip("\n") == wanted.contract


def test_the_language_of_the_moment_is_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    task = find_task("5.3")
    monkeypatch.setenv("HARIBOTE_LANG", "en")
    assert texts_of(task) == english(task)
    assert "Bring a matrix of 256x16 elements" in str(contract("5.3"))
    monkeypatch.setenv("HARIBOTE_LANG", "ja")
    assert JAPANESE.search(contract("5.3").text) and JAPANESE.search(contract("5.3")._repr_html_())
    assert main(["hint", "5.3", "--level", "1"]) == 0
    head, hint = capsys.readouterr().out.split("\n", 1)
    assert re.match(r"\D+ 5\.3\W+DL 256x16 A\W+\D+\b1\b.*3", head) and JAPANESE.search(hint)
    assert main(["contract", "5.3"]) == 0
    assert capsys.readouterr().out.startswith("5.3 (DL 256x16 A)\n\n")
    monkeypatch.setenv("HARIBOTE_LANG", "fr")
    assert main(["contract", "5.3"]) == 2
    assert "HARIBOTE_LANG is 'fr'" in capsys.readouterr().err
