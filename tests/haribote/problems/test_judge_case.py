"""A case of the judge's kind refuses an answer without one of its lines."""

from __future__ import annotations

import pytest

from haribote.kernel_table import BY_NAME
from haribote.problems.judge_case import judge_case
from haribote.problems.problem import emit, judge_problem
from simulator.judge.verdict import judge

pytestmark = pytest.mark.usefixtures("with_solutions")


@pytest.mark.some(3)
@pytest.mark.parametrize("name", ["relu", "dl_256", "ul_16x16", "sub_rows", "gemm_xwt", "max_rows", "scale_16x16"])
def test_an_answer_without_one_of_its_lines_is_not(name: str) -> None:
    row = BY_NAME[name]
    op = judge_problem(row)
    lines = emit(row, op, True).splitlines()
    wrong = [line for line in lines if line != lines[-1]]
    assert not judge(judge_case(row, op), "\n".join(wrong)).accepted
