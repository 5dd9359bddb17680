"""A quick look takes every reference kernel."""

from __future__ import annotations

import pytest

from haribote.answers.resolve import resolve_row
from haribote.chip.codegen import run_kernel
from haribote.kernel_table import KERNELS, problem
from haribote.lessons.quick_check import wrong_result
from simulator import assemble

pytestmark = pytest.mark.usefixtures("with_solutions")


def test_a_quick_look_takes_every_reference_kernel() -> None:
    for row in KERNELS:
        answer = resolve_row(row, True)
        assert answer is not None
        program = assemble("\n".join(run_kernel(answer.kernel, problem(row))))
        assert wrong_result(row, program) == ""
