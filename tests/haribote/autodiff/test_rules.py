"""Rules of single operators: values, and what is said where one is missing or does not cover a form."""

from __future__ import annotations

import numpy as np
import pytest

from haribote.autodiff.reverse import gradients
from haribote.errors import UnsupportedOp
from haribote.graph import Builder, Index, evaluate


@pytest.mark.parametrize(
    ("op_type", "form"),
    [
        ("Exp", {}),
        ("Log", {}),
        ("Div", {}),
        ("ReduceMean", {}),
        ("ReduceSum", {"keepdims": 0}),
        ("Gemm", {"beta": 0.5}),
    ],
)
def test_rules_that_random_graphs_do_not_reach(op_type, form) -> None:
    builder = Builder("one")
    shape = (3, 3)
    a, b = (builder.input(name, shape, np.float64) for name in "ab")
    inputs = {"Div": [a, b], "Gemm": [a, b, builder.input("c", (3, 1), np.float64)]}.get(op_type, [a])
    if op_type == "ReduceSum":
        inputs.append(builder.constant(np.array([1], np.int64), "axes"))
    value = builder.op(op_type, *inputs, name="value", **form)
    builder.op("ReduceSum", builder.op("Mul", value, value, name="square"), name="loss", keepdims=0)
    builder.output("loss")
    model, random, h = builder.finish(), np.random.default_rng(0), 1e-6
    wanted = [name for name in inputs if name != "axes"]
    feeds = {name: random.uniform(1, 2, s) for name, s in Index(model).shape.items() if name in Index(model).inputs}
    outputs = evaluate(gradients(model, wanted), feeds)
    for name in wanted:
        direction = random.standard_normal(feeds[name].shape)
        there, back = (evaluate(model, feeds | {name: feeds[name] + s * h * direction})["loss"] for s in (1, -1))
        assert np.sum(outputs[f"{name}.grad"] * direction) == pytest.approx((there - back) / (2 * h), rel=1e-6)


def test_a_rule_that_is_missing_is_named() -> None:
    builder = Builder("determinant")
    builder.op("Identity", builder.op("Det", builder.input("a", (3, 3), np.float32), name="b"), name="loss")
    builder.output("loss")
    with pytest.raises(UnsupportedOp, match=r"no gradient rule for node 'b' \(Det\)"):
        gradients(builder.finish(), ["a"])


def test_a_form_that_neither_a_rule_nor_the_core_covers_names_the_shapes() -> None:
    builder = Builder("product")
    a = builder.input("a", (2, 3, 3), np.float32)
    builder.op("MatMul", a, builder.input("b", (3,), np.float32), name="b0")
    builder.op("ReduceSum", "b0", name="loss", keepdims=0)
    builder.output("loss")
    gradients(builder.finish(), ["a"])
    loop = Builder("where")
    c = loop.input("a", (2, 3), np.float32)
    loop.op("ReduceSum", loop.op("Mod", c, c, name="b", fmod=1), name="loss", keepdims=0)
    loop.output("loss")
    with pytest.raises(UnsupportedOp, match=r"no gradient rule for node 'b' \(Mod\)"):
        gradients(loop.finish(), ["a"])


WHOLE = np.array([[2, 0, 1], [1, 1, -1]])
LOWERED = [
    ("Softmax", {"axis": 0}, [(4, 3)]),
    ("LogSoftmax", {"axis": 0}, [(4, 3)]),
    ("LayerNormalization", {}, [(4, 3), (3,), (3,)]),
    ("InstanceNormalization", {}, [(2, 3, 5), (3,), (3,)]),
    ("Gelu", {}, [(4, 3)]),
    ("HardSwish", {}, [(4, 3)]),
    ("AveragePool", {"kernel_shape": [2, 3], "pads": [0, 1, 0, 1]}, [(1, 2, 4, 5)]),
    ("GlobalMaxPool", {}, [(1, 2, 4, 5)]),
    ("MaxPool", {"kernel_shape": [2, 2]}, [(1, 2, 4, 5)]),
    ("Conv", {"group": 2}, [(1, 4, 5, 5), (4, 2, 3, 3), (4,)]),
    ("Conv", {}, [(1, 2, 7), (3, 2, 3)]),
    ("ConvTranspose", {"strides": [2, 2]}, [(1, 2, 3, 3), (2, 3, 2, 2)]),
    ("MatMul", {}, [(2, 3, 4), (4, 5)]),
    ("Einsum", {"equation": "bij,bjk->bik"}, [(2, 3, 4), (2, 4, 2)]),
    ("Concat", {"axis": 1}, [(2, 3), (2, 2)]),
    ("Transpose", {"perm": [1, 0]}, [(2, 3)]),
    ("ReduceMax", {"keepdims": 0}, [(2, 3)]),
    ("ReduceProd", {"keepdims": 0}, [(2, 3)]),
    ("ReduceL2", {}, [(2, 3)]),
    ("CumSum", {}, [(4,), np.array(0)]),
    ("Gather", {"axis": 1}, [(2, 4, 3), WHOLE]),
    ("GatherElements", {"axis": 1}, [(2, 3), WHOLE]),
    ("Slice", {}, [(5, 4), np.array([1]), np.array([4])]),
    ("Pad", {}, [(2, 3), np.array([1, 0, 0, 2])]),
    ("Tile", {}, [(2, 3), np.array([2, 2])]),
    ("Expand", {}, [(2, 1), np.array([3, 2, 4])]),
    ("ScatterElements", {"axis": 1}, [(2, 4), WHOLE, (2, 3)]),
]


@pytest.mark.parametrize(("op_type", "form", "given"), LOWERED, ids=[f"{name} {form}" for name, form, _ in LOWERED])
def test_what_has_no_rule_has_the_gradient_of_its_core(op_type, form, given) -> None:
    builder, random = Builder("one"), np.random.default_rng(1)
    names = [
        builder.input(f"x{k}", part, np.float32) if isinstance(part, tuple) else builder.constant(part, f"x{k}")
        for k, part in enumerate(given)
    ]
    value = builder.op(op_type, *names, name="value", **form)
    builder.op("ReduceSum", builder.op("Mul", value, value, name="square"), name="loss", keepdims=0)
    builder.output("loss")
    model = builder.finish()
    shapes = {name: part for name, part in zip(names, given, strict=True) if isinstance(part, tuple)}
    feeds = {name: random.uniform(0.3, 2, shape).astype(np.float32) for name, shape in shapes.items()}
    found = evaluate(gradients(model, list(shapes)), feeds)
    for name in shapes:
        direction = random.standard_normal(shapes[name])
        there, back = (
            float(evaluate(model, feeds | {name: (feeds[name] + s * direction).astype(np.float32)})["loss"])
            for s in (2e-3, -2e-3)
        )
        terms = found[f"{name}.grad"] * direction
        assert abs((there - back) / 4e-3 - terms.sum()) <= 2e-2 * np.abs(terms).sum() + 1e-2
