"""List scheduling: one group after another, each at the first step where it fits, or from the end at the last one."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from copy import copy

from simulator.isa.program import Instruction
from simulator.rules.waits import WINDOW
from simulator.schedule.demands import Marks, Template, demand_of
from simulator.schedule.nodes import Group, Node


class Problem:
    """What is to be placed: groups by number, how far they stand apart, and what they ask of their steps.

    before, after: of each group, others and the least distance from start to start. lengths: steps of each group.
    number: of each node's group. changed: instructions that take the place of those of their nodes.
    """

    def __init__(self, groups: Sequence[Group]) -> None:
        self.groups = list(groups)
        numbers = {group: number for number, group in enumerate(groups)}
        self.before = [[(numbers[other], least) for other, least in group.before.items()] for group in groups]
        self.after = [[(numbers[other], least) for other, least in group.after.items()] for group in groups]
        self.lengths = [length(group) for group in groups]
        instructions = ((node, node.instruction) for group in groups for node in group.times)
        self.number = {node: number for number, group in enumerate(groups) for node in group.times}
        self.changed: dict[Node, Instruction] = {}
        self.demands = {node: demand_of(instruction) for node, instruction in instructions if instruction is not None}
        self.numbered = Marks()
        self.templates = [self.numbered.template(group, self.demands) for group in groups]
        self.order = topological(self.before, self.after)

    def ordered(self, more: Iterable[tuple[int, int, int]]) -> Problem | None:
        """The same with more dependences: group, later group, steps from start to start. None where they close a
        circle."""
        found = copy(self)
        before = [dict(others) for others in self.before]
        after = [dict(others) for others in self.after]
        for first, second, least in more:
            after[first][second] = before[second][first] = max(least, after[first].get(second, least))
        found.before, found.after = ([list(others.items()) for others in all_] for all_ in (before, after))
        found.order = topological(found.before, found.after)
        return found if len(found.order) == len(self.groups) else None

    def tails(self) -> list[int]:
        """Steps from the start of each group to the end of the program, as far as dependences ask for them."""
        found = list(self.lengths)
        for number in reversed(self.order):
            chains = (found[other] + least for other, least in self.after[number])
            found[number] = max([found[number], *chains])
        return found

    def times(self, starts: Sequence[int]) -> dict[Node, int]:
        """The time of every node."""
        return {
            node: start + time
            for group, start in zip(self.groups, starts, strict=True)
            for node, time in group.times.items()
        }

    def steps(self, starts: Sequence[int]) -> int:
        """Steps from the first to the last, of which the first is 0."""
        return max((start + length for start, length in zip(starts, self.lengths, strict=True)), default=0)


def length(group: Group) -> int:
    """Steps of a group."""
    return max((time + 1 for node, time in group.times.items() if node.instruction is not None), default=0)


def topological(before: Sequence[Sequence[tuple[int, int]]], after: Sequence[Sequence[tuple[int, int]]]) -> list[int]:
    """The groups, each after all that it depends on."""
    missing = [len(others) for others in before]
    ready = [number for number, count in enumerate(missing) if not count]
    for number in ready:
        for other, _ in after[number]:
            missing[other] -= 1
            if not missing[other]:
                ready.append(other)
    return ready


class Table:
    """The steps of the new program while it is filled: of each mark, an integer with a bit for every step."""

    def __init__(self, problem: Problem) -> None:
        self._marks = [0] * len(problem.numbered)
        self._templates = problem.templates

    def closed(self, number: int) -> int:
        """Where a group cannot start, a bit for every step."""
        return self.closed_to(self._templates[number])

    def closed_to(self, template: Template) -> int:
        """The same of a group that asks for this."""
        marks, found = self._marks, 0
        for mark, unless, beside, time in template.bars:
            here = marks[mark]
            if here:
                if unless >= 0:
                    here &= ~marks[unless]
                if beside >= 0:
                    here &= marks[beside]
                found |= here >> time
        return found

    def place(self, number: int, start: int) -> None:
        """Let a group begin at this step."""
        marks = self._marks
        for mark, bits in self._templates[number].sets:
            marks[mark] |= bits << (start - WINDOW)


def forward(problem: Problem, priority: Sequence[float]) -> list[int]:
    """The starts of all groups. Of the groups whose predecessors are placed, the one of least priority is next."""
    missing = [len(others) for others in problem.before]
    earliest = [WINDOW] * len(missing)
    ready = [(priority[number], number) for number, count in enumerate(missing) if not count]
    heapq.heapify(ready)
    table, after = Table(problem), problem.after
    starts = [0] * len(missing)
    while ready:
        number = heapq.heappop(ready)[1]
        first = earliest[number]
        closed = table.closed(number) >> first
        start = first + ((closed + 1) & ~closed).bit_length() - 1
        table.place(number, start)
        starts[number] = start
        for other, least in after[number]:
            missing[other] -= 1
            if earliest[other] < start + least:
                earliest[other] = start + least
            if not missing[other]:
                heapq.heappush(ready, (priority[other], other))
    return _from_zero(starts)


def backward(problem: Problem, priority: Sequence[float]) -> list[int]:
    """The same from the end of the program. Of the groups that all successors of are placed, the one of greatest
    priority is next."""
    missing = [len(others) for others in problem.after]
    end = sum(problem.lengths) + (len(problem.lengths) + 2) * WINDOW  # room for a wait after every group
    latest = [end - length for length in problem.lengths]
    ready = [(-priority[number], number) for number, count in enumerate(missing) if not count]
    heapq.heapify(ready)
    table, before = Table(problem), problem.before
    starts = [0] * len(missing)
    while ready:
        number = heapq.heappop(ready)[1]
        last = latest[number]
        start = (~table.closed(number) & ((2 << last) - 1)).bit_length() - 1
        table.place(number, start)
        starts[number] = start
        for other, least in before[number]:
            missing[other] -= 1
            if latest[other] > start - least:
                latest[other] = start - least
            if not missing[other]:
                heapq.heappush(ready, (-priority[other], other))
    return _from_zero(starts)


def _from_zero(starts: list[int]) -> list[int]:
    first = min(starts, default=0)
    return [start - first for start in starts]
