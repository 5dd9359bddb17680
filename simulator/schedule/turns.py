"""The matrix registers: which of the values that stay in one of them has its turn first.

A value, with all that writes and reads it (a web), keeps a register until its last reader. Webs that do not depend on
each other may have it in any order, not only in that of the program. An order is made from wishes: one web after
another takes the place nearest to its wish that closes no circle of dependences.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import pairwise
from operator import or_

from simulator.schedule.list_scheduler import Problem
from simulator.schedule.webs import Web

Order = tuple[tuple[int, ...], ...]
"""Of each register the numbers of its webs."""


class Turns:
    """The webs of a problem and what they depend on: reach has a bit for all groups that come after a group."""

    def __init__(self, problem: Problem, webs: Sequence[Web]) -> None:
        self.webs = webs
        self._offsets: list[dict[int, tuple[int, int]]] = []  # of each web: group, first and last step in it
        for web in webs:
            offsets: dict[int, tuple[int, int]] = {}
            for node in web.nodes:
                number = problem.number[node]
                time = problem.groups[number].times[node]
                first, last = offsets.get(number, (time, time))
                offsets[number] = min(first, time), max(last, time)
            self._offsets.append(offsets)
        self._masks = [sum(1 << number for number in offsets) for offsets in self._offsets]
        self._inside = sorted({number for offsets in self._offsets for number in offsets})
        self._reach = [0] * len(problem.groups)
        for number in reversed(problem.order) if webs else ():  # bits for all pairs: many, in long programs
            for other, _ in problem.after[number]:
                self._reach[number] |= self._reach[other] | 1 << other

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
        """The last place in the line where a web may stand: before all that come after it, after all before it."""
        last = next((place for place, other in enumerate(line) if self._before(number, other, reach)), len(line))
        for place in range(last, -1, -1):
            if not self._between_parts(number, line, place):
                late = any(self._before(other, number, reach) for other in line[place:])
                return None if late else place
        return None

    def _between_parts(self, number: int, line: Sequence[int], place: int) -> bool:
        """True where a group has webs on both sides of this place: no other group can come between."""
        before, after = ([self._masks[other] for other in others] for others in (line[:place], line[place:]))
        shared = reduce(or_, before, 0) & reduce(or_, after, 0)
        return bool(shared and self._masks[number] & ~shared)

    def _before(self, first: int, second: int, reach: Sequence[int]) -> bool:
        """True where something of the first web comes before something of the second."""
        one, other = self._offsets[first], self._offsets[second]
        mask = self._masks[second]
        if self._bound(self.webs[first], self.webs[second]):
            return True
        return any(reach[group] & mask for group in one) or any(
            one[group][0] < other[group][1] for group in one.keys() & other.keys()
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
        for group in self._inside:  # of others nobody asks what comes after them
            if reach[group] & mask or mask >> group & 1:
                reach[group] = (reach[group] | more) & ~(1 << group)

    def _between(self, first: int, second: int) -> Iterator[tuple[int, int, int]]:
        for group, (_, last) in self._offsets[first].items():
            for other, (start, _) in self._offsets[second].items():
                if group != other:
                    yield group, other, last + 1 - start
