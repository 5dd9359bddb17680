"""How many points an answer gets; the one place that says so."""

from __future__ import annotations

from fractions import Fraction
from math import floor

from grader.result import Result

PARTIAL = Fraction(1, 2)
RULE = (
    "A task gives all its points when every case passes and no cost is over par, 80 % of them when it is right but "
    "over par, and otherwise half of its points times the share of its cases that pass, rounded down."
)


def points_of(result: Result) -> int:
    """The points of a graded task, partial credit included."""
    if result.state != "failed" or not result.total:
        return result.points
    return floor(PARTIAL * result.of * Fraction(result.cases, result.total))
