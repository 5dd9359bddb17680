"""What a scheduler moves: the instructions of a program, the lines between its steps, and what orders them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from simulator.isa.program import Instruction, Line, Program, Step


@dataclass(frozen=True, eq=False, slots=True)
class Node:
    """An instruction, or a line that is no step: an MV line or a debug statement.

    number: its place in the program. time: the step of the instruction, or the step before which the line stands, both
    counted from 0 with nops. alone: nothing else may join its step, which has a `noforward`.
    """

    number: int
    time: int
    line: Line
    instruction: Instruction | None
    alone: bool = False

    @property
    def uses_l2bm(self) -> bool:
        """True for what can touch the L2BM or the DRAM address table within a step."""
        return self.instruction is not None and self.instruction.unit in ("l2bm", "l2bmdarw")

    def after(self, producer: Node, written: bool) -> int:
        """Steps by which this node comes later at least. written: what the producer writes, not what it reads.

        A step reads before it writes; a line between steps sees all of the step before it.
        """
        if producer.instruction is None:
            return 0
        return 1 if written or self.instruction is None else 0


@dataclass(frozen=True, slots=True)
class Edge:
    """`second` comes at least `least` steps after `first`."""

    first: Node
    second: Node
    least: int


def tie(first: Node, second: Node) -> Iterator[Edge]:
    """Two nodes stay as far from each other as they are."""
    yield Edge(first, second, second.time - first.time)
    yield Edge(second, first, first.time - second.time)


def steps_of(nodes: Sequence[Node]) -> Iterator[list[Node]]:
    """The nodes of each line."""
    for _, found in groupby(nodes, lambda node: id(node.line)):
        yield list(found)


def nodes_of(program: Program) -> list[Node]:
    """All that is to be scheduled, in order; nops are left out."""
    return [Node(number, *found) for number, found in enumerate(_found(program))]


def _found(program: Program) -> Iterator[tuple[int, Line, Instruction | None, bool]]:
    time = 0
    for line in program.lines:
        if not isinstance(line, Step):
            yield time, line, None, False
            continue
        alone = any(instruction.op == "noforward" for instruction in line.instructions)
        for instruction in line.instructions:
            if instruction.op != "nop":
                yield time, line, instruction, alone
        time += line.count


@dataclass(eq=False, slots=True)
class Group:
    """Nodes that keep their distances.

    start: the time of the earliest in the program. times: of each node, in the order of the program, the steps from
    there on. sealed: times whose step nothing else may join. before, after: the least distance to other groups. edges:
    those that begin at one of its nodes.
    """

    start: int
    times: dict[Node, int]
    sealed: frozenset[int] = frozenset()
    before: dict[Group, int] = field(default_factory=dict)
    after: dict[Group, int] = field(default_factory=dict)
    edges: list[Edge] = field(default_factory=list)
