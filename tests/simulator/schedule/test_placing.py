"""The native placing: the starts that Python finds, with and without the library."""

from __future__ import annotations

from random import Random

import pytest

from benchmarks.fuzz.generate import program as random_program
from simulator import assemble
from simulator.assembly.checks import fix_nops
from simulator.rules.waits import WINDOW
from simulator.schedule import placing, schedule
from simulator.schedule.groups import groups_of
from simulator.schedule.list_scheduler import Problem, backward, forward, placed
from simulator.schedule.nodes import nodes_of

needs_library = pytest.mark.skipif(placing._library() is None, reason="there is no compiler")


def problem_of(seed: int) -> Problem:
    """A random program's."""
    program = assemble(fix_nops(assemble(random_program(Random(seed), 40))))
    return Problem(groups_of(nodes_of(program)))


@needs_library
@pytest.mark.parametrize("seed", range(20))
def test_the_starts_are_those_of_python(seed: int) -> None:
    problem, random = problem_of(seed), Random(seed)
    sides = (
        (problem.templates, problem.before, problem.after),
        (problem.templates.mirrored, problem.after, problem.before),
    )
    for templates, before, after in sides:
        for _ in range(5):
            priority = [random.choice((random.randrange(9), random.uniform(-20, 20))) for _ in problem.groups]
            earliest = [WINDOW + length + random.randrange(200) for length in problem.lengths]
            given = len(problem.numbered), templates, before, after, priority, earliest
            assert placing.in_native(*given) == placed(*given)


@needs_library
@pytest.mark.parametrize("seed", range(20, 24))
def test_schedules_are_the_same_without_the_library(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    program = assemble(fix_nops(assemble(random_program(Random(seed), 40))))
    found = []
    for library in (placing._library, lambda: None):
        monkeypatch.setattr(placing, "_library", library)
        found.append(schedule(program, rename=True, keep={}).source)
    assert found[0] == found[1]


def test_a_program_without_groups_has_no_starts() -> None:
    problem = Problem([])
    assert forward(problem, []) == backward(problem, []) == []
