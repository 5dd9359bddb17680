"""The search for short schedules: list scheduling from both ends in turn, started again and again.

A schedule made from the end, with the order of a schedule from the start, and back again, is seldom longer and often
shorter (forward-backward improvement, known from project scheduling). It starts with some mixtures of critical path
and source order; then with the best schedule so far, its times shaken, or with some of the values in matrix registers
moved to another place in their order.
"""

from __future__ import annotations

from random import Random

from simulator.schedule.list_scheduler import Problem, backward, forward
from simulator.schedule.turns import Order, Turns

WEIGHTS = (0.75, 0.5, 1.0, 0.2, 0.0, 100.0)
"""How much a step that a group comes later in the program counts against a step of its critical path."""
SHAKEN = (1, 2, 4, 8, 16, 32)
"""By how many steps a start is moved at most before the next try."""
TOGETHER = (1, 1, 1, 2, 4)
FURTHER = (1, 2, 3, 5, 8, 12, 16, 24)
"""How many webs are moved at once, and how far."""
WORK = 40_000
"""Groups per unit of effort in all tries after the first ones; each places all groups three times or more."""
TRIES = 80
"""Tries per unit of effort at most: a small program has soon seen all that they can find."""


class Search:
    """best: the shortest schedule so far, the start of every group; of this many steps."""

    def __init__(self, problem: Problem, turns: Turns, least: int) -> None:
        """turns: of the matrix registers, whose order is not yet in the problem. least: steps that end the search."""
        self.problem, self._turns, self._least = problem, turns, least
        self._rng = Random(1)
        order = turns.order(turns.in_program())
        assert order is not None
        self._order = order
        self._seen = {order}
        self._ordered = problem.ordered(turns.edges(order))
        self.best: list[int] = []
        self.steps = 0

    def begin(self) -> None:
        """The first tries."""
        tails = self._ordered.tails()
        for weight in WEIGHTS:
            priority = [weight * group.start - tail for group, tail in zip(self.problem.groups, tails, strict=True)]
            self._take(self._order, self._ordered, priority)
            if self.steps <= self._least:
                break

    def go_on(self, effort: int) -> None:
        """As many tries more as the effort allows for."""
        for _ in range(min(WORK // (len(self.problem.groups) + 1), TRIES) * effort):
            if self.steps <= self._least:
                break
            if self._rng.random() < 0.5 or not self._move():
                most = self._rng.choice(SHAKEN)
                shaken = [start + self._rng.uniform(-most, most) for start in self.best]
                self._take(self._order, self._ordered, shaken)

    def _move(self) -> bool:
        """Try another order of the webs; False where all that were thought of are known."""
        turns, rng = self._turns, self._rng
        wishes = turns.by_starts(self.best)
        webs = sorted(range(len(wishes)), key=wishes.__getitem__)
        for _ in range(min(len(webs) - 1, 10)):
            count = rng.choice(TOGETHER)
            first = rng.randrange(len(webs))
            moved, others = webs[first : first + count], webs[:first] + webs[first + count :]
            place = max(first + rng.choice((-1, 1)) * rng.choice(FURTHER), 0)
            row = [*others[:place], *moved, *others[place:]]
            order = turns.order([place for _, place in sorted(zip(row, range(len(row)), strict=True))])
            if order is not None and order not in self._seen:
                self._seen.add(order)
                ordered = self.problem.ordered(turns.edges(order))
                self._take(order, ordered, self.best)
                return True
        return False

    def _take(self, order: Order, ordered: Problem, priority: list[float] | list[int]) -> None:
        """Make a schedule; it is the best one where none is shorter: another place to look from."""
        starts = _improved(ordered, forward(ordered, priority))
        steps = ordered.steps(starts)
        if not self.best or steps <= self.steps:
            self.best, self.steps = starts, steps
            self._order, self._ordered = order, ordered


def _improved(problem: Problem, starts: list[int]) -> list[int]:
    """The best of schedules from the end and the start in turn, as long as they get shorter."""
    while True:
        ends = [start + length for start, length in zip(starts, problem.lengths, strict=True)]
        found = forward(problem, backward(problem, ends))
        if problem.steps(found) >= problem.steps(starts):
            return found if problem.steps(found) == problem.steps(starts) else starts
        starts = found
