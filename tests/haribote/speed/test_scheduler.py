"""The plain scheduler beside the fast one: the same dependences, equal programs, never fewer steps than it."""

from __future__ import annotations

from functools import cache
from itertools import count, islice
from random import Random

import pytest

from benchmarks.fuzz.generate import program as random_program
from haribote.errors import HariboteError
from haribote.speed.dependence import Access, plain_edges, steps_apart
from haribote.speed.equality import difference
from haribote.speed.scheduler import Table, critical_path, problem_of, schedule
from simulator import assemble
from simulator import schedule as fast
from simulator.assembly.checks import check
from simulator.isa.program import Program, Step
from simulator.schedule.dependences import edges
from simulator.schedule.nodes import nodes_of
from simulator.schedule.text import text_of


def valid_program(seed: int, length: int) -> Program | None:
    found = assemble(random_program(Random(seed), length))
    return None if any(finding.severity == "error" for finding in check(found)) else found


def instructions(program: Program) -> list[str]:
    steps = [line for line in program.lines if isinstance(line, Step)]
    return sorted(text_of(i) for step in steps for i in step.instructions if i.op != "nop")


@cache
def programs() -> list[Program]:
    """The first eight that may run."""
    valid = (found for found in (valid_program(seed, 30) for seed in count()) if found is not None)
    return list(islice(valid, 8))


@pytest.mark.parametrize("which", range(8))
def test_every_edge_of_the_fast_scheduler_is_a_plain_one(which: int) -> None:
    nodes = nodes_of(programs()[which])
    plain: dict[tuple[object, object], int] = {}
    for edge in plain_edges(nodes):
        key = edge.first, edge.second
        plain[key] = max(edge.least, plain.get(key, edge.least))
    found = [edge for edge in edges(nodes) if edge.first is not edge.second]
    missing = [e for e in found if plain.get((e.first, e.second), e.least - 1) < e.least]
    assert found and not missing, [(e.first.line.text, e.second.line.text, e.least) for e in missing]


@pytest.mark.parametrize("which", range(2))
def test_schedules_are_equal_and_the_fast_one_is_not_longer(which: int) -> None:
    program = programs()[which]
    after = schedule(program)
    assert instructions(after) == instructions(program) and after.steps <= program.steps
    assert not [finding for finding in check(after) if finding.severity == "error"]
    assert difference(program, after) == ""
    assert fast.schedule(program).steps <= after.steps


def test_a_wrong_schedule_is_noticed() -> None:
    right, wrong = ("fvadd $lm0v $ls0v $lr0v\nnop\n", "fvmul $lr0v $ls0v $lr8v\n")
    assert difference(assemble(right + wrong), assemble(wrong + right)) == "GRF0"


def test_the_critical_path_is_that_of_the_fast_scheduler() -> None:
    for program in programs():
        problem = problem_of(program)
        after = [dict(others) for others in problem.after]
        assert critical_path(problem.order, problem.lengths, after) == problem.tails()


def test_words() -> None:
    first = Access(frozenset({("lm0", 0), ("lm0", 1)}), frozenset({("grf0", 4), ("grf0", 6)}))
    assert str(first) == "reads lm0 0-1, writes grf0 4, 6"
    assert steps_apart(first, Access()) is None


def test_a_search_without_end_is_noticed() -> None:
    table = Table(problem_of(assemble("iinc $lr0v $lr8v\n")))
    assert table.fits(0, 0)
    for step in (-1, 10_000):
        with pytest.raises(HariboteError):
            table.fits(0, step)
