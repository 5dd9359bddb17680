"""The actions of a plan in an order in which units wait little for each other.

A long program is scheduled about in the order of its lines, and values come to the matrix registers in just that order.
So a product that could run while the sums of another one are on their way must stand before what needs those sums. The
order is that of a list schedule of whole actions: of those that could begin about first, the one that most has to
follow is next.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from haribote.stack.plan import Action, Alias, Version
from haribote.stack.program.allocate import Lives, in_place
from haribote.stack.program.work import Joined, Spill, Work, reads, writes
from simulator.isa.cost import cost_of
from simulator.isa.program import Move, Program
from simulator.schedule.moving import steps_of_move

LATENCY = 10
"""Steps, about, from the end of an action until its last result can be used."""
NEAR = 20
"""Steps by which an action may begin later than another one and still come before it."""
OVERLAP = 0.5
"""The share of an action after which its first results travel on."""
BETTER = 0.98
"""The share of its time that a program must seem to need in another order to be written in it."""


class Effort(NamedTuple):
    """Steps in which an action keeps the PEs busy (of their units that which has most to do), the transfers between
    them and L2BM, and the MV instructions."""

    units: float
    transfers: float
    moves: float

    @property
    def steps(self) -> float:
        """All of it, one after another."""
        found = sum(self)
        return found + LATENCY if found else 0.0


def effort(program: Program) -> Effort:
    """Of the lines of an action."""
    busy = Counter(cost_of(program).units)
    matrices = busy["mau-write"] + busy["mau-read"]
    moves = sum(steps_of_move(line) for line in program.lines if isinstance(line, Move))
    return Effort(max(busy["mau"], matrices, busy["alu"]), max(busy["l1bm"], busy["l2bm"]), moves)


def ordered(
    work: Sequence[Work], efforts: Sequence[Effort], resident: Iterable[Version], ahead: bool = True
) -> list[Action] | None:
    """The actions in a better order; None where it does not look better. efforts: of each piece of work; resident: what
    is on the chip for good; ahead: what waits for nothing may come before whatever it comes behind now, though it takes
    up room from then on.
    """
    before = [sorted(found) for found in _before(work, Lives(work, resident))]
    # MV instructions that wait for nothing run beside the step before
    efforts = [each if others else each._replace(moves=0.0) for each, others in zip(efforts, before, strict=True)]
    if not ahead:
        _stay_behind(before, efforts)
    as_it_is, other = _Timeline(before, efforts), _Timeline(before, efforts)
    for number in range(len(work)):
        as_it_is.put(number)
    found = list(other.order())
    if other.last > BETTER * as_it_is.last:
        return None
    return [action for number in found for action in _actions(work[number])]


def _stay_behind(before: Sequence[list[int]], efforts: Sequence[Effort]) -> None:
    """Let what waits for nothing come after the last action before it that keeps the PEs busy."""
    last: int | None = None
    for number, others in enumerate(before):
        if not others and last is not None:
            others.append(last)
        if efforts[number].units:
            last = number


def _actions(work: Work) -> Iterator[Action]:
    if isinstance(work, Joined):
        yield from (work.multiply, work.shift)
    elif not isinstance(work, Spill):
        yield work


def _before(work: Sequence[Work], lives: Lives) -> Iterator[set[int]]:
    """Of each piece of work those that must come before it: what makes its versions, and what makes or reads before
    those that it makes. Where it is to make the new value of a parameter in place of the old one, those count too; who
    reads an alias reads what it is an alias of.
    """
    here: dict[int, list[Version]] = defaultdict(list)
    for (number, _), parameter in in_place(work, lives).items():
        here[number].append(parameter)
    makers: dict[Version, int] = {}
    readers: dict[Version, list[int]] = defaultdict(list)
    aliases: dict[Version, tuple[Version, ...]] = {}
    for number, action in enumerate(work):
        made = {*writes(action), *here[number]}
        read = {name for version in reads(action) for name in (version, *aliases.get(version, ()))}
        found = {makers[version] for version in made | read if version in makers}
        found |= {reader for version in made for reader in readers[version]}
        yield found
        for version in made:
            makers[version], readers[version] = number, []
            aliases.pop(version, None)
        for version in read:
            readers[version].append(number)
        if isinstance(action, Alias):
            aliases[action.target] = (action.source, *aliases.get(action.source, ()))


@dataclass
class _Timeline:
    """The units while actions are put one behind another; times in steps. before: of each action, those that must come
    before it; units, transfers, moves: from when on they are free; last: when all results are there; ready: from when
    on each action has all that it reads.
    """

    before: Sequence[Sequence[int]]
    efforts: Sequence[Effort]
    units: float = 0.0
    transfers: float = 0.0
    moves: float = 0.0
    last: float = 0.0
    ready: list[float] = field(init=False)

    def __post_init__(self) -> None:
        self.ready = [0.0] * len(self.before)
        self.after: list[list[int]] = [[] for _ in self.before]
        for number, others in enumerate(self.before):
            for other in others:
                self.after[other].append(number)

    def order(self) -> Iterator[int]:
        """The numbers of the actions."""
        tails = self._tails()
        missing = [len(others) for others in self.before]
        open_ = [number for number, count in enumerate(missing) if not count]
        while open_:
            latest = min(map(self._start, open_)) + NEAR
            number = min((n for n in open_ if self._start(n) <= latest), key=lambda n: (-tails[n], n))
            yield number
            open_.remove(number)
            self.put(number)
            for other in self.after[number]:
                missing[other] -= 1
                if not missing[other]:
                    open_.append(other)

    def put(self, number: int) -> None:
        """Let an action be next, as soon as it can begin."""
        end = self._end(number)
        self.last = max(self.last, end)
        for other in self.after[number]:
            self.ready[other] = max(self.ready[other], end)

    def _tails(self) -> list[float]:
        """Steps from the start of each action to the end of the step, as far as what follows asks for them."""
        found = [effort.steps for effort in self.efforts]
        for number in reversed(range(len(found))):
            found[number] += max((found[other] for other in self.after[number]), default=0.0)
        return found

    def _start(self, number: int) -> float:
        """When the first unit that an action needs is free for it."""
        asks = self.efforts[number]
        free = self.units if asks.units else self.transfers if asks.transfers else self.moves if asks.moves else 0.0
        return max(self.ready[number], free)

    def _end(self, number: int) -> float:
        """When the results of the next action are there; the units are busy until it needs them no more."""
        asks, now = self.efforts[number], self._start(number)
        end = now
        if asks.units:
            end = self.units = now + asks.units
            now += OVERLAP * asks.units
        if asks.transfers:
            now = max(now, self.transfers)
            self.transfers = now + asks.transfers
            end, now = max(end, self.transfers), now + OVERLAP * asks.transfers
        if asks.moves:
            self.moves = max(now, self.moves) + asks.moves
            end = max(end, self.moves + OVERLAP * asks.transfers)
        return end + LATENCY * any(asks)
