"""Every puzzle: its answer passes, other right answers too, and each known mistake is told by its own hint."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from grader.puzzles.judge import judge
from grader.puzzles.picture import puzzle_picture
from grader.puzzles.table import PUZZLES
from haribote.answers.ownership import answer_file
from haribote.answers.tasks import find_task

OTHERS = [
    ("4.8", "lpassa $lm[0,2,4,6] $ln[0,2,4,6]/0110"),
    ("4.8", "fvpassa $lm0v $ln0v/0110"),
    ("4.9", "ipassa $m[1,3,5,7] $n[0,1,2,3]"),
    ("4.11", "lpassa $llm0v $lln[12,8,4,0]"),
    ("4.12", "lpassa $lm0v $ls0v; fvadd $lm0v $lm0v $ln0v"),
    ("4.14", "l1bmm $llb0 $llm0/ll0010"),
    ("4.14", "l1bmm $lb16 $lm0v/1100"),
    ("4.17", "fvpassa $lm8v $nowrite\nfvadd $lm0v $mauf $ln0v"),
    ("4.17", "# both ways round\nlpassa $lm0v $nowrite\n\nfvadd $lm8v $aluf $ln0v"),
    ("4.18", "nop\nlpassa $ls0v $ln8v"),
    ("4.19", "msr $lm0v $nowrite\nmsr $aluf $ln0v"),
    ("4.20", "ixor $subpeid $t $omr3\nfvpassa $lm0v $ln0v/$imr3"),
    ("4.22", "lpassa $lmt[0,2,4,6] $ln0v"),
]
REFUSED = [
    ("4.8", "", "there is no line"),
    ("4.8", "# nothing", "there is no line"),
    ("4.8", "nop\nlpassa $lm0v $ln0v/0110", "one line will do, received 2"),
    ("4.8", "lpassa $lm0v $ln0v/01", "the assembler says"),
    ("4.8", "quit", "`quit` would end"),
    ("4.13", "l1bmp $lb4 $ln0v $lm100v", "word 100 of LM0 has changed, which should stay as it was"),
    ("4.15", "l2bmd $lc256 $lb32; lpassa $ls0v $ln8v", "word 8 of LM1 has changed"),
    ("4.16", "l1bmd $lb0 $lm0v", "words of LM0 are not as wanted, which should stay as it was"),
    ("4.17", "lpassa $lm8v $ls0v\nfvadd $lm0v $ls0v $ln0v", "needs 1 step,"),
    ("4.17", "fvadd $lm0v $aluf $ln0v", "likely cause: stale value"),
    ("4.19", "msl $lm0v $ln0v\nmsl $ln0v $ln0v", "hint: there is no time for a nop"),
    ("4.18", "nop/3", "two steps will do, received 3"),
    ("4.18", "nop", "needs 2 steps"),
    ("4.20", "lpassa $lm0v $ln0v/$imr1", "are not as wanted"),
]


def solution(task: str) -> str:
    """The lines of the course's own answer."""
    source = answer_file(find_task(task), solutions=True).read_text(encoding="utf-8")
    return "\n".join(re.findall(r"""(?m)^    yield ["'](.*)["']$""", source))


def verdict(task: str, lines: str) -> str:
    """What is said of an answer; "" where it is right."""
    puzzle = PUZZLES[task]
    return str(judge(puzzle, "case", puzzle.random(np.random.default_rng(5)), lines) or "")


@pytest.mark.some(4)
@pytest.mark.parametrize("task", PUZZLES)
def test_its_answer_passes_within_its_limits_and_its_picture_says_so(task: str) -> None:
    puzzle, lines = PUZZLES[task], solution(task)
    assert lines.count("\n") + 1 == puzzle.lines == find_task(task).par
    assert verdict(task, lines) == ""
    picture = puzzle_picture(puzzle, task, lines)
    ET.fromstring(picture.text)
    assert "as wanted ✓" in picture.text and "framed" not in picture.text
    asked = puzzle_picture(puzzle, task)
    assert "your line" in asked.text and all(line not in asked.text for line in lines.split("\n") if line != "nop")


@pytest.mark.slow
@pytest.mark.parametrize("task", PUZZLES)
def test_every_mistake_is_refused_with_its_own_hint(task: str) -> None:
    assert len(PUZZLES[task].mistakes) >= (1 if task == "4.18" else 2)
    for lines, hint in PUZZLES[task].mistakes.items():
        said = verdict(task, lines)
        assert "hint: " + hint in said, (lines, said)
        assert "(framed)" in puzzle_picture(PUZZLES[task], task, lines).text


@pytest.mark.slow
@pytest.mark.parametrize(("task", "lines"), OTHERS)
def test_other_right_answers_are_taken(task: str, lines: str) -> None:
    assert verdict(task, lines) == ""


@pytest.mark.parametrize(("task", "lines", "says"), REFUSED)
def test_what_is_refused_and_why(task: str, lines: str, says: str) -> None:
    assert says in verdict(task, lines), verdict(task, lines)


def test_a_line_that_fails_is_counted_in_the_answer_itself() -> None:
    puzzle = PUZZLES["4.20"]
    before = puzzle.random(np.random.default_rng(0))
    failure = judge(puzzle, "case", before, "ixor $subpeid $t $omr1\nlpassa $lm0q $ln0v/$imr1")
    assert failure and failure.line == 2
    early = judge(PUZZLES["4.18"], "case", PUZZLES["4.18"].random(np.random.default_rng(0)), "lpassa $ls0v $ln8v")
    assert early and early.line == 2  # the line behind the answer's only one
