"""Every row of the table of kernels has its reference kernel."""

from __future__ import annotations

import pytest

from haribote.answers.resolve import resolve
from haribote.answers.tasks import UnknownTask
from haribote.kernel_table import KERNELS


def test_every_row_of_the_table_has_a_reference_kernel_of_its_task() -> None:
    for row in KERNELS:
        answer = resolve(row.task, solutions=True)
        assert answer is not None and answer.kernel.task == row.task and answer.owner == "reference"
    with pytest.raises(UnknownTask, match=r"9\.9"):
        resolve("9.9")
