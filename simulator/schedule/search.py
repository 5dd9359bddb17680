"""The search for short schedules: list scheduling from both ends in turn, started again and again.

A schedule made from the end, with the order of a schedule from the start, and back again, is seldom longer and often
shorter (forward-backward improvement, known from project scheduling). It starts with some mixtures of critical path
and source order; then with the best schedule so far, its times shaken, or with some of the values in matrix registers
moved to another place in their order.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from random import Random

from simulator.schedule.joining import joined
from simulator.schedule.list_scheduler import Problem, backward, forward
from simulator.schedule.passing import Passing
from simulator.schedule.turns import Order, Turns

WEIGHTS = (0.75, 0.5, 1.0, 0.2, 0.0, 100.0)
"""How much a step that a group comes later in the program counts against a step of its critical path."""
OF_LONG = (0.0, 100.0)
"""The same for long programs, each try of which takes seconds."""
SHAKEN = (1, 2, 4, 8, 16, 32)
"""By how many steps a start is moved at most before the next try."""
TOGETHER = (1, 1, 1, 2, 4)
FURTHER = (1, 2, 3, 5, 8, 12, 16, 24)
"""How many webs are moved at once, and how far."""
WORK = 40_000
"""Groups per unit of effort in all tries after the first ones; each places all groups three times or more."""
TRIES = 80
"""Tries per unit of effort at most: a small program has soon seen all that they can find."""


@dataclass(frozen=True)
class Ordered:
    """A problem and the order of its webs. full: the problem with that order."""

    problem: Problem
    turns: Turns
    order: Order
    full: Problem


def ordered(problem: Problem, turns: Turns, wishes: Sequence[float], known: Container[Order] = ()) -> Ordered | None:
    """With the webs as near to these wishes as is found; None where none is found, or a known order."""
    order = turns.order(wishes)
    if order is None or order in known:
        return None
    full = problem.ordered(turns.edges(order))
    return None if full is None else Ordered(problem, turns, order, full)


class Search:
    """best: the shortest schedule so far, the start of every group; of this many steps."""

    def __init__(self, ordered: Ordered, passings: Sequence[Passing], least: int) -> None:
        """passings: what may be read from forwarding paths. least: steps that end the search."""
        self._at, self._passings, self._least = ordered, passings, least
        self._rng = Random(1)
        self._seen = {ordered.order}
        self.best: list[int] = []
        self.steps = 0
        self._use = [[1, 1] for _ in range(3)]  # of each kind of tries, steps won and tries

    @property
    def problem(self) -> Problem:
        """What the best schedule is a schedule of."""
        return self._at.problem

    def begin(self, weights: Sequence[float] = WEIGHTS) -> None:
        """The first tries."""
        tails = self._at.full.tails()
        for weight in weights:
            priority = [weight * group.start - tail for group, tail in zip(self.problem.groups, tails, strict=True)]
            self._take(self._at, priority)
            if self.steps <= self._least:
                break

    def begin_from_end(self) -> None:
        """One more first try: the program's own order, from the end. Of long programs, in which much may stand almost
        anywhere, it is often the best."""
        own = [group.start for group in self.problem.groups]
        self._take(self._at, backward(self._at.full, _ends(self._at.full, own)))

    def go_on(self, effort: int) -> None:
        """As many tries more as the effort allows for, most of a kind that has been of use."""
        kinds = self._shake, self._move, self._pass_on
        for _ in range(min(WORK // (len(self.problem.groups) + 1), TRIES) * effort):
            if self.steps <= self._least:
                break
            kind = self._rng.choices(range(len(kinds)), [won / tried for won, tried in self._use])[0]
            before = self.steps
            if not kinds[kind]():
                self._shake()
            self._use[kind][0] += before - self.steps
            self._use[kind][1] += 1

    def _shake(self) -> bool:
        """Try the groups in an order near to that of the best schedule."""
        most = self._rng.choice(SHAKEN)
        self._take(self._at, [start + self._rng.uniform(-most, most) for start in self.best])
        return True

    def _move(self) -> bool:
        """Try another order of the webs; False where all that were thought of are known."""
        turns, rng = self._at.turns, self._rng
        wishes = turns.by_starts(self.best)
        webs = sorted(range(len(wishes)), key=wishes.__getitem__)
        for _ in range(min(len(webs) - 1, 10)):
            count = rng.choice(TOGETHER)
            first = rng.randrange(len(webs))
            moved, others = webs[first : first + count], webs[:first] + webs[first + count :]
            place = max(first + rng.choice((-1, 1)) * rng.choice(FURTHER), 0)
            row = [*others[:place], *moved, *others[place:]]
            places = [place for _, place in sorted(zip(row, range(len(row)), strict=True))]
            found = ordered(self.problem, turns, places, self._seen)
            if found is not None:
                self._seen.add(found.order)
                self._take(found, self.best)
                return True
        return False

    def _pass_on(self) -> bool:
        """Try to read a value from a forwarding path that is read as soon as its memory allows; False where there is
        none."""
        if not self._passings:
            return False
        times = self.problem.times(self.best)
        slack = self._slack()
        tight = [
            (slack[self.problem.number[passing.reader]] + self._rng.random(), passing)
            for passing in self._passings
            if times[passing.reader] - times[passing.writer] <= passing.wait
        ]
        for _, passing in sorted(tight, key=lambda pair: pair[0]):
            problem = joined(self.problem, passing)
            if problem is None:
                continue
            starts = list(self.best)
            number = problem.number[passing.writer]
            starts[number] = times[passing.writer] - problem.groups[number].times[passing.writer]
            turns = Turns(problem, self._at.turns.webs)
            found = ordered(problem, turns, turns.by_starts(starts))
            if found is not None:
                self._take(found, starts)
                return True
        return False

    def _slack(self) -> list[int]:
        """By how many steps each group could come later than in the best schedule, if all others move too."""
        latest = backward(self._at.full, _ends(self._at.full, self.best))
        later = self.steps - self._at.full.steps(latest)
        return [last + later - start for last, start in zip(latest, self.best, strict=True)]

    def _take(self, found: Ordered, priority: Sequence[float]) -> None:
        """Make a schedule; it is the best one where none is shorter: another place to look from."""
        starts = _improved(found.full, forward(found.full, priority))
        steps = found.full.steps(starts)
        if not self.best or steps <= self.steps:
            self.best, self.steps, self._at = starts, steps, found


def _improved(problem: Problem, starts: list[int]) -> list[int]:
    """The best of schedules from the end and the start in turn, as long as they get shorter."""
    while True:
        found = forward(problem, backward(problem, _ends(problem, starts)))
        if problem.steps(found) >= problem.steps(starts):
            return found if problem.steps(found) == problem.steps(starts) else starts
        starts = found


def _ends(problem: Problem, starts: Sequence[int]) -> list[int]:
    return [start + length for start, length in zip(starts, problem.lengths, strict=True)]
