"""Tasks 4.2 to 4.5: what a check says to answers that are right, dear, or wrong in a known way."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader import check
from grader.result import Result
from haribote.answers.tasks import ROOT, find_task

SLOW = pytest.mark.slow


def check_changed(task: str, changes: dict[str, str], tmp_path: Path) -> Result:
    """Check the solution with some of its text replaced."""
    text = (ROOT / "solutions" / find_task(task).file).read_text(encoding="utf-8")
    for old, new in changes.items():
        assert old in text, f"the solution to {task} has no {old!r}"
        text = text.replace(old, new)
    path = tmp_path / "answer.py"
    path.write_text(text, encoding="utf-8")
    return check(task, path=path, seed=3)


@pytest.mark.parametrize(
    ("task", "old", "new", "cause"),
    [
        ("4.2", "$llm{x + at // 2}v", "$llm{at // 2}v", "hard-coded address"),
        pytest.param("4.2", "@{group}.0 $d{target}@{group}", "@0.0 $d{target}@0", "hard-coded address", marks=SLOW),
        ("4.2", '    yield "nop/2"\n', "", "reads too early"),
        pytest.param("4.2", "{y + at // 2}v", "{y + at // 4}v", "wrong rows", marks=SLOW),
        ("4.3", 'yield "nop"  # LM0', 'yield "nop/1"; return  # LM0', ""),
        ("4.3", 'yield "nop"  # LM0', "pass  # LM0", "reads too early"),
        pytest.param("4.4", "$lm{x + at}v $ls", "$lm{at}v $ls", "hard-coded address", marks=SLOW),
        ("4.4", "$ln{y + at}v/$imr1", "$ln{y + at}v", "writes outside its output"),
        ("4.5", '    yield "nop/2"\n', "", "reads too early"),
        pytest.param("4.5", "range(0, count, 8)", "range(0, 8, 8)", "never written", marks=SLOW),
    ],
)
def test_a_wrong_answer_gets_its_cause(task: str, old: str, new: str, cause: str, tmp_path: Path) -> None:
    result = check_changed(task, {old: new}, tmp_path)
    assert result.state == "failed" and result.failure is not None
    assert result.failure.cause == cause


@pytest.mark.some(1)
@pytest.mark.parametrize(
    ("task", "old", "new", "words"),
    [
        ("4.3", "    yield from constant\n", "", 'the next line must be `imm f"'),
        ("4.3", "    yield from spread\n", "", "the text ends before the line `l1bmm $lb"),
        ("4.4", "fvpassa $lm{x + at}v $omr2", "fvpassa -$lm{x + at}v $omr2", "the other way round"),
        ("4.4", "$ls{at}v/$imr2", "$ls{at}v", "nothing is replaced"),
        ("4.5", "l1bmrffadd", "l1bmm@0", "only the 4 PEs of MAB 0 are added"),
        ("4.5", '        yield "msr $aluf $nowrite"\n', "", "one of the four PEs of a MAB is added twice"),
    ],
)
def test_a_known_mistake_is_named(task: str, old: str, new: str, words: str, tmp_path: Path) -> None:
    result = check_changed(task, {old: new}, tmp_path)
    assert result.failure is not None and words in result.failure.explanation


def test_where_nops_go_is_not_given_away(tmp_path: Path) -> None:
    failure = check_changed("4.3", {'yield "nop"  # LM0': "pass  # LM0"}, tmp_path).failure
    assert failure is not None and "needs 2 steps; 1 steps lie between" in failure.explanation
    assert failure.explanation.endswith("try: put `nop` between the two lines, or other work")  # not how many
    lines = (tmp_path / "answer.py").read_text(encoding="utf-8").splitlines()
    assert lines[int(failure.where.rpartition(":")[2]) - 1].strip() == "yield from square"


def test_more_nops_than_needed_are_right_but_over_par(tmp_path: Path) -> None:
    result = check_changed("4.3", {"if len(square) == 1": "if square"}, tmp_path)
    assert result.passed and result.points == 8
    assert [cost.score - cost.par for cost in result.costs] == [0, 1, 1, 1]


@pytest.mark.slow
def test_an_answer_that_fills_the_waits_is_under_par(tmp_path: Path) -> None:
    down = '    yield f"mvp/n{count} $d{source}'
    up = """    for at in range(0, count, 32):
        yield f"l1bmm@0 $lln{y + at // 2}v $llb{256 + at}"
"""
    result = check_changed("4.2", {up: "", '    yield "nop/2"\n': "", down: up + down}, tmp_path)
    assert result.passed and result.points == 10
    assert [cost.score - cost.par for cost in result.costs] == [-2, -2]


@pytest.mark.parametrize("task", ["4.2", "4.3", pytest.param("4.4", marks=SLOW), pytest.param("4.5", marks=SLOW)])
def test_the_par_of_a_task_is_the_sum_over_its_cases(task: str) -> None:
    result = check(task, path=ROOT / "solutions" / find_task(task).file, seed=5)
    assert result.points == find_task(task).points
    assert sum(cost.par for cost in result.costs) == find_task(task).par
