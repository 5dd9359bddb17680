"""What must come before what: an edge for every two nodes of which one writes what the other reads or writes.

An edge says how many steps lie between at least, waits between the two included. No value ever counts as
overwritten, so it does not matter whether a mask, a set of L1Bs or an address of its own per PE leaves some of it.
Nodes that must keep their distance have an edge in both directions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from simulator.isa import program as p
from simulator.rules.conflicts import same_l1bm_words
from simulator.rules.waits import RULES, Timed, WaitRule, timed
from simulator.schedule.demands import Demand, demand_of
from simulator.schedule.nodes import Edge, Node, steps_of, tie
from simulator.schedule.touches import Touch, moved_banks, touches
from simulator.schedule.webs import MATRICES, MatrixWeb


def edges(nodes: Sequence[Node], webs: Sequence[MatrixWeb] = ()) -> Iterator[Edge]:
    """All edges but those of forwarding paths, those that follow from others left out.

    webs: of the matrix registers; edges between them are left out too.
    """
    web_of = {node: web for web in webs for node in web.nodes}

    yield from edges_of_lines(nodes)
    moved, distances = moved_banks(nodes), Distances()
    found: list[tuple[Node, Touch]] = []
    for step in steps_of(nodes):  # all read before any of them writes
        found += sorted(((n, touch) for n in step for touch in touches(n, moved)), key=lambda pair: pair[1].written)
    by_memory: dict[tuple[str, MatrixWeb | None], list[tuple[Node, Touch]]] = defaultdict(list)
    for node, touch in found:
        by_memory[touch.memory, web_of.get(node) if touch.memory in MATRICES else None].append((node, touch))
    for touched in by_memory.values():
        memory = _Memory(distances, (touch.apart for _, touch in touched if touch.apart is not None))
        for node, touch in touched:
            yield from memory.touched(node, touch.apart, touch.written)


def edges_of_lines(nodes: Sequence[Node]) -> Iterator[Edge]:
    """The edges that follow from what a line is, not from the words that it reads and writes."""
    yield from _barriers(nodes)
    yield from _waits(nodes)


def _barriers(nodes: Sequence[Node]) -> Iterator[Edge]:
    """A debug statement sees and changes anything."""
    barrier: Node | None = None
    since: list[Node] = []
    for node in nodes:
        if node.instruction is None and not isinstance(node.line, p.Move):
            yield from (Edge(other, node, node.after(other, True)) for other in since)
            barrier, since = node, []
        if barrier is not None and barrier is not node:
            yield Edge(barrier, node, 0)
        since.append(node)


def _waits(nodes: Sequence[Node]) -> Iterator[Edge]:
    """`wait` comes after the MV lines before it, and before what may use their results: MV lines and L2BM transfers."""
    moves: list[Node] = []
    wait: Node | None = None
    for step in steps_of(nodes):
        for node in step:
            if node.instruction is not None and node.instruction.op == "wait":
                yield from (Edge(move, node, 0) for move in moves)
                if wait is not None:
                    yield Edge(wait, node, 0)
                moves, wait = [], node
        for node in step:
            if isinstance(node.line, p.Move):
                moves.append(node)
            if wait is not None and wait is not node and (isinstance(node.line, p.Move) or node.uses_l2bm):
                yield Edge(wait, node, node.after(wait, False))


# --- memories --------------------------------------------------------------------------------------------------------


REMEMBERED = 3
"""Writes of a cell that a read may have to wait for: after one that a mask hides from the waits, for one before it."""


@dataclass(eq=False, slots=True)
class _Cell:
    writers: tuple[Node, ...] = ()  # the last one first
    readers: list[Node] = field(default_factory=list)
    written: int = 0  # the number of the last write


@dataclass(slots=True)
class _Sweep:
    """The last of a kind of reads that may touch any word, with its number, and the cells written since."""

    node: Node
    number: int
    changed: dict[_Cell, None] = field(default_factory=dict)


class _Memory:
    """Who wrote each cell last, and who has read it since. Cells that are always touched together count as one.

    Reads that may touch any word stay in order, those of one kind: then each waits for the one before it and for what
    was written since, and a write waits for the last one.
    """

    def __init__(self, distances: Distances, named: Iterable[frozenset[int]]) -> None:
        """named: all sets of cells that will be touched; None touches one more, which stands for all others."""
        self._distances = distances
        self._of, count = _joined(named)
        self._cells = [_Cell() for _ in range(count + 1)]
        self._sweeps: dict[int, _Sweep] = {}  # by the kinds of accesses
        self._number = 0

    def touched(self, node: Node, cells: frozenset[int] | None, written: bool) -> Iterator[Edge]:
        """Note an access and give its edges."""
        self._number += 1
        chosen: Iterable[_Cell] = self._cells if cells is None else [self._cells[number] for number in self._of[cells]]
        found: dict[Node, int] = {}
        if cells is None and not written:
            kinds = self._distances.kinds(node)
            before = self._sweeps.get(kinds)
            if before is not None:
                chosen = before.changed
                found[before.node] = self._distances.between(before.node, node, node.after(before.node, False))
            self._sweeps[kinds] = _Sweep(node, self._number)
        for cell in chosen:
            for age, writer in enumerate(cell.writers):
                if writer not in found:
                    least = self._distances.between(writer, node, node.after(writer, True))
                    if not age or least > age:
                        found[writer] = least
            if written:
                self._write(cell, node, found)
            elif cells is not None and (not cell.readers or cell.readers[-1] is not node):
                cell.readers.append(node)
        for other, least in found.items():
            if least and other.time == node.time and other.line is node.line:
                yield from tie(other, node)
            elif other is not node:
                yield Edge(other, node, least)

    def _write(self, cell: _Cell, node: Node, found: dict[Node, int]) -> None:
        """Note a write; found: gets those that have read the cell, with the steps that must lie between."""
        sweeps = [sweep.node for sweep in self._sweeps.values() if sweep.number > cell.written]
        for reader in (*cell.readers, *sweeps):
            if reader not in found:
                found[reader] = self._distances.between(reader, node, node.after(reader, False))
        cell.writers, cell.readers, cell.written = (node, *cell.writers[: REMEMBERED - 1]), [], self._number
        for sweep in self._sweeps.values():
            sweep.changed[cell] = None


def _joined(named: Iterable[frozenset[int]]) -> tuple[dict[frozenset[int], list[int]], int]:
    """Of each set of cells the numbers of what it consists of, cells that are in the same sets being one; and how many
    of these there are."""
    found: dict[frozenset[int], list[int]] = {cells: [] for cells in named}
    sets_of: dict[int, list[list[int]]] = defaultdict(list)
    for cells, numbers in found.items():
        for cell in cells:
            sets_of[cell].append(numbers)
    different = {tuple(map(id, sets)): sets for sets in sets_of.values()}
    for number, sets in enumerate(different.values()):
        for numbers in sets:
            numbers.append(number)
    return found, len(different)


# --- waits -----------------------------------------------------------------------------------------------------------

_AS_PRODUCER: dict[str, list[WaitRule]] = defaultdict(list)
for _rule in RULES:
    _AS_PRODUCER[_rule.producer].append(_rule)


def gap(first: p.Instruction, second: p.Instruction) -> int:
    """Steps that must lie between two instructions by the rules of waits."""
    return _gap(timed(first), timed(second))


def _gap(made: Sequence[Timed], used: Sequence[Timed]) -> int:
    if not made or not used:
        return 0
    rules = _rules(tuple([access.kind for access in made]), tuple([access.kind for access in used]))
    return max([rule.gap(made[first], used[second]) for rule, first, second in rules], default=0) if rules else 0


@lru_cache(maxsize=1 << 12)
def _rules(made: tuple[str, ...], used: tuple[str, ...]) -> tuple[tuple[WaitRule, int, int], ...]:
    """The rules that hold between accesses of these kinds, with the numbers of the two accesses of each."""
    return tuple(
        (rule, first, second)
        for first, producer in enumerate(made)
        for rule in _AS_PRODUCER.get(producer, ())
        for second, consumer in enumerate(used)
        if consumer == rule.consumer
    )


class _Known(NamedTuple):
    """What decides the distances of an instruction. kinds: the number of the kinds of its accesses; demand: what it
    asks of its step, and the number of that; transfer: whether it may touch words of the L1BM that another one touches.
    """

    accesses: tuple[Timed, ...]
    kinds: int
    demand: Demand
    number: int
    transfer: bool


def _kinds_of(accesses: Iterable[Timed]) -> tuple[str, ...]:
    return tuple(access.kind for access in accesses)


class Distances:
    """How far apart two instructions of a program stand, of which one comes first."""

    def __init__(self) -> None:
        self._known: dict[Node, _Known] = {}
        self._kinds: dict[tuple[str, ...], int] = {}
        self._demands: dict[Demand, int] = {}
        self._rules: dict[tuple[int, int], tuple[int, Sequence[tuple[WaitRule, int, int]]]] = {}
        self._excluded: dict[tuple[int, int], bool] = {}

    def between(self, first: Node, second: Node, least: int) -> int:
        """`least` steps, or what their waits ask for; 1 where they cannot share a step."""
        if first.instruction is None or second.instruction is None:
            return least
        one, other = self._of(first), self._of(second)
        pair = one.kinds, other.kinds
        steps, rules = self._rules.get(pair) or self._rules_of(one, other)
        for rule, made, used in rules:
            steps = max(steps, rule.gap(one.accesses[made], other.accesses[used]))
        if steps:
            return max(least, steps + 1)
        return least if least or self._beside(first, second) else 1

    def kinds(self, node: Node) -> int:
        """A number for the kinds of an instruction's accesses; all MV lines have one of their own."""
        return -1 if node.instruction is None else self._of(node).kinds

    def _rules_of(self, first: _Known, second: _Known) -> tuple[int, Sequence[tuple[WaitRule, int, int]]]:
        """Of two kinds the steps that lie between at any address, and the rules that ask for addresses."""
        rules = _rules(_kinds_of(first.accesses), _kinds_of(second.accesses))
        found = max((rule.steps for rule, *_ in rules if not rule.cycles), default=0), [r for r in rules if r[0].cycles]
        self._rules[first.kinds, second.kinds] = found
        return found

    def _beside(self, first: Node, second: Node) -> bool:
        """Whether two instructions may share a step; those of one line do."""
        if first.line is second.line:
            return True
        one, other = self._of(first), self._of(second)
        pair = one.number, other.number
        if pair not in self._excluded:
            self._excluded[pair] = not one.demand.beside(other.demand)
        if self._excluded[pair]:
            return False
        assert first.instruction is not None and second.instruction is not None
        both = one.transfer and other.transfer
        return not (both and any(same_l1bm_words([first.instruction, second.instruction])))

    def _of(self, node: Node) -> _Known:
        found = self._known.get(node)
        if found is None:
            assert node.instruction is not None
            accesses, demand = timed(node.instruction), demand_of(node.instruction)
            kinds = self._kinds.setdefault(_kinds_of(accesses), len(self._kinds))
            number = self._demands.setdefault(demand, len(self._demands))
            found = self._known[node] = _Known(
                accesses, kinds, demand, number, node.instruction.unit in ("l1bm", "l2bm")
            )
        return found
