"""The matrix registers: which of the values that stay in one of them has its turn first.

A value, with all that writes and reads it (a web), keeps a register until its last reader. Webs that do not depend on
each other may have it in any order, not only in that of the program. An order is made from wishes: one web after
another takes the place nearest to its wish that closes no circle of dependences.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from simulator.schedule.list_scheduler import Problem
from simulator.schedule.webs import MatrixWeb

Order = tuple[tuple[int, ...], ...]
"""Of each register the numbers of its webs."""
Bits = NDArray[np.uint64]
"""Sets of groups, one row each, 64 groups to a word."""
_WORD = 64


class Turns:
    """The webs of a problem and what they depend on. Sets of groups are of those alone that have a part of a web."""

    def __init__(self, problem: Problem, webs: Sequence[MatrixWeb]) -> None:
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
        webs_of = Counter(number for offsets in self._offsets for number in offsets)
        self._bit = {number: bit for bit, number in enumerate(sorted(webs_of))}
        self._rows = [np.array([self._bit[number] for number in offsets], np.intp) for offsets in self._offsets]
        self._masks = self._sets([sum(1 << bit for bit in rows.tolist()) for rows in self._rows])
        self._some_shared = any(count > 1 for count in webs_of.values())
        self._reach = self._reached(problem)
        self._fixed = self._always()

    def _sets(self, numbers: Sequence[int]) -> Bits:
        words = len(self._bit) // _WORD + 1
        content = b"".join(number.to_bytes(words * _WORD // 8, "little") for number in numbers)
        return np.frombuffer(content, "<u8").astype(np.uint64).reshape(len(numbers), words)

    def _reached(self, problem: Problem) -> Bits:
        """Of each group with a part of a web all those that come after it."""
        found = [0] * len(problem.groups)
        own = [1 << self._bit[number] if number in self._bit else 0 for number in range(len(problem.groups))]
        for number in reversed(problem.order) if self.webs else ():
            for other, _ in problem.after[number]:
                found[number] |= found[other] | own[other]
        return self._sets([found[number] for number in self._bit])

    def _always(self) -> NDArray[np.bool_]:
        """Pairs of webs of which the first comes before the second whatever else is ordered: for what the program finds
        or leaves in a register, or since a part of it stands before a part of the other in the same group.
        """
        first, last = (np.array([getattr(web, end) for web in self.webs], bool) for end in ("first", "last"))
        place = np.array([web.nodes[0].number for web in self.webs], np.int64)
        alike = (first[:, None] & first) | (last[:, None] & last)
        found: NDArray[np.bool_] = alike & (place[:, None] < place)
        found |= (first[:, None] & ~first) | (~last[:, None] & last)
        inside: dict[int, list[int]] = {}
        for web, offsets in enumerate(self._offsets):
            for group in offsets:
                inside.setdefault(group, []).append(web)
        for group, webs in inside.items():
            for one in webs if len(webs) > 1 else ():
                for other in webs:
                    found[one, other] |= self._offsets[one][group][0] < self._offsets[other][group][1]
        return found

    def in_program(self) -> list[float]:
        """Wishes for the order of the program."""
        return [web.nodes[0].number for web in self.webs]

    def by_starts(self, starts: Sequence[float]) -> list[float]:
        """Wishes for the order in which webs begin where their groups start at these steps."""
        return [min(starts[group] + first for group, (first, _) in offsets.items()) for offsets in self._offsets]

    def order(self, wishes: Sequence[float]) -> Order | None:
        """The webs of each register, as near to the order of their wishes as is found; None where none is found."""
        reach = self._reach.copy()
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

    def _place(self, number: int, line: Sequence[int], reach: Bits) -> int | None:
        """The last place in the line where a web may stand: before all that come after it, after all before it."""
        if not line:
            return 0
        after = np.bitwise_or.reduce(reach[self._rows[number]])
        later = (self._masks[line] & after).any(axis=1) | self._fixed[number, line]
        last = int(later.argmax())
        last = last if later[last] else len(line)
        for place in range(last, -1, -1):
            if not self._between_parts(number, line, place):
                late = any(self._before(other, number, reach) for other in line[place:])
                return None if late else place
        return None

    def _between_parts(self, number: int, line: Sequence[int], place: int) -> bool:
        """True where a group has webs on both sides of this place: no other group can come between."""
        if not self._some_shared:
            return False
        before, after = (np.bitwise_or.reduce(self._masks[others], axis=0) for others in (line[:place], line[place:]))
        shared = before & after
        return bool(shared.any() and (self._masks[number] & ~shared).any())

    def _before(self, first: int, second: int, reach: Bits) -> bool:
        """True where something of the first web comes before something of the second."""
        return bool(self._fixed[first, second] or (reach[self._rows[first]] & self._masks[second]).any())

    def _connect(self, first: int, second: int, reach: Bits) -> None:
        """All of a web comes before all of another."""
        more = self._masks[second] | np.bitwise_or.reduce(reach[self._rows[second]])
        rows = (reach & self._masks[first]).any(axis=1)
        rows[self._rows[first]] = True
        reach[rows] |= more
        changed = np.flatnonzero(rows)
        own = np.uint64(1) << (changed % _WORD).astype(np.uint64)
        reach[changed, changed // _WORD] &= ~own

    def _between(self, first: int, second: int) -> Iterator[tuple[int, int, int]]:
        for group, (_, last) in self._offsets[first].items():
            for other, (start, _) in self._offsets[second].items():
                if group != other:
                    yield group, other, last + 1 - start
