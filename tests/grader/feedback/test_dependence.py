"""Which inputs an element depends on, found by moving them."""

from __future__ import annotations

import numpy as np
import pytest

from grader.feedback.dependence import Dependence, Moves, elements, inputs_behind
from grader.rigs.kernel_cases import Case, distinct_numbers
from haribote.kernel_table import KERNELS, KernelRow, problem
from haribote.problems.meaning import meaning

COMPUTED = [row for row in KERNELS if row.op not in ("DL", "UL")]


@pytest.mark.parametrize("row", [row for row in COMPUTED if "1024" not in row.name], ids=lambda row: row.name)
def test_the_inputs_of_an_element_are_those_that_move_it(row: KernelRow) -> None:
    op = problem(row)
    case = Case("", row, op, distinct_numbers(row, op, np.random.default_rng(1)))
    before = meaning(row, case.arrays, case.constant)[0]
    rng = np.random.default_rng(0)
    index = tuple(int(rng.integers(size)) for size in before.shape)
    if row.op == "OneHot":
        index = (index[0], int(case.arrays[0][index[0]]))  # where the 1 is: any other label moves it
    for number, marks in enumerate(inputs_behind(case, index)):
        for inside, moves in ((marks, True), (~marks, False)):
            arrays = [*case.arrays]
            larger = case.arrays[number] + 10 if row.op == "ReduceMax" else -1.5 * case.arrays[number]
            other = (case.arrays[number] + 5) % 16 if row.op == "OneHot" else larger
            arrays[number] = np.where(inside, other, case.arrays[number]).astype(case.arrays[number].dtype)
            after = meaning(row, tuple(arrays), case.constant)[0]
            assert (after[index] != before[index]) == (moves and bool(inside.any()))


def test_elements_are_named_as_slices() -> None:
    marks = np.zeros((4, 16), np.bool_)
    marks[1, 8:16] = True
    assert elements("in1", marks) == "in1[1, 8:16]"
    marks[3, 8:16] = True
    assert elements("in1", marks) == "in1[{1, 3}, 8:16]"
    marks[3, 0] = True
    assert elements("in1", marks) == "17 elements of in1, from in1[1, 8] to in1[3, 15]"
    marks[:] = False
    marks[[0, 1], [3, 4]] = True
    assert elements("in1", marks) == "in1[0, 3], in1[1, 4]"


def test_what_is_not_known_is_not_said() -> None:
    should, counts, unknown = np.zeros((3, 4, 16), np.bool_)
    should[0], counts[0, :8], unknown[1] = True, True, True
    moves = Moves("in0", counts, should, unknown, more=True)
    assert moves.told("out[0]") == (
        "out[0] does not depend on in0[0, 8:16] but depends on some of in0[1, 0:16], should depend on in0[0, 0:16]"
    )
    counts, unknown = should & False, should | unknown
    assert not Dependence((0,), (Moves("in0", counts, should, unknown),)).wrong
