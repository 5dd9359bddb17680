"""A long program, scheduled in a few tries, does what it does as it is written."""

from __future__ import annotations

import numpy as np
import pytest

from haribote.stack.program import scheduled
from haribote.stack.program.walk import junk
from simulator import Machine, Program
from simulator.schedule.search import Search


def lines(number: int) -> list[str]:
    """Two steps of different units, the second of which could go with the first of the next."""
    here, there = 8 * number, 8 * number + 8
    return [f"fvadd $lr{here}v $ls{here}v $lr{there}v", f"lpassa $lr{there}v $ln{here}v"]


def leaves_the_same(one: Program, other: Program) -> None:
    """Both do the same to the same memories."""
    machines = [Machine("native"), Machine("native")]
    for machine, program in zip(machines, (one, other), strict=True):
        junk(machine)
        machine.run(program)
    for name in ("grf0", "grf1", "lm0", "lm1"):
        assert np.array_equal(getattr(machines[0], name), getattr(machines[1], name), equal_nan=True)


@pytest.mark.slow
def test_a_long_program_is_scheduled_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduled, "LONG", 60)
    plain = scheduled.mended([line for number in range(24) for line in lines(number)])
    found = scheduled.scheduled(plain, {})
    assert plain.steps > 60
    assert found.steps == 2 * 24 + 1  # a sum every other step, the last copy after the last sum's wait
    leaves_the_same(plain, found)


@pytest.mark.parametrize(("enough", "won", "units"), [(0.0, 1, 1), (1.0, 1, scheduled.EFFORT), (1.0, 0, 2)])
def test_it_is_looked_for_at_length_where_steps_bind_as_long_as_some_are_won(
    monkeypatch: pytest.MonkeyPatch, enough: float, won: int, units: int
) -> None:
    asked: list[int] = []

    def go_on(search: Search, effort: int) -> None:
        asked.append(effort)
        search.steps -= won

    monkeypatch.setattr(Search, "go_on", go_on)
    monkeypatch.setattr(scheduled, "ENOUGH", enough)
    scheduled.scheduled(scheduled.mended([line for number in range(4) for line in lines(number)]), {})
    assert asked == [1] * units


@pytest.mark.parametrize(("bind", "thorough"), [(0.0, 0), (1.1, 1)])
def test_a_middling_program_that_its_moves_bind_counts_as_long(
    monkeypatch: pytest.MonkeyPatch, bind: float, thorough: int
) -> None:
    asked: list[Program] = []

    def schedule(program: Program, **_: object) -> Program:
        asked.append(program)
        return program

    monkeypatch.setattr(scheduled, "schedule", schedule)
    monkeypatch.setattr(scheduled, "MIDDLING", 10)
    monkeypatch.setattr(scheduled, "BIND", bind)
    plain = scheduled.mended([line for number in range(8) for line in lines(number)])
    found = scheduled.scheduled(plain, {})
    assert plain.steps > 10 and len(asked) == thorough
    leaves_the_same(plain, found)
