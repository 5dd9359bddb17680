"""The matrix registers: which of the values that stay in one of them has its turn first.

A value, with all that writes and reads it (a web), keeps a register until its last reader. Webs that do not depend on
each other may have it in any order, not only in that of the program. An order is made from wishes: one web after
another takes the place nearest to its wish that closes no circle of dependences.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from simulator.isa import program as p
from simulator.rules.accesses import ends
from simulator.schedule.keep import Kept
from simulator.schedule.nodes import Group, Node, steps_of
from simulator.schedule.touches import matrix_rows

Order = tuple[tuple[int, ...], ...]
"""Of each register the numbers of its webs."""


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


# --- orders ----------------------------------------------------------------------------------------------------------


class Turns:
    """The webs of a problem and what they depend on: reach has a bit for all groups that come after a group."""

    def __init__(self, groups: Sequence[Group], order: Sequence[int], webs: Sequence[Web]) -> None:
        self.webs = webs
        self._offsets: list[dict[int, tuple[int, int]]] = []  # of each web: group, first and last step in it
        numbers = {node: number for number, group in enumerate(groups) for node in group.nodes}
        for web in webs:
            offsets: dict[int, tuple[int, int]] = {}
            for node in web.nodes:
                number = numbers[node]
                time = node.time - groups[number].start
                first, last = offsets.get(number, (time, time))
                offsets[number] = min(first, time), max(last, time)
            self._offsets.append(offsets)
        self._masks = [sum(1 << number for number in offsets) for offsets in self._offsets]
        by_group = {group: number for number, group in enumerate(groups)}
        self._reach = [0] * len(groups)
        for number in reversed(order):
            for other in groups[number].after:
                self._reach[number] |= self._reach[by_group[other]] | 1 << by_group[other]

    def in_program(self) -> list[float]:
        """Wishes for the order of the program."""
        return [web.nodes[0].number for web in self.webs]

    def by_starts(self, starts: Sequence[float]) -> list[float]:
        """Wishes for the order in which webs begin where their groups start at these steps."""
        return [min(starts[group] + first for group, (first, _) in offsets.items()) for offsets in self._offsets]

    def order(self, wishes: Sequence[float]) -> Order | None:
        """The webs of each register, as near to the order of their wishes as is found; None where none is found."""
        reach = list(self._reach)
        lines: dict[str, list[int]] = {}
        for number in sorted(range(len(self.webs)), key=wishes.__getitem__):
            line = lines.setdefault(self.webs[number].register, [])
            place = self._place(number, line, reach)
            if place is None:
                return None
            line.insert(place, number)
            for first, second in pairwise(line[max(place - 1, 0) : place + 2]):
                self._connect(first, second, reach)
        return tuple(tuple(line) for line in lines.values())

    def edges(self, order: Order) -> list[tuple[int, int, int]]:
        """Group, later group and steps from start to start."""
        return [edge for line in order for pair in pairwise(line) for edge in self._between(*pair)]

    def _place(self, number: int, line: Sequence[int], reach: Sequence[int]) -> int | None:
        """The last place in the line where a web may stand: before all that come after it."""
        last = next((place for place, other in enumerate(line) if self._before(number, other, reach)), len(line))
        late = any(self._before(other, number, reach) for other in line[last:])
        return None if late else last

    def _before(self, first: int, second: int, reach: Sequence[int]) -> bool:
        """True where something of the first web comes before something of the second."""
        one, other = self._offsets[first], self._offsets[second]
        mask = self._masks[second]
        if self._bound(self.webs[first], self.webs[second]):
            return True
        return any(reach[group] & mask for group in one) or any(
            one[group][0] < other[group][0] for group in one.keys() & other.keys()
        )

    @staticmethod
    def _bound(one: Web, other: Web) -> bool:
        """True where the first must come first for what the program finds or leaves in the register."""
        alike = (one.first and other.first) or (one.last and other.last)
        if alike and one.nodes[0].number < other.nodes[0].number:
            return True
        return (one.first and not other.first) or (other.last and not one.last)

    def _connect(self, first: int, second: int, reach: list[int]) -> None:
        """All of a web comes before all of another."""
        mask, more = self._masks[first], self._masks[second]
        for group in self._offsets[second]:
            more |= reach[group]
        for group, after in enumerate(reach):
            if after & mask or mask >> group & 1:
                reach[group] = (after | more) & ~(1 << group)

    def _between(self, first: int, second: int) -> Iterator[tuple[int, int, int]]:
        for group, (_, last) in self._offsets[first].items():
            for other, (start, _) in self._offsets[second].items():
                if group != other:
                    yield group, other, last + 1 - start
