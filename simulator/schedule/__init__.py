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
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from simulator.assembly.assembler import assemble
from simulator.isa.program import Program
from simulator.rules.conflicts import issue_group
from simulator.schedule.groups import Group, groups_of
from simulator.schedule.list_scheduler import critical_paths, placed
from simulator.schedule.nodes import Node, nodes_of
from simulator.schedule.rename import renamed
from simulator.schedule.text import written

__all__ = ["Bounds", "bounds", "schedule"]

WEIGHTS = (0.0, 0.1, 0.2, 0.4, 0.5, 0.75, 1.0, 1.25, 2.0, 100.0)
"""How much a step that a group comes later in the program counts against a step of its critical path."""


def schedule(program: Program, rename: bool = False) -> Program:
    """An equal program with as few steps as are found; the same object where there are not fewer.

    program: one in which `check` finds no errors. rename: also take buffers of L1BM, L2BM and PDM in turn; then words
    of these memories that the program does not use hold something else at the end.
    """
    best = _listed(program)
    if not rename:
        return best
    other = renamed(program)
    found = _listed(other) if other is not program else best
    return found if found.steps < best.steps else best


def _listed(program: Program) -> Program:
    nodes = nodes_of(program)
    groups = groups_of(nodes)
    paths = critical_paths(groups)
    least = max(_bounds(nodes, paths))
    best = program
    for weight in WEIGHTS:
        if best.steps <= least:
            break
        times = placed(groups, {group: paths[group] - weight * group.start for group in groups})
        found = assemble(written(times), program.filename)
        if found.steps < best.steps:
            best = found
    return best


class Bounds(NamedTuple):
    """Steps that no schedule of these instructions goes below. chain: of the longest chain of waits; unit: of the unit
    that has most to do."""

    chain: int
    unit: int


def bounds(program: Program, rename: bool = False) -> Bounds:
    """Two simple lower bounds; rename: as in `schedule`."""
    nodes = nodes_of(renamed(program) if rename else program)
    return _bounds(nodes, critical_paths(groups_of(nodes)))


def _bounds(nodes: Sequence[Node], paths: Mapping[Group, int]) -> Bounds:
    busy = Counter(issue_group(node.instruction) for node in nodes if node.instruction is not None)
    return Bounds(max(paths.values(), default=0), max(busy.values(), default=0))
