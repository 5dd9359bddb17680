"""Expressions as pictures: what is said of every array, and that the wires are there."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from typing import Any

from haribote import lazy
from haribote.draw.expressions import text

A, B = lazy.array("a", (4, 6)), lazy.array("b", (6, 5))
TEXT = "{http://www.w3.org/2000/svg}text"


def add(a: Any, b: Any) -> Any:
    return a + b


def words(*outputs: lazy.Array) -> list[str]:
    root = ElementTree.fromstring(lazy.draw(*outputs, caption="a product").text)
    return [element.text or "" for element in root.iter(TEXT)]


def test_a_product_as_written_and_fused() -> None:
    cube = (4, 6, 5)
    terms = lazy.broadcast(A, cube, (0, 1)) * lazy.broadcast(B, cube, (1, 2))
    written = lazy.lazy_reduce(add, terms, [1])
    shown = words(written)
    assert "a product · 6 arrays" in shown and {"a × b", "sum along 1", "at i, j", "4×6×5", "result"} <= set(shown)
    assert "Reduce" not in words(*lazy.fuse(written)) and "Product" in words(*lazy.fuse(written))


def test_several_results_have_numbers() -> None:
    assert {"result 1", "result 2"} <= set(words(A, A + 1.0))


def test_what_an_array_does() -> None:
    assert text(lazy.lazy_map(lambda a, b: (a + b) * 2.0 - lazy.exp(-a), A, A)) == "((a + b) × 2) − exp(−a)"
    assert text(lazy.lazy_map(lambda a: lazy.where(a > 0.5, a, 0.0), A)) == "where(a > 0.5, a, 0)"
    assert (
        text(lazy.reshape(A, (2, 9), lambda i, j: (i + 2, (j * 2 + i) // 4 % 3))) == "at i + 2, ((j * 2 + i) // 4) % 3"
    )
    assert text(lazy.stack([A, A], 1)) == "new axis 1"
