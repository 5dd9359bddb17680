"""Garbage is looked for seldom while a program is made, and as before afterwards."""

from __future__ import annotations

import gc

import pytest

from haribote.stack.program.garbage import OBJECTS, seldom_collected


@pytest.mark.parametrize(("first", "inside"), [(700, OBJECTS), (2 * OBJECTS, 2 * OBJECTS), (0, 0)])
def test_thresholds_are_as_before(first: int, inside: int) -> None:
    before = gc.get_threshold()
    try:
        gc.set_threshold(first, 10, 10)
        with pytest.raises(KeyError), seldom_collected():
            assert gc.get_threshold() == (inside, 10, 10)
            raise KeyError
        assert gc.get_threshold() == (first, 10, 10)
    finally:
        gc.set_threshold(*before)


def test_what_was_made_counts_as_old_afterwards() -> None:
    before = gc.get_threshold()
    try:
        gc.set_threshold(700, 10, 10)
        with seldom_collected():
            made: list[list[int]] = [[] for _ in range(10_000)]
        assert gc.get_count()[0] < 1_000 and gc.get_freeze_count() == 0
        assert any(made is found for found in gc.get_objects(generation=2))
    finally:
        gc.set_threshold(*before)
