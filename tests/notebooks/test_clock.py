"""The times in docs/workshops.md are true, and its mistakes are known to the grader."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple

import pytest

from grader.selftest.mistakes import MISTAKES
from grader.trials import wrong_of
from haribote.answers.tasks import ROOT, all_tasks, find_task
from haribote.own.ledger import PARTS
from notebooks.clock import CORE, SMALL, STRETCH, by_lines, core_tasks, reading, stretches, writing
from notebooks.form import NotebookError
from simulator.language import VARIABLE
from simulator.messages import Text, shown

PAGE = (ROOT / "docs" / "workshops.md").read_text(encoding="utf-8")
IN_JAPANESE = (ROOT / "docs" / "workshops.ja.md").read_text(encoding="utf-8")
_NOTEBOOK = re.compile(r"\.\./notebooks/(\S+?)\.ipynb\)")
HOURS = {"Four hours: from a line to a network that trains with it": 4, "Day one": 7, "Day two": 7}


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
    read = reading(notebook[1], core=True)
    assert abs(int(row.read) - read) <= 3
    assert read + write <= int(row.minutes)


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
    assert mistakes(IN_JAPANESE) == [(task, shown(Text(cause))) for task, cause in mistakes(PAGE)]


def test_every_mistake_is_rejected_and_named() -> None:
    rows = mistakes(PAGE)
    known = {(mistake.task, mistake.cause) for mistake in MISTAKES}
    assert len(rows) == 49
    for task, cause in rows:
        assert (task, cause) in known if find_task(task).is_kernel else (not cause and wrong_of(find_task(task)))
    assert {task for row in ROWS for task in re.findall(r"\d+\.\d+", row.tasks)} <= {task for task, _ in rows}


def hours_up_to(notebook: str) -> float:
    """Reading and writing of the core, up to the end of a notebook."""
    route = CORE[: CORE.index(notebook) + 1]
    return sum(reading(name, core=True) + writing(task.id for task in core_tasks(name)) for name in route) / 60


def test_the_core_keeps_its_times() -> None:
    first = source("00_start/01_welcome").partition("%%puzzle")[0]
    assert len(first.split()) / 200 <= 10  # minutes, to the first line of one's own
    assert hours_up_to("00_start/02_first_kernel") <= 1.5
    assert hours_up_to(SMALL[-1]) <= 10
    assert hours_up_to(CORE[-1]) <= 18


def test_the_minutes_of_the_core_are_not_less_than_its_lines_take() -> None:
    """Single tasks may be a little off, rounded to five minutes; all of them together may not. Puzzles are one line."""
    tasks = [
        task for notebook in SMALL for task in core_tasks(notebook) if f"%%puzzle {task.id}" not in source(notebook)
    ]
    assert [task.id for task in tasks if task.minutes < by_lines(task) - 5] == []
    assert sum(task.minutes for task in tasks) >= sum(map(by_lines, tasks))
    assert len(tasks) > 20


def source(notebook: str) -> str:
    """The English source of a notebook."""
    return (ROOT / "notebooks" / "source" / f"{notebook}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("notebook", CORE)
def test_there_is_something_to_do_every_150_words(notebook: str) -> None:
    assert [stretch for stretch in stretches(notebook) if stretch[0] > STRETCH] == []


def test_a_long_stretch_would_be_seen() -> None:
    assert max(stretches("05_mncore_ops/04_products"))[0] > STRETCH


def test_every_core_task_is_on_the_route() -> None:
    known = {task.id for notebook in CORE for task in core_tasks(notebook)}
    assert known == {task.id for task in all_tasks() if task.level == "core"}


@pytest.mark.parametrize(("notebook", "following"), [*pairwise(CORE)])
def test_a_core_notebook_leads_to_the_next_one(notebook: str, following: str) -> None:
    here, there = notebook.partition("/")[0], following.partition("/")
    link = f"{there[2]}.ipynb" if there[0] == here else f"../{following}.ipynb"
    assert f"]({link})" in source(notebook).rstrip().rpartition("\n\n")[2]


@pytest.mark.parametrize("notebook", sorted({t.notebook for t in all_tasks()} - set(CORE)))
def test_what_is_not_core_says_so_at_its_beginning(notebook: str) -> None:
    opening = source(notebook).partition("**At the end**")[0]
    assert "Not core" in opening
    links = re.findall(r"\]\((?:\.\./)?([\w/]+)\.ipynb\)", opening)
    assert notebook.startswith("08") or any(name.endswith(link) for link in links for name in CORE)


def test_a_task_takes_as_long_as_its_notebook_says() -> None:
    found = 0
    for notebook in {task.notebook for task in all_tasks()}:
        for minutes, stage, number in re.findall(
            r"\*\*(?:Write|Copy)[^*]*\*\* \((\d+) minutes[^`]{0,120}?/t(\d+)_(\d+)_\w+\.py\)", source(notebook)
        ):
            found += 1
            assert find_task(f"{stage}.{number}").minutes == int(minutes), (notebook, stage, number)
    assert found > 20


def test_a_core_task_takes_part_in_the_run_or_is_called_an_exercise_at_the_beginning() -> None:
    called = {task for tasks in PARTS.values() for task in tasks}
    for notebook in CORE:
        opening = source(notebook).partition("\n## ")[0]
        for task in core_tasks(notebook):
            if not (task.is_kernel or task.shared or task.id in called):
                assert re.search(rf"\b{re.escape(task.id)}\b[^.]*exercise|puzzles \(4\.8 to 4\.10", opening), task.id
