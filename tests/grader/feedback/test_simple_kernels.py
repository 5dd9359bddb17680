"""Kernels in another style than the solutions': right ones pass, and a mistake in them is called by its name."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent, indent

import pytest

from grader import check
from grader.feedback.causes import (
    ARITHMETIC,
    LEFT_OUT,
    MISPAIRED,
    NEGATIVE,
    OFF_BY_ONE,
    WRONG_COLUMNS,
    WRONG_PLACE,
)
from grader.judges.kernel import judge_case
from grader.result import Result
from grader.rigs.kernel_cases import kernel_cases
from haribote.answers.tasks import ROOT, find_task
from haribote.kernel import Op, Operand
from haribote.kernel_table import BY_NAME
from simulator import assemble

BEGIN, END = "    ### BEGIN SOLUTION\n", "    ### END SOLUTION"

SUM_ROWS = """\
x, y = op.x, op.y
for at in range(0, 64, 4):
    yield f"ipassa {x.word(4 * at + 1, 4)} $nowrite"
    yield f"fvadd {x.word(4 * at, 4)} $aluf $r0v"
    yield f"ipassa {x.word(4 * at + 3, 4)} $nowrite"
    yield f"fvadd {x.word(4 * at + 2, 4)} $aluf $nowrite"
    yield "fvadd $r0v $mauf $r8v"
    yield "msl $mauf $nowrite"
    yield "fvadd $r8v $aluf $r16v"
    yield "msl $mauf $nowrite"
    yield "msl $aluf $nowrite"
    yield f"fvadd $r16v $aluf {y.word(at)}"
"""
MAX_ROWS = """\
x, y = op.x, op.y
yield 'imm f"-inf" $s0v'
yield "nop/3"
for at in range(0, 64, 4):
    yield f"fmax {x.word(4 * at, 4)} $s0v $nowrite"
    yield f"fmax {x.word(4 * at + 1, 4)} $aluf $nowrite"
    yield f"fmax {x.word(4 * at + 2, 4)} $aluf $nowrite"
    yield f"fmax {x.word(4 * at + 3, 4)} $aluf $r0v"
    yield "msl $aluf $nowrite"
    yield "fmax $r0v $aluf $r8v"
    yield "msl $aluf $nowrite"
    yield "msl $aluf $nowrite"
    yield f"fmax $r8v $aluf {y.word(at)}"
"""
ONE_HOT = """\
x, y = op.x, op.y
yield 'imm f"1.0" $r100v'
yield 'imm i"1" $r104v'
yield "nop/2"
for w in range(4):
    yield "ilsl $subpeid $r104v $r108v"
    yield f'imm i"{w % 2 + 8 * (w // 2)}" $nowrite'
    yield "iadd $r108v $aluf $s0v"
    yield "nop/2"
    for at in range(0, 64, 4):
        yield f"ixor {x.word(at)} $s0v $omr1"
        yield f"zero {y.word(4 * at + w, 4)}"
        yield f"ipassa $r100v {y.word(4 * at + w, 4)}/$imr1"
"""
SUB_ROWS = """\
x, v = op.inputs
for at in range(0, 64, 4):
    yield f"ipassa {v.word(at)} $r0v"
    yield "nop"
    for w in range(4):
        yield f"fvadd {x.word(4 * at + w, 4)} -$r0v {op.y.word(4 * at + w, 4)}"
"""


def check_body(tmp_path: Path, task: str, body: str) -> Result:
    """Check a kernel with these lines between the markers of the solution."""
    text = (ROOT / "solutions" / find_task(task).file).read_text(encoding="utf-8")
    head, tail = text.split(BEGIN)[0], text.split(END)[1]
    path = tmp_path / "answer.py"
    path.write_text(head + indent(dedent(body), "    ") + tail, encoding="utf-8")
    return check(task, path=path, seed=3)


MISTAKES = [
    ("5.22", SUM_ROWS, '"msl $mauf $nowrite"\n    yield "msl $aluf $nowrite"', '"msl $mauf $nowrite"', LEFT_OUT,
     "out[0] does not depend on in0[0, {2, 3, 10, 11}]"),
    ("5.22", SUM_ROWS, ", 4)}", ", 8)}", WRONG_PLACE,
     "beside that, 8 wrong elements depend on words that were never written\nline 152 reads $m256"),
    ("5.21", MAX_ROWS, 'f"-inf"', 'f"0.0"', NEGATIVE, "all 253 wrong elements are 0, which is larger than"),
    ("5.26", ONE_HOT, "8 * (w // 2)}", "8 * (w // 2) + 1}", OFF_BY_ONE, "for label 1 in column 0"),
    ("5.26", ONE_HOT, "{w % 2 + 8 * (w // 2)}", "{w}", WRONG_COLUMNS,
     "have a 1 in another column: for label 2 in columns 2, 8"),
    ("5.23", SUB_ROWS, "{v.word(at)}", "{v.word(0)}", MISPAIRED, "out[4, 0] depends on in1[0], should be in1[4]"),
    ("5.23", SUB_ROWS, "{v.word(at)}", "{v.word(at, 2)}", MISPAIRED, "out[1, 0] depends on in1[2], should be in1[1]"),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("task", "body", "old", "new", "cause", "words"), MISTAKES)
def test_a_mistake_is_called_by_its_name(
    task: str, body: str, old: str, new: str, cause: str, words: str, tmp_path: Path
) -> None:
    assert old in body
    failure = check_body(tmp_path, task, body.replace(old, new)).failure
    assert failure is not None and failure.cause == cause, str(failure)
    assert words in failure.explanation


@pytest.mark.slow
def test_the_line_that_reads_junk_is_named_in_japanese_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARIBOTE_LANG", "ja")
    task, body, old, new, *_ = MISTAKES[1]
    failure = check_body(tmp_path, task, body.replace(old, new)).failure
    assert failure is not None and "152行目が読む" in failure.explanation
    assert "別の場所にあるべき値" in failure.explanation


def check_changed(tmp_path: Path, task: str, old: str, new: str) -> Result:
    """Check the solution with a part replaced."""
    text = (ROOT / "solutions" / find_task(task).file).read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / "answer.py"
    path.write_text(text.replace(old, new), encoding="utf-8")
    return check(task, path=path, seed=3)


@pytest.mark.slow
def test_two_elements_in_the_place_of_one_are_both_named(tmp_path: Path) -> None:
    """Their sum happens to be near an element that has no part in it."""
    failure = check_changed(tmp_path, "5.20", 'imm i"2" $nowrite', 'imm i"1" $nowrite').failure
    assert failure is not None and failure.cause == MISPAIRED
    assert "takes in1[0, 0] times in0[0, 0] and in0[0, 1], should be times in0[0, 0]" in failure.explanation
    assert "in0[96, 14]" not in failure.explanation


@pytest.mark.slow
def test_a_part_of_a_large_product_is_told(tmp_path: Path) -> None:
    failure = check_changed(tmp_path, "5.34", "16 * q + 8)) for q in range(4)]", "16 * q + 8)) for q in (0, 1, 2, 2)]")
    assert failure.failure is not None and failure.failure.cause != ARITHMETIC
    assert "depends on what it should" not in failure.failure.explanation


@pytest.mark.slow
def test_a_wrong_reciprocal_is_found_in_the_divisor(tmp_path: Path) -> None:
    failure = check_changed(tmp_path, "5.25", 'imm f"1.0" {one}', 'imm f"2.0" {one}').failure
    assert failure is not None and failure.cause == ARITHMETIC
    assert "all of out[0] is wrong by one factor: look at what is made of in1[0]" in failure.explanation


def _sum_rows(op: Op) -> str:
    """`SUM_ROWS` as text."""
    names = {"op": op, "Operand": Operand}
    exec("def lines():\n" + indent(SUM_ROWS, "    "), names)
    return "\n".join(names["lines"]()) + "\n"  # type: ignore[operator]


def test_copies_may_be_rounded_in_several_ways() -> None:
    """Every PE adds the four parts in an order of its own, and each sum is within what the contract allows."""
    case = kernel_cases(BY_NAME["sum_rows"], 3)[0]
    text = _sum_rows(case.op)
    assert judge_case(case, case.name, assemble(text), text) is None
    wrong = text.replace("fvadd $r16v $aluf $n60v", 'imm i"15" $nowrite\nixor $mabid $aluf $omr1\nnop\n'
                         "fvadd $r16v $r16v $n60v\nzero $n60v/$imr1")  # fmt: skip
    assert wrong != text
    failure = judge_case(case, case.name, assemble(wrong), wrong)
    assert failure is not None
