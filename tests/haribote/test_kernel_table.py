"""Every row of the table of kernels has its reference kernel."""

from __future__ import annotations

import pytest

from grader.rigs.kernel_cases import places
from haribote.answers.resolve import resolve
from haribote.answers.tasks import UnknownTask
from haribote.kernel_table import KERNELS, arrangements


def test_every_row_of_the_table_has_a_reference_kernel_of_its_task() -> None:
    for row in KERNELS:
        answer = resolve(row.task, solutions=True)
        assert answer is not None and answer.kernel.task == row.task and answer.owner == "reference"
    with pytest.raises(UnknownTask, match=r"9\.9"):
        resolve("9.9")


def test_a_kernel_is_checked_in_every_arrangement_of_memories_that_it_is_given() -> None:
    for row in KERNELS:
        usual = (row.input_memory, row.output_memory)
        inputs_there, output_there = row.input_memory == "DRAM", row.output_memory == "DRAM"
        checked = {
            ("DRAM" if inputs_there else place.input_memory, "DRAM" if output_there else place.output_memory)
            for place in places(row)
        }
        assert {usual, *checked} >= set(arrangements(row)), row.name
        assert arrangements(row)[0] in (usual, *checked)
