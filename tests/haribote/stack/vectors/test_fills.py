"""What operators make of padding."""

from __future__ import annotations

import numpy as np
import pytest

from haribote.stack.vectors.fills import fill_of
from tests.haribote.stack.vectors.chip import node


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("y = Relu minus", 0),
        ("y = Exp zero", 1),
        ("y = Div minus two", -0.5),
        ("y = Clip two minus one", 1),
        ("y = Clip two - one", 1),
        ("y = Add zero anything", None),
        ("y = Div zero zero", None),
        ("y = Log zero", None),  # no infinities: sums and products take them for 2^128
        ("y = Reciprocal zero", None),
        ("y = Cos huge", None),
        ("y = Exp minus_huge", 0),
        ("y = Sigmoid minus_huge", 0),
        ("y = Where true two minus", 2),
        ("y = Greater two minus", 1),
        ("y = GreaterCast two", 1),
    ],
)
def test_fills(text: str, expected: float | None) -> None:
    fills = {
        "zero": 0.0,
        "one": 1.0,
        "two": 2.0,
        "minus": -1.0,
        "true": 1.0,
        "anything": None,
        "huge": 1e30,
        "minus_huge": -1e30,
    }
    domain = {"domain": "haribote"} if "Cast" in text else {}
    assert fill_of(node(text, **domain), fills, {"true": np.dtype(np.bool_)}) == expected


@pytest.mark.parametrize("op_type", ["Div", "Mod"])
def test_integers_divided_by_0_may_be_anything(op_type: str) -> None:
    kinds = {"a": np.dtype(np.int32), "b": np.dtype(np.int32)}
    assert fill_of(node(f"y = {op_type} a b"), {"a": 0.0, "b": 0.0}, kinds) is None
    assert fill_of(node(f"y = {op_type} a b"), {"a": 0.0, "b": 3.0}, kinds) == 0.0
