"""A short training run on the learner's kernels, beside torch."""

from __future__ import annotations

import pytest

from haribote.answers.resolve import Answer
from haribote.chip.codegen import Find
from haribote.kernel import Kernel
from haribote.kernel_table import KernelRow

pytestmark = pytest.mark.usefixtures("with_solutions")


@pytest.mark.slow
def test_a_short_run_beside_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    from haribote.data import dataset as data
    from haribote.lessons import short_run

    digits = data.load("synthetic")
    run = short_run.train_a_little(3, digits)
    assert run.agrees and run.nodes == 28 and "28 of 28 nodes" in str(run) and "<svg" in run._repr_html_()

    def doubled(row: KernelRow, solutions: bool) -> Answer | None:
        lines = ["fvadd $lm0v $lm0v $ln0v", "fvadd $lm8v $lm8v $ln8v"]
        return Answer(Kernel("5.12", "Relu", lambda op: iter(lines)), "yours") if row.name == "relu" else None

    wrong: Find = doubled
    monkeypatch.setattr(short_run, "working_kernels", lambda: (wrong, {}))
    run = short_run.train_a_little(2, digits)
    assert not run.agrees and "some kernel computes something else" in str(run)
