"""What instructions ask of the steps they stand in, as marks in time: what may not stand beside or near what.

These are the rules of `simulator.rules` that do not depend on what was written where: one instruction of a unit, one
read address of a memory, one mask in a step, and waits at any address. Waits at the same address are edges
(`dependences.py`). Every demand has a place in a table of marks, a bit for every step: an instruction sets marks where
it stands (`sets`), and cannot stand where other marks are (`bars`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

from simulator.isa.program import Instruction
from simulator.rules.marks import BY_NAME, MAU_UNITS, Exclusion, marks_of
from simulator.rules.waits import RULES, WINDOW, timed
from simulator.schedule.nodes import Group, Node

Mark = Hashable


@dataclass(frozen=True, slots=True)
class Ban:
    """An instruction cannot stand in a step with this mark, but where the mark `unless` is too; None: never.

    beside: the bar holds only where this mark is too.
    """

    mark: Mark
    unless: Mark | None = None
    beside: Mark | None = None


@dataclass(frozen=True)
class Demand:
    """sets: marks, and the first and last step of each, counted from the instruction's own. bars: of its own step."""

    sets: tuple[tuple[Mark, int, int], ...]
    bars: tuple[Ban, ...]

    @cached_property
    def here(self) -> frozenset[Mark]:
        """The marks that it sets in its own step."""
        return frozenset(mark for mark, first, last in self.sets if first <= 0 <= last)

    def beside(self, other: Demand) -> bool:
        """Whether it may share a step with another one, as far as marks tell."""
        here = other.here
        return not any(
            bar.mark in here and bar.unless not in here and (bar.beside is None or bar.beside in here)
            for bar in self.bars
        )


@lru_cache(maxsize=1 << 16)
def demand_of(instruction: Instruction) -> Demand:
    """The demands of one instruction: its marks and what excludes them, and waits at any address. Kept, since a search
    asks several times, and the variants of a program share most instructions."""
    sets: dict[tuple[Mark, int, int], None] = {}
    bars: dict[Ban, None] = {}
    for name, key, *_ in marks_of(instruction):
        for exclusion, other in BY_NAME.get(name, ()):
            if exclusion.keys != "same":
                sets[name, 0, 0] = None
            if exclusion.keys != "any":
                sets[(name, key), 0, 0] = None
            bars |= dict.fromkeys(_bars(exclusion, other, key))
    for access in timed(instruction):
        for rule in RULES:
            if access.kind == rule.producer and not rule.cycles:
                sets[("after", rule), 1, rule.steps] = None
                bars[Ban(("before", rule))] = None
            if access.kind == rule.consumer and not rule.cycles:
                sets[("before", rule), -rule.steps, -1] = None
                bars[Ban(("after", rule))] = None
    return Demand(tuple(sets), tuple(bars))


def _bars(exclusion: Exclusion, other: str, key: Hashable) -> Iterator[Ban]:
    """What keeps a mark with this key out of a step. other: the name of what excludes it."""
    if exclusion.keys == "third":
        first, second = ((other, unit) for unit in MAU_UNITS if unit != key)
        yield Ban(first, beside=second)
    elif exclusion.keys == "same":
        yield Ban((other, key))
    else:
        yield Ban(other, unless=(other, key) if exclusion.keys == "other" else None)


# --- groups ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class GroupMarks:
    """The demands of a group, with the numbers of marks.

    sets: (mark, bits): bit `start` is the start of the group. bars: (mark, unless, beside, time from the start of the
    group); -1: none.
    """

    sets: tuple[tuple[int, int], ...]
    bars: tuple[tuple[int, int, int, int], ...]
    start: int = WINDOW

    @cached_property
    def mirrored(self) -> GroupMarks:
        """The same where time runs backwards."""
        length = max((bits.bit_length() for _, bits in self.sets), default=0)
        sets = tuple((mark, int(f"{bits:0{length}b}"[::-1], 2)) for mark, bits in self.sets)
        bars = tuple((mark, unless, beside, -time) for mark, unless, beside, time in self.bars)
        return GroupMarks(sets, bars, length - 1 - self.start)

    @cached_property
    def runs(self) -> tuple[tuple[int, int, int], ...]:
        """What it sets, in runs of steps: a mark, the first step, counted from the start of the group, and how many."""
        found = []
        for mark, bits in self.sets:
            time = 0
            while bits:
                clear = (bits & -bits).bit_length() - 1
                bits, time = bits >> clear, time + clear
                count = (~bits & bits + 1).bit_length() - 1
                found.append((mark, time - self.start, count))
                bits, time = bits >> count, time + count
        return tuple(found)


class Marks:
    """The marks of a program, numbered."""

    def __init__(self) -> None:
        self._numbers: dict[Mark, int] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    def number(self, mark: Mark) -> int:
        """The number of a mark."""
        return self._numbers.setdefault(mark, len(self._numbers))

    def template(self, group: Group, demands: Mapping[Node, Demand]) -> GroupMarks:
        """What a group asks for. demands: of its instructions."""
        sets: dict[int, int] = defaultdict(int)
        for mark, first, last in self._sets(group, demands):
            sets[self.number(mark)] |= ((1 << (last - first + 1)) - 1) << (WINDOW + first)
        bars: dict[tuple[int, int, int, int], None] = {}
        for bar, time in self._bars(group, demands):
            numbers = (-1 if mark is None else self.number(mark) for mark in (bar.mark, bar.unless, bar.beside))
            mark, unless, beside = numbers
            bars[mark, unless, beside, time] = None
        return GroupMarks(tuple(sets.items()), tuple(bars))

    def _sets(self, group: Group, demands: Mapping[Node, Demand]) -> Iterator[tuple[Mark, int, int]]:
        for time in group.sealed:
            yield "sealed", time, time
        for node, time in group.times.items():
            if node.instruction is not None:
                yield "used", time, time
                for mark, first, last in demands[node].sets:
                    yield mark, time + first, time + last

    def _bars(self, group: Group, demands: Mapping[Node, Demand]) -> Iterator[tuple[Ban, int]]:
        for time in group.sealed:
            yield Ban("used"), time
        for node, time in group.times.items():
            if node.instruction is not None:
                yield Ban("sealed"), time
                for bar in demands[node].bars:
                    yield bar, time
