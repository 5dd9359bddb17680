"""-O1 with less local memory, and with kernels of a learner."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from haribote.answers.resolve import Answer
from haribote.kernel_table import KernelRow
from haribote.levels import steps
from haribote.levels.residency import moved_with
from tests.haribote.resident import learners


@pytest.mark.slow
def test_less_memory_means_more_transfers() -> None:
    found = [sum(moved_with(words).values()) for words in (3072, 512, 384, 256)]
    assert found == sorted(found) and found[0] < found[-1]


@pytest.mark.slow
def test_kernels_of_a_learner_run_at_o1(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that writes where it should not runs alone, with a note; where one is missing, the reference is there."""
    mine = learners.changed(learners.clears_other_words, "5.12")
    gone = learners.without("5.14")
    course = steps.your_kernels().reference

    def find(row: KernelRow, solutions: bool = False) -> Answer | None:
        return (gone(row, solutions) and mine(row, solutions)) or course(row)

    monkeypatch.setattr(steps, "your_kernels", lambda: SimpleNamespace(find_or_fill=find))
    found = steps.step_at(1)
    assert "by your kernels" in steps.whose(found) and "by reference kernels" in steps.whose(found)
    assert len(found.notes) == 1 and "task 5.12" in found.notes[0]
    assert found.chip_count == found.node_count
