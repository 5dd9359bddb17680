"""Products of each precision within a compiled graph, against float64."""

from __future__ import annotations

from functools import cache

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray

from haribote.errors import HariboteError
from haribote.graph import Builder
from haribote.stack.plan import Load, Multiply, Plan
from haribote.stack.planner.precision import Precision, delicate
from haribote.stack.program.compiled import compile_stack, planned
from haribote.stack.program.session import session_of
from haribote.stack.program.shortest import build
from simulator import Machine

ROUNDING = {"float": 2.0**-21, "pseudo": 2.0**-17, "half": 2.0**-8}
"""What each term of a product may differ, as a part of the largest factors."""
Doubles = NDArray[np.float64]
SHAPES = {"x": (64, 32), "v": (16, 32), "w": (16, 16)}


def layers() -> onnx.ModelProto:
    """Two layers, whose logits are scaled."""
    builder = Builder("layers")
    for name, shape in SHAPES.items():
        builder.input(name, shape, np.float32)
    builder.op("Relu", builder.op("Gemm", "x", "v", name="first", transB=1), name="hidden")
    builder.op("Gemm", "hidden", "w", name="second", transB=1)
    builder.op("Mul", "second", builder.scalar(0.125), name="logits")
    for name in ("logits", "hidden"):
        builder.output(name)
    return builder.finish()


@cache
def plan(precision: Precision) -> Plan:
    return planned(layers(), precision)


def used(precision: Precision) -> dict[str, str]:
    """What each product is computed in."""
    return {a.target.value: a.precision for a in plan(precision).actions if isinstance(a, Multiply)}


def rounded(precision: Precision) -> dict[str, str]:
    """The same, `half` also where an operand comes from DRAM as halves."""
    short = {action.target.value for action in plan(precision).actions if isinstance(action, Load) and action.half}
    operands = {"first": {"x", "v"}, "second": {"w"}}
    return {name: "half" if operands[name] & short else way for name, way in used(precision).items()}


@pytest.mark.slow
def test_inputs_of_short_products_lie_in_dram_as_halves() -> None:
    assert rounded("float") == used("float") and rounded("mixed") == {"first": "half", "second": "float"}


@pytest.mark.slow
def test_mixed_leaves_the_logits_exact() -> None:
    assert delicate(layers()) == {"second"}
    assert used("float") == {"first": "float", "second": "float"}
    assert used("mixed")["second"] == "float" != used("mixed")["first"]
    assert "float" not in used("half").values() and "half" in used("half").values()


@pytest.mark.some(1)
@pytest.mark.parametrize("precision", ["float", "mixed", "half"])
def test_products_within_a_graph(precision: Precision) -> None:
    random = np.random.default_rng(0)
    given = {name: random.normal(size=shape).astype(np.float32) for name, shape in SHAPES.items()}
    session = session_of(build(plan(precision)).executable, Machine("native"))
    for name, value in given.items():
        session.write(name, value)
    session.run()
    x, v, w = (given[name].astype(np.float64) for name in "xvw")
    hidden = np.maximum(x @ v.T, 0)
    logits = hidden @ w.T / 8
    ways = rounded(precision)
    first, second = bound(x, v, ROUNDING[ways["first"]]), bound(hidden, w, ROUNDING[ways["second"]])
    assert np.abs(session.read("hidden") - hidden).max() < first
    assert np.abs(session.read("logits") - logits).max() < (second + 16 * first * np.abs(w).max()) / 8


def bound(a: Doubles, b: Doubles, rounding: float) -> float:
    return float(a.shape[1] * np.abs(a).max() * np.abs(b).max() * rounding)


def test_an_unknown_precision_is_refused() -> None:
    with pytest.raises(HariboteError, match="no precision 'double'"):
        compile_stack(layers(), "double")
