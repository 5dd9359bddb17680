"""A program scheduled window by window does what it does as it is written."""

from __future__ import annotations

import numpy as np
import pytest

from haribote.stack.program import windows
from haribote.stack.program.walk import junk
from simulator import Machine


def lines(number: int) -> list[str]:
    """Two steps of different units, the second of which could go with the first of the next."""
    here, there = 8 * number, 8 * number + 8
    return [f"fvadd $lr{here}v $ls{here}v $lr{there}v", f"lpassa $lr{there}v $ln{here}v"]


def test_a_long_program_is_scheduled_in_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(windows, "WHOLE", 60)
    monkeypatch.setattr(windows, "WINDOW", 12)
    pieces = [lines(number) for number in range(24)]
    plain = windows.mended([line for piece in pieces for line in piece])
    found = windows.scheduled(pieces, plain, {"ln": [range(8 * 24)]})
    assert plain.steps > 60 and found.steps < 0.8 * plain.steps
    machines = [Machine("native"), Machine("native")]
    for machine, program in zip(machines, (plain, found), strict=True):
        junk(machine)
        machine.run(program)
    for name in ("grf0", "grf1", "lm0", "lm1"):
        assert np.array_equal(getattr(machines[0], name), getattr(machines[1], name), equal_nan=True)


def test_the_lines_of_an_action_stay_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(windows, "WINDOW", 3)
    pieces = ["a", "b"], ["c", "d", "e", "f", "g"], [], ["h"]
    assert list(windows.windows(pieces)) == [["a", "b", "c", "d", "e", "f", "g"], ["h"]]
