"""Joined values by the user's names."""

from __future__ import annotations

import numpy as np

from haribote.graphs.joins import Joins

TABLE = {
    "w+b": [
        {"source": "w", "axis": 1, "start": 0, "size": 3},
        {"source": "b", "axis": 1, "start": 3, "size": 1, "expand": True},
    ],
    "x+1": [
        {"source": "x", "axis": 1, "start": 0, "size": 3},
        {"axis": 1, "start": 3, "size": 1, "value": 1.0},
    ],
}


def test_parts_are_written_and_read() -> None:
    joins = Joins(TABLE)
    joined = np.zeros((2, 4), np.float32)
    for name, value in (("w", np.arange(6.0).reshape(2, 3)), ("b", np.array([8.0, 9.0]))):
        whole, part = joins.owner(name) or ("", None)
        assert whole == "w+b" and part is not None
        part.put(joined, value)
        assert np.array_equal(part.of(joined), value)
    assert joined.tolist() == [[0, 1, 2, 8], [3, 4, 5, 9]]


def test_constant_parts_are_filled_and_names_are_the_users() -> None:
    joins = Joins(TABLE)
    joined = np.zeros((2, 4), np.float32)
    joins.fill("x+1", joined)
    assert joined.tolist() == [[0, 0, 0, 1], [0, 0, 0, 1]]
    assert joins.owner("x+1") is None and joins.owner("y") is None
    assert list(joins.users(["x+1", "y", "w+b"])) == ["x", "y", "w", "b"]
