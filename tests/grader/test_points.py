"""Partial credit."""

from __future__ import annotations

from grader.points import over_par, partial


def test_partial_credit() -> None:
    assert [partial(10, cases, 4) for cases in (0, 1, 3, 4)] == [0, 1, 3, 5] and partial(10, 0, 0) == 0
    assert over_par(10) == 8 and over_par(15) == 12
