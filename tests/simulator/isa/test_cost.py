"""The cost model (isa.md, section 13), worked out by hand."""

from __future__ import annotations

import pytest

from simulator import assemble
from simulator.isa.cost import cost_of, sum_costs


def test_steps_cost_4_cycles() -> None:
    cost = cost_of(assemble('nop/3\nimm i"1" $r0; fvadd $ls0v $ls0v $ln0v\nzero $r0\nd get $lm0 1'))
    assert (cost.steps, cost.nops, cost.moves, cost.move_words, cost.cycles) == (5, 3, 0, 0, 20)
    assert cost.units == {"nop": 3, "alu": 2, "mau": 1}


@pytest.mark.parametrize(
    ("line", "cycles"),
    [
        ("mvp/n128 $p0@0 $lc0@0.1", 8),
        ("mvp/n128 $p0@0 $lc0@1.1", 16),
        ("mvp/n128 $d0 $lc0@.1", 8),
        ("mvp/n128 $di0@0 $lc0@1.1", 16),
        ("mvb/n128 $p0@0 $lc0", 16),
        ("mvb2/n128 $d0 $lc0", 8),
        ("mvd/n128 $p0@0 $d0", 8),
        ("mvrffadd/n128 $lc0 $d0", 4),
        ("mvrffadd/n128 $lc0 $p0@0", 16),
        ("mvr2ffadd/n128 $lc0 $d0", 4),
        ("mvnop", 0),
    ],
)
def test_moves_cost_size_by_rate(line: str, cycles: float) -> None:
    cost = cost_of(assemble(line))
    assert (cost.steps, cost.moves, cost.cycles) == (0, 1, cycles)


def test_costs_add_up() -> None:
    one = cost_of(assemble("nop\nzero $r0"))
    two = cost_of(assemble("zero $r0\nmvp/n64 $p0@0 $lc0@0.1"))
    total = sum_costs([one, two])
    assert (total.steps, total.nops, total.moves, total.move_words, total.cycles) == (3, 1, 1, 64, 16)
    assert total.units == {"nop": 1, "alu": 2}
    assert sum_costs([]).cycles == 0
