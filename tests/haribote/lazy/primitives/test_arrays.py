"""What does not fit is said where it is written, with both shapes; and the package stays short."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from haribote import lazy

X, Y, V = lazy.array("x", (4, 6)), lazy.array("y", (6, 4)), lazy.array("v", (4,))
N, B = lazy.array("n", (4, 6), "int64"), lazy.array("b", (4, 6), np.bool_)

MISTAKES: list[tuple[Callable[[], Any], str]] = [
    (lambda: X + Y, r"arrays of one shape, received \[4, 6\] and \[6, 4\]"),
    (lambda: X * V, r"received \[4, 6\] and \[4\]\n.*broadcast"),
    (lambda: X + N, "Add takes one type of float, int, uint, received float32, int64"),
    (lambda: lazy.exp(N), "Exp takes one type of float, received int64"),
    (lambda: B + B, "Add takes one type of float, int, uint, received bool, bool"),
    (lambda: N + 1.5, "1.5 is no int64"),
    (lambda: lazy.where(X, X, X), "Where takes bool first"),
    (lambda: lazy.lazy_map(lambda a: a if a > 0 else -a, X), "a map has no `if`"),
    (lambda: lazy.lazy_map(lambda a: "a", X), "works on elements and numbers, received str"),
    (lambda: lazy.lazy_map(lambda: 1.0), "a map needs an array"),
    (lambda: bool(X), "no truth before it is computed"),
    (lambda: lazy.exp(2.0), "Exp takes elements or arrays"),
    (
        lambda: lazy.lazy_reduce(lambda a, b: a + b, X, [2]),
        r"float32\[4, 6\] along \[2\]\n.*different axes of \[0, 1\]",
    ),
    (lambda: lazy.lazy_reduce(lambda a, b: a + b, X, [1, -1]), "different axes"),
    (lambda: lazy.lazy_reduce(lambda a, b: a - b, X, [0]), "a reduction is one of Add, Mul, Max, Min"),
    (lambda: lazy.lazy_reduce(lambda a, b: a + 1.0, X, [0]), "of its two elements"),
    (lambda: lazy.lazy_reduce(lazy.maximum, lazy.array("e", (3, 0)), [1]), "has no max along"),
    (lambda: lazy.reshape(X, (6, 4), lambda i, j: (i, j)), r"axis 0 of float32\[4, 6\] at 0 to 5\n.*0 to 3"),
    (lambda: lazy.reshape(X, (4, 6), lambda i, j: (i, j - 1)), "axis 1 .* at -1 to 4"),
    (lambda: lazy.reshape(X, (24,), lambda i: i), "has 2 indices, received 1"),
    (lambda: lazy.reshape(X, (4,), lambda i: (i, 0.5)), "made of whole numbers, received 0.5"),
    (lambda: lazy.reshape(X, (4,), lambda i: (i, i * i)), "made of whole numbers"),
    (lambda: lazy.reshape(X, (4,), lambda i: (i, (i - 1) // 2)), "divided that can be -1"),
    (lambda: lazy.broadcast(X, (4, 5)), r"repeat \[4, 6\] to \[4, 5\] at axes \[0, 1\]\n.*equal sizes"),
    (lambda: lazy.broadcast(X, (6,)), r"repeat \[4, 6\] to \[6\]"),
    (lambda: lazy.broadcast(V, (4, 6), [0, 1]), "at axes"),
    (lambda: lazy.stack([X, Y]), r"received float32\[4, 6\] and float32\[6, 4\]"),
    (lambda: lazy.stack([X, N]), r"received float32\[4, 6\] and int64\[4, 6\]"),
    (lambda: lazy.stack([], 0), "cannot stack 0 arrays"),
    (lambda: lazy.stack([X], 3), "along a new axis 3"),
    (lambda: lazy.array("h", (2,), "float16"), "cannot be float16"),
    (lambda: lazy.array("h", (2, -1)), r"received \[2, -1\]"),
    (lambda: lazy.constant(["a"]), "a constant cannot be"),
]


@pytest.mark.parametrize(("mistake", "message"), MISTAKES, ids=[message[:30] for _, message in MISTAKES])
def test_mistakes_are_told_where_they_are_made(mistake: Callable[[], Any], message: str) -> None:
    with pytest.raises(lazy.LazyError, match=message):
        mistake()


def test_shapes_and_types() -> None:
    assert (X < 1.0).dtype == bool and lazy.lazy_reduce(lazy.maximum, X, [0]).shape == (6,)
    assert lazy.stack([V, V], 1).shape == (4, 2) and lazy.constant([1, 2]).dtype == np.int64
    assert lazy.constant(2.5).dtype == np.float32 and str(X - 1) == "float32[4, 6]"


def test_a_constant_is_a_copy() -> None:
    value = np.zeros(3, np.float32)
    known = lazy.constant(value)
    value[:] = 1
    assert not lazy.evaluate(known).any()


def test_it_is_short_enough_to_be_read() -> None:
    folder = Path(lazy.__file__).parent
    files = [path for path in folder.rglob("*.py") if path.parent.name != "evaluators"]
    assert sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files) <= 600
