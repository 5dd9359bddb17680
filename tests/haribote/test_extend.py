"""Operators of one's own: what is refused, and that nothing of them is left when they are forgotten."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from haribote.answers.resolve import OWN_KERNELS
from haribote.compiler import lower
from haribote.errors import HariboteError
from haribote.extend import define, forget, serve
from haribote.graph import Builder, evaluate
from haribote.kernel import Kernel, Op
from haribote.kernel_table import BY_NAME, OWN_ROWS
from haribote.operators.functions import FUNCTIONS
from haribote.passes.placement import row_of


def kernel(op: Op) -> Iterator[str]:
    """A kernel that nobody runs."""
    yield "nop"


def test_an_operator_gets_its_kernel_and_is_forgotten() -> None:
    assert define("Cube (x) => (y) { s = Mul (x, x) y = Mul (s, x) }") == "Cube"
    try:
        serve("Cube", Kernel("", "Cube", kernel))
        builder = Builder("cube")
        builder.output(builder.op("Cube", builder.input("x", (256, 16), np.float32), name="y"))
        model = builder.finish()
        x = np.full((256, 16), -2, np.float32)
        assert (evaluate(model, {"x": x})["y"] == -8).all()
        rows = [row_of(node) for node in lower(model, "pad", "layout").graph.node]
        assert [row and row.name for row in rows] == ["cube"]
    finally:
        forget("Cube")
    assert "Cube" not in FUNCTIONS and "cube" not in BY_NAME and not OWN_KERNELS and not OWN_ROWS


def test_mistakes_are_named() -> None:
    with pytest.raises(HariboteError, match="text form"):
        define("Half (x) => y")
    with pytest.raises(HariboteError, match="DL of its own"):
        define("DL (x) => (y) { y = Neg (x) }")
    with pytest.raises(HariboteError, match="it is 1"):
        define("Grow (x) => (y) { y = Exp (x) }")
    assert "Grow" not in FUNCTIONS
    with pytest.raises(HariboteError, match="Quarter is not defined"):
        serve("Quarter", Kernel("", "Quarter", kernel))
