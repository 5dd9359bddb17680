"""What shares values of a matrix register: webs of nodes that write and read the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from simulator.isa import program as p
from simulator.rules.accesses import ends
from simulator.schedule.keep import Kept
from simulator.schedule.nodes import Node, steps_of
from simulator.schedule.touches import matrix_rows


@dataclass(eq=False, slots=True)
class Web:
    """Nodes that use the same values of a register, in the order of the program. first, last: it reads what the program
    found, or its values are there at the end."""

    register: str
    nodes: list[Node] = field(default_factory=list)
    first: bool = False
    last: bool = False


def webs_of(nodes: Sequence[Node], kept: Kept) -> list[Web]:
    """The webs of both matrix registers."""
    found: dict[Node, Web] = {}
    holds: dict[tuple[str, int], Web | None] = {}

    def same(one: Web, other: Web) -> Web:
        if one is not other:
            one.nodes += other.nodes
            one.first |= other.first
            for node in other.nodes:
                found[node] = one
            for cell, web in holds.items():
                if web is other:
                    holds[cell] = one
        return one

    for node in _readers_first(nodes):
        matrix, written = _matrix(node)
        assert node.instruction is not None
        cells = [(matrix.register, row) for row in matrix_rows(node.instruction, written)]
        web = found[node] = Web(matrix.register, [node])
        for cell in cells:
            before = holds.get(cell)
            if not written:
                web.first |= before is None
                web = web if before is None else same(before, web)
        if written:
            holds |= dict.fromkeys(cells, web)
    for (register, row), last in holds.items():
        if last is not None and kept.any(f"m{register}", row, row + 1):
            last.last = True
    for web in found.values():
        web.nodes.sort(key=lambda node: node.number)
    return list(dict.fromkeys(found[node] for node in nodes if node in found))


def _readers_first(nodes: Sequence[Node]) -> Iterator[Node]:
    """Nodes that use a matrix register, of each step first those that read it."""
    for step in steps_of(nodes):
        using = [node for node in step if node.instruction is not None and _uses(node.instruction)]
        yield from sorted(using, key=lambda node: _matrix(node)[1])


def _uses(instruction: p.Instruction) -> bool:
    return any(isinstance(end.operand, p.Matrix) for end in ends(instruction))


def _matrix(node: Node) -> tuple[p.Matrix, bool]:
    assert node.instruction is not None
    for end in ends(node.instruction):
        if isinstance(end.operand, p.Matrix):
            return end.operand, isinstance(end, p.Destination)
    raise AssertionError(node.instruction.text)
