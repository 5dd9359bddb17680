"""List scheduling: one group after another, each at the first step where it fits, or from the end at the last one."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from copy import copy
from operator import add

from simulator.isa.program import Instruction
from simulator.rules.waits import WINDOW
from simulator.schedule.demands import GroupMarks, Marks, demand_of
from simulator.schedule.nodes import Group, Node
from simulator.schedule.placing import Edges, Templates, in_native


class Problem:
    """What is to be placed: groups by number, how far they stand apart, and what they ask of their steps.

    before, after: of each group, others and the least distance from start to start. lengths: steps of each group.
    number: of each node's group. changed: instructions that take the place of those of their nodes.
    """

    def __init__(self, groups: Sequence[Group]) -> None:
        self.groups = list(groups)
        numbers = {group: number for number, group in enumerate(groups)}
        self.before = Edges([(numbers[other], least) for other, least in group.before.items()] for group in groups)
        self.after = Edges([(numbers[other], least) for other, least in group.after.items()] for group in groups)
        self.lengths = [length(group) for group in groups]
        instructions = ((node, node.instruction) for group in groups for node in group.times)
        self.number = {node: number for number, group in enumerate(groups) for node in group.times}
        self.changed: dict[Node, Instruction] = {}
        self.demands = {node: demand_of(instruction) for node, instruction in instructions if instruction is not None}
        self.numbered = Marks()
        self.templates = Templates(self.numbered.template(group, self.demands) for group in groups)
        self.order = topological(self.before, self.after)

    def ordered(self, more: Iterable[tuple[int, int, int]]) -> Problem | None:
        """The same with more dependences: group, later group, steps from start to start. None where they close a
        circle."""
        found = copy(self)
        before: dict[int, dict[int, int]] = {}  # of the groups that have more
        after: dict[int, dict[int, int]] = {}
        for first, second, least in more:
            if first not in after:
                after[first] = dict(self.after[first])
            if second not in before:
                before[second] = dict(self.before[second])
            after[first][second] = before[second][first] = max(least, after[first].get(second, least))
        found.before, found.after = self.before.changed(before), self.after.changed(after)
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
        return max(map(add, starts, self.lengths), default=0)


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

    def __init__(self, marks: int) -> None:
        self._marks = [0] * marks

    def closed(self, template: GroupMarks, first: int) -> int:
        """Where a group that asks for this cannot start, a bit for every step from the first on."""
        marks, found = self._marks, 0
        for mark, unless, beside, time in template.bars:
            later = first + time
            here = marks[mark] >> later  # of long programs the least part: most groups stand near the last ones
            if here:
                if unless >= 0:
                    here &= ~(marks[unless] >> later)
                if beside >= 0:
                    here &= marks[beside] >> later
                found |= here
        return found

    def place(self, template: GroupMarks, start: int) -> None:
        """Let a group begin at this step."""
        marks, first = self._marks, start - template.start
        for mark, bits in template.sets:
            marks[mark] |= bits << first


def forward(problem: Problem, priority: Sequence[float]) -> list[int]:
    """The starts of all groups. Of the groups whose predecessors are placed, the one of least priority is next."""
    earliest = [WINDOW] * len(problem.groups)
    starts = _placed(len(problem.numbered), problem.templates, problem.before, problem.after, priority, earliest)
    first = min(starts, default=0)
    return [start - first for start in starts]


def backward(problem: Problem, priority: Sequence[float]) -> list[int]:
    """The same from the end of the program, where time runs backwards. Of the groups that all successors of are placed,
    the one of greatest priority is next, such as the end of each in a schedule."""
    earliest = [length + WINDOW for length in problem.lengths]
    wishes = [-wish for wish in priority]
    marks, templates = len(problem.numbered), problem.templates.mirrored
    starts = _placed(marks, templates, problem.after, problem.before, wishes, earliest)
    last = max(starts, default=0)
    return [last - start for start in starts]


def _placed(
    marks: int,
    templates: Templates,
    before: Edges,
    after: Edges,
    priority: Sequence[float],
    earliest: list[int],
) -> list[int]:
    """Each group at the first step where it fits, from its earliest one on; of those that may come next, the one of
    least priority. Natively where that can be done: the same starts."""
    found = in_native(marks, templates, before, after, priority, earliest)
    return placed(marks, templates, before, after, priority, earliest) if found is None else found


def placed(
    marks: int,
    templates: Sequence[GroupMarks],
    before: Sequence[Sequence[tuple[int, int]]],
    after: Sequence[Sequence[tuple[int, int]]],
    priority: Sequence[float],
    earliest: Sequence[int],
) -> list[int]:
    """The same in Python, which says what it is."""
    table, earliest = Table(marks), list(earliest)
    missing = [len(others) for others in before]
    ready = [(priority[number], number) for number, count in enumerate(missing) if not count]
    heapq.heapify(ready)
    starts = [0] * len(missing)
    while ready:
        number = heapq.heappop(ready)[1]
        first = earliest[number]
        closed = table.closed(templates[number], first)
        start = first + ((closed + 1) & ~closed).bit_length() - 1
        table.place(templates[number], start)
        starts[number] = start
        for other, least in after[number]:
            missing[other] -= 1
            if earliest[other] < start + least:
                earliest[other] = start + least
            if not missing[other]:
                heapq.heappush(ready, (priority[other], other))
    return starts
