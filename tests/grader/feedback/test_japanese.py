"""What a learner is told about a wrong answer is Japanese from end to end where Japanese is the language."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from grader import check
from grader.feedback.causes import CAUSES
from grader.feedback.dependence import Dependence, Moves
from grader.feedback.guesses import _told, guesses
from grader.medals import medal_line
from grader.puzzles.judge import judge
from grader.puzzles.table import PUZZLES
from grader.rigs.kernel_cases import kernel_cases
from grader.selftest.mistakes import MISTAKES
from haribote.answers.ownership import answer_file
from haribote.answers.tasks import all_tasks, find_task
from haribote.kernel_table import KERNELS
from haribote.problems.meaning import meaning
from simulator.messages import shown, tr

COMPUTED = [row for row in KERNELS if row.op not in ("DL", "UL")]
TOLD = [mistake for mistake in MISTAKES if mistake.task in ("5.12", "5.14", "5.16", "5.18", "5.21")]
ENGLISH = re.compile(r"(?<![\w./$-])[A-Za-z]?[a-z]+(?:'s|n't)?,? [a-z]{2,}(?![\w(=/_-])")
CODE = re.compile(r"`[^`]*`|\S+\.py|：[a-z]\w+[ /].*|\$\w+ (?:cycle|row) \d+ word \d+")
"""What stays as it is: code, files, a line of assembly at the end, and how a word of a register is called."""


@pytest.fixture(autouse=True)
def japanese(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARIBOTE_LANG", "ja")


def english(text: str) -> list[str]:
    """The lines of a shown text that have two English words in a row."""
    return [line for line in shown(text).splitlines() if ENGLISH.search(CODE.sub("", line))]


def guessed() -> Iterator[str]:
    for row in COMPUTED:
        case = kernel_cases(row, 7)[0]
        if case.arrays[0].size <= 1 << 14:
            right = meaning(row, case.arrays, case.constant)[0]
            wrong = np.ones(right.shape, np.bool_)
            some = wrong.copy()
            some.flat[0] = False
            with np.errstate(all="ignore"):
                words = [guess.words for guess in guesses(case, right)]
            for marks, of in ((wrong, wrong), (some, wrong), (some, some)):
                yield from (_told(marks, of, one) for one in words)


@pytest.mark.slow
def test_guesses() -> None:
    told = sorted(set(guessed()))
    assert len(told) > 100
    assert [line for text in told for line in english(text)] == []


def test_what_a_result_depends_on() -> None:
    should, none = np.zeros((2, 4, 16), np.bool_)
    should[0] = True
    extra, some = none.copy(), should.copy()
    extra[1, 3] = extra[2, 5] = True
    some[0, 8:] = False
    every = [
        Moves("in0", counts, should, unknown, more)
        for counts in (none, extra, some | extra, should | extra)
        for unknown, more in ((none, False), (np.roll(should, 1, axis=0), False), (np.roll(should, 2, axis=0), True))
    ]
    told = {Dependence((0,), (moves,)).text for moves in every}
    assert len(told) > 5
    assert [line for text in told for line in english(text)] == []


def test_medals() -> None:
    tasks = [task for task in all_tasks() if task.gold]
    costs = [(task, count, score) for task in tasks for count in (1, 2) for score in (1, task.gold, task.par, 9999)]
    lines = {medal_line(task, [(score, task.par)] * count) for task, count, score in costs}
    assert [line for text in lines for line in english(text)] == []


def test_causes() -> None:
    assert [cause for cause in CAUSES if tr("likely cause: {cause}", cause=cause).endswith(cause)] == []


@pytest.mark.parametrize("task", ["4.8", "4.12", "4.15", "4.17"])
def test_puzzles(task: str) -> None:
    puzzle = PUZZLES[task]
    before = puzzle.shown()
    answers = ["", "nop\nnop\nnop\nnop", "nop", *puzzle.mistakes]
    failures = [judge(puzzle, "random memories", before, answer) for answer in answers]
    assert all(failures)
    assert [line for failure in failures if failure for line in failure.told(shown).splitlines() if english(line)] == []


@pytest.mark.slow
@pytest.mark.parametrize("mistake", TOLD, ids=lambda mistake: f"{mistake.task}-{mistake.cause}")
def test_checks(mistake: object, tmp_path: Path) -> None:
    assert isinstance(mistake, type(TOLD[0]))
    answer = answer_file(find_task(mistake.task), solutions=True)
    path = tmp_path / answer.name
    path.write_text(answer.read_text(encoding="utf-8").replace(mistake.old, mistake.new), encoding="utf-8")
    result = check(mistake.task, path=path, seed=7)
    assert not result.passed
    assert english(str(result)) == []
    assert not result.debuggable or english(result.debug(1000).report) == []
