"""What must come before what, word by word: the slow and obvious form of `simulator.schedule.dependences`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from haribote.answers.ownership import exercise
from simulator.messages import tr
from simulator.schedule.dependences import Distances, edges_of_lines
from simulator.schedule.nodes import Edge, Node, tie
from simulator.schedule.touches import Touch, cell_and_l2b, moved_banks, touches

Word = tuple[str, int]
"""A memory and a word of it (of large memories a block of words); -1: any word that the program does not name. `l2bm.0`
and `l2bm.1` are those of the first and of the second L2B of a group."""


@dataclass(frozen=True)
class Access:
    """What an instruction reads, and what it writes."""

    reads: frozenset[Word] = frozenset()
    writes: frozenset[Word] = frozenset()

    def __str__(self) -> str:
        return tr("reads {reads}, writes {writes}", _named(self.reads), _named(self.writes))


@exercise("7.3")
def steps_apart(first: Access, second: Access) -> int | None:
    """By how many steps `second` comes later than `first`, which stands before it, at least; None: they do not depend.

    A step reads everything before it writes anything. Waits are not counted here.
    """
    raise NotImplementedError


def accesses_of(nodes: Sequence[Node]) -> list[Access]:
    """What each node reads and writes. One that may touch any word of a memory touches all that the program names."""
    moved = moved_banks(nodes)
    found = [list(touches(node, moved)) for node in nodes]
    named: dict[str, set[Word]] = defaultdict(set)
    for touch in (touch for each in found for touch in each):
        named[touch.memory].update(_words(touch) or {(touch.memory, -1)})

    def words(each: Sequence[Touch], written: bool) -> frozenset[Word]:
        return frozenset().union(*(_words(touch) or named[touch.memory] for touch in each if touch.written == written))

    return [Access(words(each, False), words(each, True)) for each in found]


def plain_edges(nodes: Sequence[Node]) -> Iterator[Edge]:
    """All edges between nodes, but those of forwarding paths: for every two nodes that share a word."""
    yield from edges_of_lines(nodes)
    accesses, distances = accesses_of(nodes), Distances()
    touched: dict[Word, list[int]] = defaultdict(list)
    for number, access in enumerate(accesses):
        before = sorted({other for word in access.reads | access.writes for other in touched[word]})
        for other in before:
            yield from _edges_between(nodes, accesses, other, number, distances)
        for word in access.reads | access.writes:
            touched[word].append(number)


def _edges_between(
    nodes: Sequence[Node], accesses: Sequence[Access], one: int, other: int, distances: Distances
) -> Iterator[Edge]:
    first, second = nodes[one], nodes[other]
    if first.line is not second.line:
        apart = steps_apart(accesses[one], accesses[other])
        if apart is not None:
            if first.instruction is None or second.instruction is None:  # an MV line stands between steps
                apart = int(first.instruction is not None)
            yield Edge(first, second, distances.between(first, second, apart))
        return
    if accesses[one].writes & accesses[other].writes:
        yield from tie(first, second)
    for a, b in ((one, other), (other, one)):  # in one line: both read what was there before
        apart = steps_apart(Access(reads=accesses[a].reads), Access(writes=accesses[b].writes))
        if apart is not None:
            least = distances.between(nodes[a], nodes[b], apart)
            yield from tie(nodes[a], nodes[b]) if least else (Edge(nodes[a], nodes[b], 0),)


def _words(touch: Touch) -> frozenset[Word]:
    """All that it touches; none where only the run tells which."""
    if touch.memory != "l2bm":
        return frozenset((touch.memory, cell) for cell in touch.cells or ())
    return frozenset((f"l2bm.{l2b}", cell) for cell, l2b in map(cell_and_l2b, touch.apart or ()))


def _named(words: frozenset[Word]) -> str:
    memories: dict[str, list[int]] = defaultdict(list)
    for memory, cell in sorted(words):
        if cell >= 0:
            memories[memory].append(cell)
    return ", ".join(f"{memory} {_span(cells)}" for memory, cells in memories.items()) or "none"


def _span(cells: list[int]) -> str:
    whole = cells == list(range(cells[0], cells[-1] + 1))
    return f"{cells[0]}-{cells[-1]}" if whole and len(cells) > 1 else ", ".join(map(str, cells))
