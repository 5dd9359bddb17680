"""Every row of the table against ONNX's reference: its meaning in NumPy, its C++, alone and in a loop, its gradient."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from haribote.autodiff.reverse import gradients
from haribote.core.chip.terms import KINDS
from haribote.core.elementwise import ELEMENTWISE, Elementwise, given_or_default
from haribote.cpp.cases import run_in_cpp
from haribote.graph import Builder, evaluate
from haribote.graphs.cases import Case
from haribote.passes import fuse
from tests.haribote.cpp.operator_cases import case, check

Array = NDArray[Any]

RANDOM = np.random.default_rng(23)
FLOAT, WHOLE, UNSIGNED, TRUTH = np.float32, np.int64, np.uint32, np.bool_
TWO = {"Add", "Sub", "Mul", "Div", "Mod", "Pow", "Sum", "Max", "Min", "PRelu", "Greater", "GreaterOrEqual", "Less",
       "LessOrEqual", "Equal", "CastLike"}  # fmt: skip
LOGIC = {"And": 2, "Or": 2, "Xor": 2, "Not": 1}
BITS = {"BitwiseAnd": 2, "BitwiseOr": 2, "BitwiseXor": 2, "BitwiseNot": 1, "BitShift": 2}
DOMAIN = {"Log": (0.1, 4), "Sqrt": (0.1, 4), "Asin": (-0.9, 0.9), "Acos": (-0.9, 0.9), "Atanh": (-0.9, 0.9),
          "Acosh": (1.1, 4), "Reciprocal": (0.3, 3)}  # fmt: skip
SECOND = {"Div": (0.3, 3), "Pow": (0.3, 3), "Mod": (0.3, 3)}
ATTRIBUTES: dict[str, dict[str, Any]] = {
    "Cast": {"to": 7}, "Mod": {"fmod": 1}, "BitShift": {"direction": "LEFT"}, "LeakyRelu": {"alpha": 0.3},
    "Elu": {"alpha": 1.5}, "Celu": {"alpha": 0.7}, "Shrink": {"bias": 0.25, "lambd": 0.3},
}  # fmt: skip
OTHERS = ("DL", "UL", "Swish")
"""Identity under other names, which only graphs of the chip have; and what our version of ONNX has not yet."""


def uniform(dtype: type, low: float = -3, high: float = 3) -> Array:
    return np.asarray(RANDOM.uniform(low, high, (3, 7)), dtype)


def operands(row: Elementwise) -> list[Array]:
    """Operands on which the operator is defined and smooth."""
    name = row.name
    if name in LOGIC:
        return [RANDOM.random((3, 7)) > 0.5 for _ in range(LOGIC[name])]
    if name in BITS:
        return [np.asarray(RANDOM.integers(0, 12, (3, 7)), UNSIGNED) for _ in range(BITS[name])]
    if name == "Where":
        return [RANDOM.random((3, 7)) > 0.5, uniform(FLOAT), uniform(FLOAT)]
    if name == "Clip":
        return [uniform(FLOAT), np.array(-1, FLOAT), np.array(2, FLOAT)]
    first = uniform(FLOAT, *DOMAIN.get(name, (0.2, 3) if name == "Pow" else (-3, 3)))
    return [first, uniform(FLOAT, *SECOND.get(name, (-3, 3)))] if name in TWO else [first]


ROWS = [row for row in ELEMENTWISE.values() if row.name not in OTHERS]
CASES = {row.name: case(row.name, *operands(row), **ATTRIBUTES.get(row.name, {})) for row in ROWS}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_numpy_is_what_onnx_means(row: Elementwise) -> None:
    made = CASES[row.name]
    with np.errstate(all="ignore"):
        got = row.numpy(*made.inputs.values(), **given_or_default(made.model.graph.node[0]))
    np.testing.assert_allclose(got, made.outputs["y"], rtol=2e-5, atol=1e-6)


@pytest.mark.slow
def test_cpp_is_what_onnx_means() -> None:
    cases = [made for name, made in CASES.items() if ELEMENTWISE[name].cpp]
    check(cases, run_in_cpp(cases))


def fused(name: str) -> Case:
    """The operator and another one behind it, in one loop."""
    made, row = CASES[name], ELEMENTWISE[name]
    builder = Builder(name)
    names = [builder.input(x, value.shape, value.dtype) for x, value in made.inputs.items()]
    y = builder.op(name, *names, name="inner", **ATTRIBUTES.get(name, {}))
    truth = row.truth
    builder.output(builder.op("Xor" if truth else "Add", y, y, name="y"))
    before = builder.finish()
    return Case(name, fuse.run(before), made.inputs, evaluate(before, made.inputs))


@pytest.mark.slow
def test_every_operator_that_loops_may_do_is_right_in_one() -> None:
    cases = [fused(name) for name in sorted(fuse.ELEMENTWISE - {*OTHERS})]
    assert all(len(made.model.graph.node) == 1 for made in cases)
    check(cases, run_in_cpp(cases))


WITH_GRADIENT = [row for row in ROWS if row.gradient]


@pytest.mark.parametrize("row", WITH_GRADIENT, ids=lambda row: row.name)
def test_gradients_are_slopes(row: Elementwise) -> None:
    made, attributes = CASES[row.name], ATTRIBUTES.get(row.name, {})
    builder = Builder(row.name)
    names = [builder.input(name, value.shape, value.dtype) for name, value in made.inputs.items()]
    y = builder.op(row.name, *names, name="y", **attributes)
    axes = builder.constant(np.array([0, 1]), "axes")
    builder.output(builder.op("ReduceSum", builder.op("Mul", y, y, name="square"), axes, name="loss", keepdims=0))
    model = builder.finish()
    wanted = names if len(row.gradient) == 1 else [n for n, r in zip(names, row.gradient, strict=True) if r]
    found = evaluate(gradients(model, wanted), made.inputs)
    given = given_or_default(made.model.graph.node[0])
    exact = {n: v.astype(np.float64) if v.dtype == FLOAT else v for n, v in made.inputs.items()}

    def loss(changed: str, step: Array) -> float:
        return float((row.numpy(*(exact | {changed: exact[changed] + step}).values(), **given) ** 2).sum())

    for name in wanted:
        for _ in range(4):
            direction = RANDOM.standard_normal(exact[name].shape) * 1e-6
            slope = (loss(name, direction) - loss(name, -direction)) / 2
            got = float((found[f"{name}.grad"] * direction).sum())
            scale = float(np.abs(found[f"{name}.grad"] * direction).sum())
            assert abs(slope - got) <= 1e-4 * scale + 1e-9, name


def test_every_row_says_how_the_chip_does_it() -> None:
    assert all(row.kinds and set(row.kinds) <= set(KINDS.values()) for row in ELEMENTWISE.values())
