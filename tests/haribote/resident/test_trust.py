"""What is found out about a learner's kernel before -O1 relies on what it leaves."""

from __future__ import annotations

from dataclasses import replace

import pytest

from haribote.answers.resolve import resolve_row
from haribote.chip.codegen import ChipPiece, run_kernel
from haribote.kernel import Kernel, Op
from haribote.kernel_table import BY_NAME, problem
from haribote.resident.trust import Trial, Trust
from tests.haribote.resident import learners


@pytest.fixture(scope="module")
def trial() -> Trial:
    return Trial()


def piece(name: str, change: learners.Change, op: Op) -> ChipPiece:
    answer = resolve_row(BY_NAME[name], True)
    assert answer is not None
    kernel = Kernel("", "", lambda op: change(op, answer.kernel.emit))
    return ChipPiece(None, tuple(run_kernel(kernel, op)), "yours", op)  # type: ignore[arg-type]  # no graph here


def moved(op: Op, by: int) -> Op:
    inputs = tuple(operand if operand.memory == "DRAM" else operand.at(by) for operand in op.inputs)
    output = op.output if op.output.memory == "DRAM" else op.output.at(by + 128)
    return replace(op, inputs=inputs, output=output, taken=[], scratch_from=3072)


@pytest.mark.some(4)
@pytest.mark.parametrize(
    ("name", "change", "wanted"),
    [
        ("relu", learners.as_it_is, "whole"),
        ("gemm_xwt", learners.as_it_is, "whole"),  # some addresses of its writes are in T: its memory is compared
        ("gemm_gtx", learners.as_it_is, "whole"),
        ("dl_256x16_p", learners.as_it_is, "whole"),
        ("ul_16x16", learners.as_it_is, "whole"),
        ("onehot", learners.as_it_is, "whole"),
        ("relu", learners.junk_in_other_copies, "weak"),
        ("dl_16", learners.junk_in_other_copies, "weak"),
        ("relu", learners.clears_other_words, "none"),
        ("gemm_xwt", learners.clears_other_words, "none"),
        ("relu", learners.takes_its_place_for_granted, "none"),
    ],
)
def test_how_far_a_kernel_is_trusted(trial: Trial, name: str, change: learners.Change, wanted: Trust) -> None:
    row = BY_NAME[name]
    usual = problem(row)
    at_o0, at_o1 = piece(name, change, usual), piece(name, change, moved(usual, 64))
    assert trial.trust(row, at_o0, at_o1) == wanted


def test_text_that_is_no_assembly_is_not_trusted(trial: Trial) -> None:
    row = BY_NAME["relu"]
    good = piece("relu", learners.as_it_is, problem(row))
    assert trial.trust(row, good, replace(good, lines=("no such thing",))) == "none"
