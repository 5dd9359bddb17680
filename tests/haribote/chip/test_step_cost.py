"""What a step costs, kernel by kernel."""

from __future__ import annotations

import pytest

from haribote.chip.step_cost import step_cost
from haribote.lessons import coverage

pytestmark = pytest.mark.usefixtures("with_solutions")


@pytest.mark.slow
def test_what_a_step_costs_kernel_by_kernel() -> None:
    compiled = coverage.on_chip().compiled
    found = step_cost(compiled)
    assert sum(kernel.uses for kernel in found.kernels) == 94 and found.transfers > 0.5
    assert found.total.cycles == pytest.approx(sum(kernel.cycles for kernel in found.kernels) + found.between)
    assert str(found).split("\n")[-1].split()[:2] == ["together", str(compiled.cost.steps)]
    assert step_cost(coverage.on_chip([]).own).kernels == ()
