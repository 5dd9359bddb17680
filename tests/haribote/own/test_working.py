"""Which kernels work is known from the last check, or by a quick one; the course's stand in for the others."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from haribote.answers.resolve import Answer
from haribote.chip.codegen import ChipPiece, LeftOut
from haribote.errors import UnsupportedShape
from haribote.kernel import Kernel, Op
from haribote.kernel_table import BY_NAME
from haribote.lessons.coverage import on_chip
from haribote.own import working
from tests.haribote.own.learner import lines, writes

WRONG = lines("frelu $lm0v $lm0v $ln0v", "lpassa $lm8v $ln8v")


def test_what_is_not_written_or_wrong_is_filled(monkeypatch: pytest.MonkeyPatch) -> None:
    writes(monkeypatch, relu=WRONG, mul=None)
    kernels = working.your_kernels()
    assert kernels.of("yours") == kernels.unchecked == ("5.14",) and list(kernels.broken) == ["5.12"]
    relu, mul, exp = (kernels.find_or_fill(BY_NAME[name]) for name in ("relu", "mul", "exp"))
    assert relu and mul and exp
    assert (relu.owner, relu.failing) == ("reference", True) and relu.instead.startswith("out[")
    assert (mul.owner, mul.instead) == ("yours", "")
    why = "task 5.24 is not written, nor task 5.44 of the generators that would do it"
    assert (exp.owner, exp.failing, exp.instead) == ("reference", False, why)
    assert kernels.find(BY_NAME["exp"]) is None
    with pytest.raises(LeftOut):
        kernels.find(BY_NAME["relu"])


def test_the_last_check_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    writes(monkeypatch, relu=None, mul=None)
    monkeypatch.setattr(working, "last_verdict", lambda task: {"5.12": "failed", "5.14": "passed"}[task.id])
    monkeypatch.setattr(working, "what_is_wrong", lambda *given: pytest.fail("a checked kernel is not checked again"))
    kernels = working.your_kernels()
    assert kernels.broken == {"5.12": "`grader check 5.12` fails"}
    assert kernels.of("yours") == ("5.14",) and kernels.unchecked == ()


def test_where_a_kernel_refuses_an_operator_the_course_does_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Right in the quick case, and particular about where its operands are."""

    def choosy(op: Op) -> Iterator[str]:
        if op.y.address not in (0, 9_024):  # the address of the quick check
            raise UnsupportedShape("the output is at 0", f"{op.y.address}", "move it")
        yield from ("l1bmm@0 $llm0v $llb0", "nop/3", "l2bm@0 $lb0 $lc0", f"mvp/n64 $lc0@0.0 {op.y.dram()}@0")

    writes(monkeypatch, ul_16=lambda op: (line.replace("$llm0v", op.x.double(stride=0)) for line in choosy(op)))
    found = on_chip()
    assert found.yours == ("UL 16 (5.7)",) and found.nodes == 28 and found.shares.part("yours").pieces == 0
    stand_ins = [piece for piece in found.compiled.pieces if isinstance(piece, ChipPiece) and piece.failing]
    assert stand_ins and all(piece.instead.startswith("unsupported shape") for piece in stand_ins)


@pytest.mark.parametrize(("verdict", "unchecked"), [("passed", ()), ("", ("5.44",))])
def test_what_a_generator_writes_is_checked_where_the_generator_is(
    monkeypatch: pytest.MonkeyPatch, verdict: str, unchecked: tuple[str, ...]
) -> None:
    """The learner is told of the task that they can check: the generator's, once, and none of its kernels'."""
    generator = Kernel("5.44", "the emitter", lines())
    monkeypatch.delenv("HARIBOTE_SOLUTIONS", raising=False)
    rows = {"mul", "relu"}
    answer = Answer(generator, "yours")
    monkeypatch.setattr(working, "resolve_row", lambda row, solutions: answer if row.name in rows else None)
    monkeypatch.setattr(working, "run_kernel", lambda kernel, op: iter(()))
    monkeypatch.setattr(working, "what_is_wrong", lambda row, text: "")
    monkeypatch.setattr(working, "last_verdict", lambda task: verdict if task.id != "5.36" else "passed")
    kernels = working.your_kernels()
    assert kernels.unchecked == unchecked and kernels.of("yours") == ("5.12", "5.14")
