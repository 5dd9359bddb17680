"""Whatever an answer changes of what it was given is found, under the name of its parameter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from grader.emitter.kept import Kept


def changes(table: dict[str, list[int]], array: Any, pair: tuple[list[int], int]) -> None:
    """A function with these parameters."""


CHANGES: dict[str, Callable[[dict[str, Any], Any, tuple[list[int], int]], object]] = {
    "table": lambda table, array, pair: table["a"].append(3),
    "array": lambda table, array, pair: array.__setitem__(0, 7),
    "pair": lambda table, array, pair: pair[0].clear(),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_found(name: str) -> None:
    args = {"a": [1, 2], "b": []}, np.array([1.0, np.nan]), ([1], 2)
    kept = Kept(args, {})
    assert kept.changed(changes) == ""
    CHANGES[name](*args)
    assert kept.changed(changes) == name


def test_what_is_no_container_may_change() -> None:
    class Table:
        placed = 0

    table = Table()
    kept = Kept((), {"table": table, "known": {1, 2}})
    table.placed = 1
    assert kept.changed(changes) == ""


def test_the_order_of_a_table_and_another_object_count() -> None:
    state: dict[str, object] = {"a": object(), "b": 1}
    kept = Kept((state,), {})
    state["a"] = object()
    assert kept.changed(changes) == "table"
