"""What the contracts promise is judged: what may change, what may be read, and what costs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grader import check
from grader.feedback.causes import STALE, STRAY
from grader.result import Result
from grader.rigs.poisoned import OTHER_POISON, POISON, is_junk, junk, long_junk, poisoned_machine
from haribote.answers.tasks import ROOT, find_task
from simulator import assemble
from simulator.effects.accesses import written_by
from simulator.engine import native

BEGIN, END = "    ### BEGIN SOLUTION\n", "    ### END SOLUTION"


def check_changed(tmp_path: Path, task: str, old: str, new: str) -> Result:
    """Check the solution with a part replaced."""
    text = (ROOT / "solutions" / find_task(task).file).read_text(encoding="utf-8")
    assert old in text, f"the solution to {task} has no {old!r}"
    path = tmp_path / "answer.py"
    path.write_text(text.replace(old, new), encoding="utf-8")
    return check(task, path=path, seed=3)


STRAYS = [
    ("5.1", "{op.y.double(stride=0)}/ll1000", "{op.y.double()}", "LM0 word 4 "),  # without its mask
    ("5.12", "range(0, op.x.words, step)", "range(0, op.x.words + 8, step)", "LM1 word 16 "),
    ("5.12", "(8, Operand.long) if op.x.words % 8 == 0 else (4, Operand.word)", "(8, Operand.long)", "LM1 word 1232 "),
    ("5.12", BEGIN, f"{BEGIN}    yield 'mvp/n64 $lc0@0.0 $d0@0'\n", "DRAM group 0 long word 0 "),
    ("5.12", BEGIN, f"{BEGIN}    yield 'mvp/n64 $lc0@2.0 $d90112@2'\n", "DRAM group 2 long word 90112 "),
    ("5.12", END, f"    yield 'imm i\"8\" $nb'\n{END}", "the base address of LM1 "),
    (
        "5.7",
        BEGIN,
        f"{BEGIN}    yield f'zero {{op.scratch(4).word()}}'\n    yield 'nop/2'\n",
        "LM1 word 4 ",
    ),  # not even scratch
    ("5.20", 'op.scratch(64, "LM0")', 'op.scratch(64, "LM0").at(64)', "LM0 word 144 "),
    ("5.27", BEGIN, f"{BEGIN}    yield 'zero $m100'\n    yield 'nop/2'\n", "LM0 word 100 "),
    ("4.2", '(0, count, 32):\n        yield f"l1bmm', '(0, count + 32, 32):\n        yield f"l1bmm', "LM0 word 32 "),
    ("4.2", 'f"mvp/n{count} $lc256', 'f"mvp/n{count + 64} $lc256', "DRAM group 0 long word 128 "),
    ("4.5", END, f"    yield 'zero $n4095'\n{END}", "LM1 word 4095 "),
]


@pytest.mark.slow
@pytest.mark.parametrize(("task", "old", "new", "word"), STRAYS)
def test_what_changes_beside_the_output_is_named(task: str, old: str, new: str, word: str, tmp_path: Path) -> None:
    failure = check_changed(tmp_path, task, old, new).failure
    assert failure is not None and failure.cause == STRAY, str(failure)
    assert word in failure.explanation and f"line {failure.line} writes it: " in failure.explanation
    assert failure.where


UNWRITTEN = [
    ("5.13", "hvadd -{x}r -{x} $omr1", "hvadd -{x}r -{x} $omr2", "uses mask entry 1,"),
    ("5.26", '"ixor $subpeid $t $omr1"', '"ixor $subpeid $t $omr2"', "uses mask entry 1,"),
    ("4.4", " ; fvpassa $lm{x + at}v $omr2", "", "uses mask entry 2,"),
    ("4.4", '"ixor $mabid $aluf $omr1"', '"nop"', "uses mask entry 1,"),
    ("5.14", "$lr2v4", "$lr32v4", "reads $r32"),
    ("5.15", ' $t"', ' $nowrite"', "reads $t "),
    ("5.19", 'yield f"zero {partial.double()}"', 'yield "nop"', "reads $m80"),
    ("5.7", '"l2bmd $lb0 $lc0"', '"l2bmd $lb64 $lc0"', "reads $lb64"),
    ("5.3", '"l2bmd $lc0 $lb0"', '"l2bmd $lc64 $lb0"', "reads $lc"),
    ("5.1", '"mvb/n64 $p0@0 $lc0"', '"mvb/n64 $p64@0 $lc0"', "reads $p64"),
    ("5.1", "{op.x.dram()}@0", "{op.x.dram(64)}@0", "reads $d64"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("task", "old", "new", "words"), UNWRITTEN)
def test_a_word_that_nobody_wrote_is_named(task: str, old: str, new: str, words: str, tmp_path: Path) -> None:
    failure = check_changed(tmp_path, task, old, new).failure
    assert failure is not None and failure.cause in (STALE, STRAY), str(failure)
    if failure.cause == STALE:
        assert words in failure.explanation and "which no line before it has written" in failure.explanation
        assert failure.where


def test_equal_operators_must_give_equal_text(tmp_path: Path) -> None:
    counter = f"{BEGIN}    vars(relu.emit)['n'] = n = vars(relu.emit).get('n', 0) + 1\n    if n > 1: yield 'nop/9'\n"
    failure = check_changed(tmp_path, "5.12", BEGIN, counter).failure
    assert failure is not None and failure.case == "the train step"
    assert "the operator is that of the case `every element different`" in failure.explanation and failure.line == 1


@pytest.mark.slow
def test_the_worst_case_is_the_cost(tmp_path: Path) -> None:
    result = check_changed(tmp_path, "5.12", BEGIN, f"{BEGIN}    if op.x.address == 4: yield 'nop/5'\n")
    assert result.passed and result.points == 8 and [cost.score for cost in result.costs] == [7]
    result = check_changed(tmp_path, "4.4", BEGIN, f"{BEGIN}    if count == 40: yield 'nop/5'\n")
    assert result.passed and result.points == 12
    assert [cost.score - cost.par for cost in result.costs] == [0, 0, 5]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("maskrm 3", "leaves a mask default behind"),
        ("d set $omr1n0c0b0m0p0 1 000000000000000F", "sets no memory from outside"),
        ("r 0 000000000 001 000000000000000F", "sets no memory from outside"),
        ("quit", "would end the program"),
    ],
)
def test_a_kernel_is_a_part_of_a_program(line: str, words: str, tmp_path: Path) -> None:
    failure = check_changed(tmp_path, "5.12", END, f"    yield {line!r}\n{END}").failure
    assert failure is not None and words in failure.explanation and failure.line == 3


@pytest.mark.slow
def test_copies_are_judged_where_the_contract_promises_them(tmp_path: Path) -> None:
    failure = check_changed(tmp_path, "5.12", "{take(op.y, at)}", "{take(op.y, at)}/$imr1").failure
    assert failure is not None
    one_mab = f"{BEGIN}    yield 'imm i\"0\" $nowrite'\n    yield 'ixor $mabid $aluf $omr1'\n    yield 'nop'\n"
    text = (ROOT / "solutions" / find_task("5.12").file).read_text(encoding="utf-8")
    path = tmp_path / "answer.py"
    path.write_text(text.replace("{take(op.y, at)}", "{take(op.y, at)}/$imr1").replace(BEGIN, one_mab))
    failure = check("5.12", path=path, seed=3).failure
    assert failure is not None and failure.cause == "wrong copies"


def test_junk_tells_its_place() -> None:
    for poison in (POISON, OTHER_POISON):
        words = np.concatenate([junk(name, 4096, poison) for name in ("lm0", "lm1", "l1bm", "dram")])
        assert len(np.unique(words)) == len(words) and is_junk(words).all()
    with poisoned_machine(OTHER_POISON) as machine:
        assert not machine.omr[1:16].any() and not machine.bar0.any()
        assert machine.dram[3][2**29 - 1 : 2**29][0] >> 32 == int(junk("dram", 4096, OTHER_POISON)[4094])
    kinds = [junk("grf0", 512, poison).view(np.float32) for poison in (POISON, OTHER_POISON)]
    assert (kinds[0] > 1e37).all() and (kinds[1][0::2] < -1e37).all() and np.isnan(kinds[1][1::2]).all()


@pytest.mark.some(2)
@pytest.mark.parametrize("task", ["5.1", "5.12", "5.28", "5.34"])
def test_after_a_run_there_is_junk_everywhere_again(task: str) -> None:
    """Only what a run may have changed is filled anew: all of it, whatever ran before."""
    assert check(task, path=ROOT / "solutions" / find_task(task).file, seed=1).passed
    for poison in (POISON, OTHER_POISON, OTHER_POISON):
        with poisoned_machine(poison) as machine:
            for name in ("lm0", "lm1", "grf0", "grf1"):
                memory = getattr(machine, name)
                assert (memory == junk(name, len(memory), poison)[:, None]).all()
            for name in ("l1bm", "l2bm", "pdm"):
                memory = getattr(machine, name)
                assert (memory == long_junk(name, memory.shape[-1], poison)).all()


EVERYWHERE = """\
mvp/n64 $d512@1 $lc0@1.0
mvp/n64 $d33554432@0 $p64@0
l2bmb $lc0 $lb0
nop/2
l1bmm $lb0 $lm8v
nop/2
fvadd $lm8v $ln16v $lr0v
ipassa $aluf $t
nop
ipassa $lmt8 $ln0v/$imr3
mvp/n64 $lc0@1.0 $d1024@2
"""


@pytest.mark.some(1)
@pytest.mark.parametrize("poison", [POISON, OTHER_POISON])
def test_a_run_amid_junk_leaves_the_same_on_both_engines(poison: int) -> None:
    """Of DRAM too, which the native engine reads by pages; and where another program ran before."""
    if not native.available():
        pytest.skip("no compiler")
    left: list[list[np.ndarray[Any, Any]]] = []
    for engine in ("numpy", "native"):
        for text in ("iinc $lm0v $lm0v\nmvp/n64 $d0@1 $lc64@1.0", EVERYWHERE):
            with poisoned_machine(poison, engine, written_by(assemble(text))) as machine:
                machine.run(assemble(text))
                names = ("lm0", "lm1", "grf0", "grf1", "t", "omr", "mx", "my", "l1bm", "l2bm", "pdm")
                left.append([*(getattr(machine, name).copy() for name in names), machine.dram[2][1024:1088]])
    assert all((a == b).all() for a, b in zip(left[1], left[3], strict=True))
    assert not all((a == b).all() for a, b in zip(left[0], left[1], strict=True))
