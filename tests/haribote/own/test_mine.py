"""`haribote mine`: the learner's files in the order of the pipeline, their lines of code, what each did."""

from __future__ import annotations

import json
import os
import shutil
import textwrap
from dataclasses import asdict
from pathlib import Path

import pytest

from haribote.answers.given import REGION, given, source_of
from haribote.answers.tasks import ROOT, all_tasks, find_task
from haribote.own.ledger import Entry, Ledger
from haribote.own.marks import MARKS, MEDALS, Marks
from haribote.own.mine import FILE, RUN, code_lines, keep_ledger, kept_ledger, last_run, mine_lines, my_compiler

LEDGER = Ledger((
    Entry("trace", "1.1", "yours", 2, 6),
    Entry("generators", "5.40", "yours", 10, 0, 0, 600, 60, 400.0),
    Entry("kernels", "5.12", "yours", 3, 0, 3, 200, 40, 100.0),
    Entry("kernels", "5.19", "reference", 2, 0, 2, 200, 40, 500.0),
))  # fmt: skip


def learner(folder: Path, *tasks: str) -> Path:
    """A course's folder in which these tasks are written as the solutions are, and no others."""
    for task in all_tasks():
        target = folder / "haribote" / task.file
        target.parent.mkdir(parents=True, exist_ok=True)
        source = ROOT / ("solutions" if task.id in tasks else "haribote") / task.file
        shutil.copy(source, target)
    return folder


def test_lines_of_code_are_counted_without_what_explains_them() -> None:
    text = '"""Text."""\n\nimport re\n\n\ndef f():\n    """More\n    text."""\n    # why\n    return re  # here\n'
    assert code_lines(text).total() == 3 and not code_lines("def (")


def test_lines_of_the_frame_are_told_from_the_learners(tmp_path: Path) -> None:
    task = find_task("5.40")
    (found,) = my_compiler(root=learner(tmp_path, task.id))
    text = source_of(task)
    left = sum(code_lines(textwrap.dedent(region[3])).total() for region in REGION.finditer(text))
    assert left and found.lines == left and found.lines + found.given == code_lines(text).total() > 2 * left


def test_files_stand_in_the_order_of_the_pipeline(tmp_path: Path) -> None:
    root = learner(tmp_path, "6.1", "5.12", "5.40", "1.1", "2.3", "4.2")
    found = my_compiler(root=root)
    assert [it.task.id for it in found] == ["1.1", "2.3", "6.1", "5.40", "5.12"]  # 4.2 is an exercise
    assert all(it.lines > 0 and not it.entries for it in found)


def test_a_file_did_what_the_ledger_says_of_its_task(tmp_path: Path) -> None:
    root = learner(tmp_path, "1.1", "5.40", "5.44", "5.12", "5.19")
    did = {it.task.id: [entry.part for entry in it.entries] for it in my_compiler(LEDGER, root)}
    assert did == {"1.1": ["trace"], "5.40": ["generators"], "5.44": [], "5.12": ["kernels"], "5.19": []}


def test_the_last_run_is_found_from_a_notebook_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here, course = tmp_path / "notebooks" / "06_training", tmp_path
    here.mkdir(parents=True)
    monkeypatch.chdir(here)
    monkeypatch.setattr("haribote.own.mine.ROOT", course)
    assert last_run() == RUN
    keep_ledger(LEDGER, course / RUN)
    assert last_run() == course / RUN
    keep_ledger(LEDGER, here / RUN)
    os.utime(course / RUN / FILE, (1, 1))
    assert last_run() == RUN
    os.utime(here / RUN / FILE, (0, 0))
    assert last_run() == course / RUN


def test_what_is_printed(tmp_path: Path) -> None:
    root, folder = learner(tmp_path, "1.1", "5.40"), tmp_path / "run"
    (said,) = mine_lines(folder, learner(tmp_path / "nobody"))
    assert said.startswith("no part of the compiler is yours yet")
    assert "no run is known" in [*mine_lines(folder, root)][-1]
    keep_ledger(LEDGER, folder)
    assert kept_ledger(folder) == LEDGER
    lines = [*mine_lines(folder, root)]
    assert find_task("5.40").file in lines[2] and "10 calls, 60 % words, 40 % cycles" in lines[2]
    keep_ledger(LEDGER, folder)
    assert "part of 5.40" in "\n".join(mine_lines(folder, learner(tmp_path, "5.37", "5.40")))
    assert lines[-2].startswith("the last run") and "50 % cycles" in lines[-2] and lines[-1].endswith("kernels 5.19")
    (folder / FILE).write_text("[{")
    assert kept_ledger(folder) is None


def test_a_run_without_the_chip_shares_no_more_than_there_is(tmp_path: Path) -> None:
    """With C++ nothing has a share; where the host does all nodes, words, steps and cycles have none."""
    root = learner(tmp_path, "6.2")
    loop, host = Entry("loop", "6.2", "yours", 1), Entry("host", "", "product", 28, nodes=28)
    keep_ledger(Ledger((loop,)), tmp_path)
    assert [*mine_lines(tmp_path, root)][-1] == f"in the last run, in {tmp_path}, nothing ran on the chip"
    keep_ledger(Ledger((host, loop)), tmp_path)
    assert [*mine_lines(tmp_path, root)][-2] == f"the last run, in {tmp_path}, was yours to 0 % nodes"


def test_a_step_that_is_all_ones_own_has_its_mark(tmp_path: Path) -> None:
    root, entries = learner(tmp_path, "5.40"), (Entry("generators", "5.40", "yours", 10, 0, 3, 600, 60, 8_000.0),)
    keep_ledger(Ledger(entries, 8_672.0, "small"), tmp_path)
    marks = "the small network, all yours: 8,672 cycles a step, par (next: silver 7,292, gold 5,584)"
    assert [*mine_lines(tmp_path, root)][-1] == marks
    for ledger in (Ledger(entries, 8_672.0), Ledger((*entries, *LEDGER.entries), 8_672.0, "small")):
        keep_ledger(ledger, tmp_path)
        assert not any("cycles a step" in line for line in mine_lines(tmp_path, root))


def test_a_ledger_of_an_older_course_is_read(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text(json.dumps([asdict(entry) for entry in LEDGER.entries]))
    assert kept_ledger(tmp_path) == LEDGER


@pytest.mark.parametrize("marks", MARKS.values(), ids=MARKS)
def test_medals_of_cycles(marks: Marks) -> None:
    assert [marks.medal(at) for at in (marks.par + 1, marks.par, marks.silver, marks.gold)] == ["", *MEDALS]


def test_the_generators_are_as_long_as_the_notebooks_say() -> None:
    whole = own = 0
    for task in all_tasks():
        if task.shared:
            lines = code_lines((ROOT / "solutions" / task.file).read_text(encoding="utf-8"))
            whole, own = whole + lines.total(), own + (lines - code_lines(given(task))).total()
    said = (ROOT / "notebooks" / "source" / "00_start" / "02_first_kernel.md").read_text(encoding="utf-8")
    assert f"some {round(whole, -2)} lines together" in said and f"the {round(own, -1)} lines that matter" in said


@pytest.mark.parametrize("page", ["notebooks/source/06_training/03_all_yours.md", "docs/instructors.md"])
def test_the_marks_are_those_that_people_read(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert all(f"{cycles:,}" in text for marks in MARKS.values() for cycles in (marks.par, marks.gold))
