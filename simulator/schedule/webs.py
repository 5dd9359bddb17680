"""Webs, as compilers call them: uses of a memory that share values, so that they have to stay together."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, Protocol, TypeVar

from simulator.effects.accesses import accesses
from simulator.isa.program import Matrix
from simulator.schedule.keep import Kept
from simulator.schedule.nodes import Node, steps_of
from simulator.schedule.touches import cells_of

MATRICES = ("mx", "my")
Cell = Any
"""What cells are called, each memory in its own way."""


class Used(Protocol):
    """A read or a write. cells: of its memory; whole: those that it writes all of, in every unit."""

    @property
    def node(self) -> Node:
        """Who uses them."""

    @property
    def written(self) -> bool:
        """Whether it writes."""

    @property
    def cells(self) -> Collection[Cell]:
        """What it may touch."""

    @property
    def whole(self) -> Collection[Cell]:
        """What it writes all of."""


U = TypeVar("U", bound=Used)


@dataclass(eq=False, slots=True)
class Web(Generic[U]):
    """Uses of the same values, in the order of the program. first, last: it reads what the program found, or its values
    must be there at the end."""

    uses: list[U]
    first: bool = False
    last: bool = False

    @property
    def fixed(self) -> bool:
        """Whether its values must stay where they are."""
        return self.first or self.last

    @property
    def nodes(self) -> list[Node]:
        """Who uses it."""
        return [use.node for use in self.uses]


def webs_of(
    uses: Sequence[U], kept: Callable[[Cell], bool], tied: Callable[[U, U], bool] | None = None
) -> list[Web[U]]:
    """The webs of a memory in the order of their first uses.

    uses: in order, what a step reads before what it writes. kept: whether what a cell holds at the end must be right.
    tied: whether a use has to stay together with the one before it, whatever the values are.
    """
    webs: dict[U, Web[U]] = {}
    holds: dict[Cell, U] = {}  # the last write of each cell

    def join(one: Web[U], other: Web[U]) -> None:
        if one is not other:
            one, other = (one, other) if len(one.uses) >= len(other.uses) else (other, one)
            one.uses += other.uses
            one.first |= other.first
            webs.update(dict.fromkeys(other.uses, one))

    for number, use in enumerate(uses):
        webs[use] = Web([use])
        if tied is not None and number and tied(uses[number - 1], use):
            join(webs[uses[number - 1]], webs[use])
        for cell in use.cells if not use.whole else [cell for cell in use.cells if cell not in use.whole]:
            if cell in holds:
                join(webs[holds[cell]], webs[use])
            else:
                webs[use].first = True
        if use.written:
            holds.update(dict.fromkeys(use.cells, use))
    for cell, use in holds.items():
        if kept(cell):
            webs[use].last = True
    order = {use: number for number, use in enumerate(uses)}
    found = list(dict.fromkeys(webs[use] for use in uses))
    for web in found:
        web.uses.sort(key=order.__getitem__)
    return found


# --- matrix registers ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, slots=True)
class RowsUsed:
    """Rows of a matrix register that a node writes, or reads."""

    node: Node
    written: bool
    cells: frozenset[int]

    @property
    def whole(self) -> frozenset[int]:
        """A write of a row writes all of it."""
        return self.cells if self.written else frozenset()


@dataclass(frozen=True, eq=False, slots=True)
class MatrixWeb:
    """A web of a register (`mx` or `my`), its nodes in the order of the program. first, last: as of a web."""

    register: str
    nodes: list[Node]
    first: bool
    last: bool


def matrix_webs(nodes: Sequence[Node], kept: Kept) -> list[MatrixWeb]:
    """The webs of both matrix registers, in the order of their first nodes."""
    found = []
    for register in MATRICES:
        for web in webs_of(list(_rows_used(nodes, register)), partial(kept.block, register, 1)):
            ordered = sorted(web.nodes, key=lambda node: node.number)
            found.append(MatrixWeb(register, ordered, web.first, web.last))
    return sorted(found, key=lambda web: web.nodes[0].number)


def _rows_used(nodes: Sequence[Node], register: str) -> Iterator[RowsUsed]:
    for step in steps_of(nodes):
        here = [
            RowsUsed(node, access.written, cells_of(access))
            for node in step
            if node.instruction is not None and any(isinstance(e.operand, Matrix) for e in node.instruction.ends)
            for access in accesses(node.instruction)
            if access.memory == register
        ]
        yield from sorted(here, key=lambda use: use.written)
