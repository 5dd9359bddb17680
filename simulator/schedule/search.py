"""The search for short schedules: list scheduling from both ends in turn, started again and again.

A schedule made from the end, with the order of a schedule from the start, and back again, is seldom longer and often
shorter (forward-backward improvement, known from project scheduling). It starts with some mixtures of critical path
and source order, then with the best schedule so far, its times shaken.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from simulator.schedule.list_scheduler import Problem, backward, forward

WEIGHTS = (0.75, 0.5, 1.0, 0.2, 0.0, 100.0)
"""How much a step that a group comes later in the program counts against a step of its critical path."""
SHAKEN = (1, 2, 4, 8, 16, 32)
"""By how many steps a start is moved at most before the next try."""
WORK = 20_000
"""Groups per unit of effort in all tries with shaken times, each of which places all groups three times or more."""
TRIES = 50
"""Tries per unit of effort at most: a small program has soon seen all that they can find."""


def searched(problem: Problem, least: int, effort: int) -> list[int]:
    """The start of every group in the shortest schedule found; a schedule of `least` steps ends the search."""
    best: list[int] = []
    for starts in _first_tries(problem):
        best = _shorter(problem, best, starts)
        if problem.steps(best) <= least:
            return best
    rng = Random(1)
    for _ in range(min(WORK // (len(best) + 1), TRIES) * effort):
        most = rng.choice(SHAKEN)
        starts = forward(problem, [start + rng.uniform(-most, most) for start in best])
        best = _shorter(problem, best, _improved(problem, starts))
        if problem.steps(best) <= least:
            break
    return best


def _first_tries(problem: Problem) -> Iterator[list[int]]:
    tails = problem.tails()
    for weight in WEIGHTS:
        priority = [weight * group.start - tail for group, tail in zip(problem.groups, tails, strict=True)]
        yield _improved(problem, forward(problem, priority))


def _improved(problem: Problem, starts: list[int]) -> list[int]:
    """The best of schedules from the end and the start in turn, as long as they get shorter."""
    while True:
        ends = [start + length for start, length in zip(starts, problem.lengths, strict=True)]
        found = forward(problem, backward(problem, ends))
        if problem.steps(found) >= problem.steps(starts):
            return _shorter(problem, starts, found)
        starts = found


def _shorter(problem: Problem, first: list[int], second: list[int]) -> list[int]:
    """The shorter of two schedules, the second where they are alike: it is another place to look from."""
    return first if first and problem.steps(first) < problem.steps(second) else second
