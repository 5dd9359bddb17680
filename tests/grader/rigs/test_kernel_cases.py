"""The cases that kernels are checked with."""

from __future__ import annotations

import numpy as np
import pytest

from grader.rigs.kernel_cases import kernel_cases
from haribote.kernel_table import KERNELS, KernelRow

COMPUTED = [row for row in KERNELS if row.op not in ("DL", "UL")]


@pytest.mark.parametrize("row", COMPUTED, ids=lambda row: row.name)
def test_the_first_case_has_no_number_twice(row: KernelRow) -> None:
    for array in kernel_cases(row, 5)[0].arrays:
        counts = np.unique(array, return_counts=True)[1]
        assert (counts == (array.size // 16 if row.op == "OneHot" else 1)).all()
