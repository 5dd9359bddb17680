"""What becomes one step, and what a matrix product is."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from haribote import lazy
from haribote.lazy import Array
from haribote.lazy.primitives.arrays import walk

A, B = lazy.array("a", (4, 6)), lazy.array("b", (6, 5))


def add(a: Any, b: Any) -> Any:
    return a + b


def kinds(*outputs: Array) -> dict[str, int]:
    return dict(Counter(type(found).__name__ for found in walk(*lazy.fuse(*outputs))))


def product(order: tuple[int, int, int]) -> Array:
    """a times b, the axes rows, depth, columns at these places of the cube."""
    row, depth, column = order
    cube = [0, 0, 0]
    cube[row], cube[depth], cube[column] = 4, 6, 5
    return lazy.lazy_reduce(
        add, lazy.broadcast(A, cube, (row, depth)) * lazy.broadcast(B, cube, (depth, column)), [depth]
    )


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (0, 2, 1), (1, 2, 0), (1, 0, 2), (2, 0, 1)])
def test_a_product_is_found_in_every_order_of_the_axes(order: tuple[int, int, int]) -> None:
    found = product(order)
    assert found.shape == ((4, 5) if order[0] < order[2] else (5, 4))
    assert kinds(found)["Product"] == 1 and "Reduce" not in kinds(found) and "Map" not in kinds(found)


def test_what_is_no_product() -> None:
    cube = (4, 6, 5)
    terms = lazy.broadcast(A, cube, (0, 1)) + lazy.broadcast(B, cube, (1, 2))
    assert "Product" not in kinds(lazy.lazy_reduce(add, terms, [1]))  # a sum of sums
    terms = lazy.broadcast(A, cube, (0, 1)) * lazy.broadcast(B, cube, (1, 2))
    assert "Product" not in kinds(lazy.lazy_reduce(lazy.maximum, terms, [1]))
    assert "Product" not in kinds(lazy.lazy_reduce(add, terms, [0]))  # the second factor has no axis 0
    assert "Product" not in kinds(lazy.lazy_reduce(add, A * A, [1]))  # no axis of one factor alone


def test_maps_of_maps_become_one() -> None:
    fused = lazy.fuse(lazy.exp(A * 2.0 + 1.0) - A)
    assert [len(found.operands) for found in walk(*fused)] == [0, 1]


def test_a_map_that_two_read_stays() -> None:
    shared = lazy.exp(A)
    assert kinds(shared * 2.0, shared + 1.0)["Map"] == 3
    assert kinds(shared, shared + 1.0)["Map"] == 2


def test_views_of_views_become_one() -> None:
    turned = lazy.reshape(A, (6, 4), lambda i, j: (j, i))
    assert kinds(lazy.reshape(turned, (24,), lambda i: (i // 4, i % 4))) == {"Input": 1, "View": 1}


def test_nothing_is_changed_in_place() -> None:
    found = product((0, 1, 2))
    before = [type(x).__name__ for x in walk(found)]
    lazy.fuse(found)
    assert [type(x).__name__ for x in walk(found)] == before
