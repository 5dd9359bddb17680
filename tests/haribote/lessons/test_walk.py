"""The order in which loops touch memory."""

from __future__ import annotations

from itertools import islice

import pytest

from haribote.errors import HariboteError
from haribote.lessons.walk import touches, walk


def test_every_order_of_loops_adds_the_same_products() -> None:
    expected = set(touches("ijp"))
    assert len(expected) == 4 * 6 * 8
    for order in ("pij", "jpi", "tiled"):
        assert len(list(touches(order))) == len(expected) and set(touches(order)) == expected
    assert [y for _, _, y in islice(touches("pij"), 3)] == [(0, 0), (0, 1), (0, 2)]
    with pytest.raises(HariboteError, match="made of i, j and p"):
        walk("xyz")
