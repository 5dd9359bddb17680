"""Profiles: the cycles of all names are those of the program."""

from __future__ import annotations

from random import Random

import pytest

from benchmarks.fuzz.generate import program as random_program
from haribote.speed.profile import BETWEEN, cycles_by_name, cycles_by_unit, nodes_of_lines, table
from simulator import assemble
from simulator.isa.cost import cost_of


@pytest.mark.parametrize("seed", range(5))
def test_names_add_up_to_the_cost_of_the_program(seed: int) -> None:
    program = assemble(random_program(Random(seed), 40))
    names = [str(number % 5) for number, _ in enumerate(program.lines)]
    found = cycles_by_name(program.lines, names)
    assert sum(found.values()) == pytest.approx(cost_of(program).cycles)
    assert list(found.values()) == sorted(found.values(), reverse=True)
    assert sum(cycles_by_unit(program).values()) == pytest.approx(cost_of(program).cycles)


def test_a_line_belongs_to_the_node_in_its_comment() -> None:
    program = assemble("# Relu a: x -> y\niinc $lr0v $lr8v  # a\nnop/2\nmvp/n64 $d0 $lc0@.0  # b\n")
    assert nodes_of_lines(program) == ["a", BETWEEN, "b"]


def test_units_that_work_together_are_a_name_of_their_own() -> None:
    found = cycles_by_unit(assemble("iinc $lr0v $lr8v; fvmul $lm0v $ls8v $ln0v\nnop/3\nmvp/n64 $d0 $lc0@.0\n"))
    assert found == {"nop": 12.0, "alu + mau": 4.0, "MV": 4.0}


def test_the_table_says_what_it_leaves_out() -> None:
    lines = table({"a": 30.0, "b": 9.0, "c": 1.0}, most=1).split("\n")
    assert [line.split() for line in lines] == [["a", "30", "75.0%"], ["2", "more", "10", "25.0%"], ["together", "40"]]
