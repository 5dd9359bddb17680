"""A scheduler: of a program it makes an equal one with fewer steps.

    nodes of the program -> edges between them -> groups that keep their distances -> times of all nodes -> text

What comes before what follows from what is read and written; how far apart it stands and what may share a step, from
the assembler's own rules (`simulator.rules`). Equal means: started with the same memories, both
programs print the same and leave the same memories. Only what units put out last (forwarding paths, turnaround
register) may differ at the end, and base addresses that the program does not set must be multiples of 4, as at the
start of the machine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from simulator.assembly.assembler import assemble
from simulator.isa.program import Program
from simulator.messages import tr
from simulator.rules.marks import issue_group
from simulator.schedule.groups import groups_of
from simulator.schedule.keep import Keep, Kept
from simulator.schedule.list_scheduler import Problem
from simulator.schedule.moving import await_moves, closed_up, in_turn
from simulator.schedule.nodes import Node, nodes_of
from simulator.schedule.overlap import overlapped
from simulator.schedule.passing import passings
from simulator.schedule.rename import renamings
from simulator.schedule.search import OF_LONG, Ordered, Search, ordered
from simulator.schedule.text import written
from simulator.schedule.turns import Turns
from simulator.schedule.webs import matrix_webs

WORTH = 0.0025
"""The share of its steps that a unit of effort must win for another one to follow."""

__all__ = ["Bounds", "Keep", "bounds", "overlapped", "schedule", "schedule_long"]


def schedule(
    program: Program,
    rename: bool = False,
    effort: int = 1,
    keep: Keep | None = None,
    enough: Callable[[Program], bool] | None = None,
) -> Program:
    """An equal program with as few steps as are found; the same object where there are not fewer.

    program: one in which `check` finds no errors. rename: also take buffers of L1BM, L2BM and PDM in turn; then words
    of these memories that the program does not use hold something else at the end; and read from a forwarding path
    what is read from memory, where the path holds the same. effort: how long to look, 1: some 3 seconds for 1,000
    steps; a second unit of it or a later one that wins next to nothing (WORTH) is the last; the same effort always
    finds the same program. keep: what must be right at the end; all else may differ (None: everything must be right).
    With it, rename takes also words of GRF and LM in turn, whether
    the program uses them or not. enough: asked once, after the first unit of effort, whether the schedule will do.

    Raises SimulatorError where `keep` names what the machine has not.
    """
    kept = Kept(keep)
    programs = [program, *(renamings(program, kept) if rename else ())]
    searches = [
        (other, search) for other in programs if (search := _begun(other, kept, program.steps, rename)) is not None
    ]
    if not searches:
        return program
    other, search = min(searches, key=lambda pair: pair[1].steps)
    search.go_on(1)
    found = _best(search, program, other.filename)
    if effort == 1 or (enough is not None and enough(found)):
        return found
    for _ in range(effort - 1):
        before = search.steps
        search.go_on(1)
        if before - search.steps < WORTH * before:
            break
    return _best(search, program, other.filename)


def _best(search: Search, program: Program, filename: str) -> Program:
    """The shortest schedule so far as a program; the program itself where it has no more steps."""
    if search.steps >= program.steps:
        return program
    return assemble(written(search.problem.times(search.best), search.problem.changed), filename)


def schedule_long(program: Program, effort: int = 1) -> Program:
    """The same for a program of thousands of steps, in time that grows little faster than they do.

    Everything is right at the end, buffers and words stay where they are, values in matrix registers come in the order
    of the program. MV instructions count with the steps that they last (`schedule.moving`): what is looked for is a
    short time with these beside the steps, and there may be more steps for it. Who writes a long program takes buffers
    and words in turn; it is for this that `schedule` takes long, and it finds little.
    """
    nodes = nodes_of(program)
    groups = groups_of(nodes)
    moving = await_moves(groups)
    problem = in_turn(Problem(groups)) if moving else Problem(groups)
    search = Search(Ordered(problem, Turns(problem, []), (), problem), (), max(_bounds(nodes, problem)))
    search.begin(OF_LONG)
    search.begin_from_end()
    search.go_on(effort)
    if moving:
        text = written(search.problem.times(search.best), search.problem.changed)
        found = closed_up(text, program.filename)
        if found.steps > program.steps and overlapped(found) >= overlapped(program):
            found = program
    else:
        found = _best(search, program, program.filename)
    for group in groups:  # what refers to each other is there until garbage is looked for
        group.before.clear()
        group.after.clear()
    return found


def _begun(program: Program, kept: Kept, steps: int, forward: bool) -> Search | None:
    """The search for a schedule after its first tries; None where no schedule has fewer than so many steps."""
    nodes = nodes_of(program)
    found = _ordered(nodes, kept)
    bounds = _bounds(nodes, found.problem)
    least = bounds.unit if forward else max(bounds)
    if steps <= least:
        return None
    search = Search(found, passings(nodes) if forward else (), least)
    search.begin()
    return search


def _ordered(nodes: Sequence[Node], kept: Kept) -> Ordered:
    """With the values of the matrix registers in any order, where groups do not forbid the order of the program."""
    for webs in (matrix_webs(nodes, kept), []):
        problem = Problem(groups_of(nodes, webs))
        turns = Turns(problem, webs)
        found = ordered(problem, turns, turns.in_program())
        if found is not None:
            return found
    raise AssertionError(tr("without webs there is nothing to order"))


class Bounds(NamedTuple):
    """Steps that no schedule of these instructions goes below. chain: of the longest chain of waits; unit: of the unit
    that has most to do."""

    chain: int
    unit: int


def bounds(program: Program, rename: bool = False, keep: Keep | None = None) -> Bounds:
    """Two simple lower bounds; rename, keep: as in `schedule`."""
    kept = Kept(keep)
    found = []
    for other in (program, *(renamings(program, kept) if rename else ())):
        nodes = nodes_of(other)
        near = {(passing.writer, passing.reader) for passing in passings(nodes)} if rename else set()
        found.append(_bounds(nodes, Problem(groups_of(nodes, matrix_webs(nodes, kept), near))))
    return Bounds(min(least.chain for least in found), min(least.unit for least in found))


def _bounds(nodes: Sequence[Node], problem: Problem) -> Bounds:
    busy = Counter(issue_group(node.instruction) for node in nodes if node.instruction is not None)
    return Bounds(max(problem.tails(), default=0), max(busy.values(), default=0))
