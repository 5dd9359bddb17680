"""How many points an answer gets; the one place that says so."""

from __future__ import annotations

from fractions import Fraction
from math import floor

from simulator.messages import Text

OVER_PAR = Fraction(4, 5)  # of a right answer that costs more than par
PARTIAL = Fraction(1, 2)  # of an answer that is right in every case but one, nearly
RULE = Text(
    "A task gives all its points when every case passes and no cost is over par, 80 % of them when it is right but "
    "over par, and otherwise half of its points times the share of its cases that pass, rounded down. Cases that an "
    "answer passes without doing anything are left out of that share. A result that depends on memory that nobody has "
    "written gives no points, whatever cases it passes by chance. A kernel task without an answer of its own counts as "
    "right but over par where a generator that passes writes its kernels."
)


def over_par(of: int) -> int:
    """The points of a right answer that costs more than par."""
    return round(OVER_PAR * of)


def partial(of: int, passed: int, cases: int) -> int:
    """The points of an answer that fails; only cases count that take some doing."""
    return floor(PARTIAL * of * Fraction(passed, cases)) if cases else 0
