"""The times in docs/workshops.md are true, and its mistakes are known to the grader."""

from __future__ import annotations

import re
from typing import NamedTuple

import pytest

from grader.selftest.mistakes import MISTAKES
from grader.trials import wrong_of
from haribote.answers.tasks import ROOT, find_task
from notebooks.clock import reading, writing
from notebooks.form import NotebookError
from simulator.language import VARIABLE
from simulator.messages import shown

PAGE = (ROOT / "docs" / "workshops.md").read_text(encoding="utf-8")
IN_JAPANESE = (ROOT / "docs" / "workshops.ja.md").read_text(encoding="utf-8")
_NOTEBOOK = re.compile(r"\.\./notebooks/(\S+?)\.ipynb\)")
HOURS = {"Four hours: from a graph to a first kernel": 4, "Day one": 7, "Day two": 7}


class Row(NamedTuple):
    """A line of a plan; the times in minutes."""

    at: str
    minutes: str
    what: str
    tasks: str
    read: str
    write: str


def plans() -> dict[str, list[Row]]:
    """Heading to the rows of the table below it."""
    found: dict[str, list[Row]] = {}
    title = ""
    for line in PAGE.splitlines():
        title = line.lstrip("# ") if line.startswith("##") else title
        if re.match(r"\| \d:", line):
            found.setdefault(title, []).append(Row(*(cell.strip() for cell in line.split("|")[1:-1])))
    return found


ROWS = [row for rows in plans().values() for row in rows]


@pytest.mark.parametrize("title", HOURS)
def test_the_clock_adds_up(title: str) -> None:
    clock = 0
    for row in plans()[title]:
        hour, minute = map(int, row.at.split(":"))
        assert hour * 60 + minute == clock, row
        clock += int(row.minutes)
    assert clock == HOURS[title] * 60


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.what[:20])
def test_a_row_promises_what_a_notebook_takes(row: Row) -> None:
    notebook, tasks = _NOTEBOOK.search(row.what), re.findall(r"\d+\.\d+", row.tasks)
    if notebook is None:
        assert not (row.tasks or row.read or row.write)
        return
    write = int(row.write or 0)
    assert write == writing(tasks) and all(find_task(task).notebook == notebook[1] for task in tasks)
    assert abs(int(row.read) - reading(notebook[1])) <= 3
    assert reading(notebook[1]) + write <= int(row.minutes)


def test_reading_counts_words_and_cells() -> None:
    assert 8 <= reading("02_autograd/02_gemm") <= 14
    with pytest.raises(NotebookError, match="02_autograd/09"):
        reading("02_autograd/09_none")


def test_what_is_written_at_a_catch_up_is_a_command() -> None:
    from grader.catchup import tasks_of

    commands = re.findall(r"`grader catchup ([^`]*)`", PAGE)
    assert len(commands) >= 6 and all(tasks_of(command.split()) for command in commands)


def mistakes(page: str) -> list[tuple[str, str]]:
    """The tasks of the usual mistakes, and the causes that checks name."""
    return re.findall(r"^\| (\d+\.\d+) \| .*? \| .*? \| (.*?) ?\|$", page, re.MULTILINE)


def test_causes_in_japanese_are_what_a_check_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "ja")
    assert mistakes(IN_JAPANESE) == [(task, shown(cause)) for task, cause in mistakes(PAGE)]


def test_every_mistake_is_rejected_and_named() -> None:
    rows = mistakes(PAGE)
    known = {(mistake.task, mistake.cause) for mistake in MISTAKES}
    assert len(rows) == 31
    for task, cause in rows:
        assert (task, cause) in known if find_task(task).is_kernel else (not cause and wrong_of(find_task(task)))
    assert {task for row in ROWS for task in re.findall(r"\d+\.\d+", row.tasks)} <= {task for task, _ in rows}
