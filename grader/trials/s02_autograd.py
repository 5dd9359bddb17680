"""Stage 02: the cases of its tasks. What is right is computed with NumPy from the definition."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from grader.emitter.graphs import bytes_of
from grader.emitter.values import Value
from grader.trials import Array, Trial, Trials, Wrong
from grader.trials.graphs import must_give, must_refuse
from grader.trials.product import forward, trains
from haribote.graph import Builder, evaluate
from simulator.messages import tr

Wanted = Callable[..., dict[str, Array]]
"""(gradient by the output, *inputs) -> the gradient by every input, by name."""


def relu(rng: np.random.Generator) -> Iterator[Trial]:
    """Task 2.1: both zeros among the inputs."""
    for shape in ((5, 3), (1, 8)):
        x = rng.standard_normal(shape).astype(np.float32)
        x.reshape(-1)[:2] = [0.0, -0.0]
        yield _rule("Relu", {"x": x}, lambda g, x: {"x": g * (x > 0)}, rng)


def add(rng: np.random.Generator) -> Iterator[Trial]:
    """Task 2.2: equal shapes, a bias on either side, a column."""
    a, same, bias = (rng.standard_normal(shape).astype(np.float32) for shape in ((6, 4), (6, 4), (4,)))
    column = rng.standard_normal((6, 1)).astype(np.float32)
    yield _rule("Add", {"a": a, "b": same}, lambda g, a, b: {"a": g, "b": g}, rng)
    yield _rule("Add", {"a": a, "b": bias}, lambda g, a, b: {"a": g, "b": g.sum(0)}, rng)
    yield _rule("Add", {"a": bias, "b": a}, lambda g, a, b: {"a": g.sum(0), "b": g}, rng)
    yield _rule("Add", {"a": a, "b": column}, lambda g, a, b: {"a": g, "b": g.sum(1, keepdims=True)}, rng)


def gemm(rng: np.random.Generator) -> Iterator[Trial]:
    """Task 2.3: transposed or not, with and without bias, factors that must be refused."""
    for ta, tb, bias in ((0, 1, True), (0, 0, False), (1, 0, False), (1, 1, True)):
        a, b = rng.standard_normal((5, 3)), rng.standard_normal((3, 4))
        factors = {"a": a.T if ta else a, "b": b.T if tb else b}
        if bias:
            factors["c"] = rng.standard_normal(4)
        values = {name: np.ascontiguousarray(value, np.float32) for name, value in factors.items()}
        flags = {name: 1 for name, flag in (("transA", ta), ("transB", tb)) if flag}
        yield _rule("Gemm", values, _by_factors(ta, tb), rng, **flags)
    for name in ("alpha", "beta"):
        given = _given("Gemm", values, np.ones((5, 4), np.float32), {"transA": 1, "transB": 1, name: 0.5})
        yield must_refuse(tr("Gemm with {name} = 0.5", name), given)


def _by_factors(ta: int, tb: int) -> Wanted:
    def wanted(g: Array, *factors: Array) -> dict[str, Array]:
        a, b = factors[0].T if ta else factors[0], factors[1].T if tb else factors[1]
        by_a, by_b = g @ b.T, a.T @ g
        result = {"a": by_a.T if ta else by_a, "b": by_b.T if tb else by_b}
        return result | ({"c": g.sum(0)} if len(factors) == 3 else {})

    return wanted


def log_softmax(rng: np.random.Generator) -> Iterator[Trial]:
    """Task 2.4: two shapes, no axis named, and an axis and a number of axes that must be refused."""

    def wanted(g: Array, x: Array) -> dict[str, Array]:
        power = np.exp(x - x.max(1, keepdims=True).astype(np.float64))
        return {"x": g - power / power.sum(1, keepdims=True) * g.sum(1, keepdims=True)}

    for axis, shape in ((1, (4, 10)), (-1, (3, 3))):
        x = (5 * rng.standard_normal(shape)).astype(np.float32)
        yield _rule("LogSoftmax", {"x": x}, wanted, rng, axis=axis)
    yield _rule("LogSoftmax", {"x": x}, wanted, rng)
    for axis in (0, -2):
        yield must_refuse(tr("LogSoftmax along axis {axis}", axis), _given("LogSoftmax", {"x": x}, x, {"axis": axis}))
    cube = np.ones((2, 3, 4), np.float32)
    for axis in (1, -1):
        name = tr("LogSoftmax of three axes, along axis {axis}", axis)
        yield must_refuse(name, _given("LogSoftmax", {"x": cube}, cube, {"axis": axis}))


def _rule(op_type: str, values: dict[str, Array], wanted: Wanted, rng: np.random.Generator, **attributes: Any) -> Trial:
    """The gradients of sum(w * op(values)) by every value."""
    w = rng.standard_normal(_forward(op_type, values, attributes).shape).astype(np.float32)
    shapes = ["x".join(map(str, value.shape)) for value in values.values()]
    name = f"{op_type}({', '.join([*shapes, *(f'{key}={value}' for key, value in attributes.items())])})"
    expected = {f"{key}.grad": value for key, value in wanted(w.astype(np.float64), *values.values()).items()}
    passed_on = all(np.array_equal(value, w) for value in expected.values())  # the gradient as it was
    return must_give(name, _given(op_type, values, w, attributes), {**values, "w": w}, expected, earns=not passed_on)


def _given(op_type: str, values: dict[str, Array], w: Array, attributes: dict[str, Any]) -> dict[str, Value]:
    builder = Builder("weighted")
    names = [builder.input(name, value.shape, value.dtype) for name, value in values.items()]
    weight = builder.input("w", w.shape, w.dtype)
    y = builder.op(op_type, *names, name="y", **attributes)
    builder.output(builder.op("ReduceSum", builder.op("Mul", y, weight, name="weighted"), name="loss", keepdims=0))
    return {"model": bytes_of(builder.finish()), "op": op_type, "wanted": list(names)}


def _forward(op_type: str, values: dict[str, Array], attributes: dict[str, Any]) -> Array:
    builder = Builder("forward")
    names = [builder.input(name, value.shape, value.dtype) for name, value in values.items()]
    builder.output(builder.op(op_type, *names, name="y", **attributes))
    return evaluate(builder.finish(), values)["y"]


def sgd(rng: np.random.Generator) -> Iterator[Trial]:
    """Task 2.5: several learning rates."""
    for rate in (0.1, 0.5, 0.0625, 0.3):
        p, step = (rng.standard_normal((3, 4)).astype(np.float32) for _ in range(2))
        given: dict[str, Value] = {"learning_rate": rate, "rows": 3, "columns": 4}
        expected = {"p.next": p - rate * step.astype(np.float64)}
        yield must_give(tr("learning rate {rate}", rate), given, {"p": p, "step": step}, expected)


def _and_in_a_step(cases: Trials, op_type: str) -> Trials:
    """The cases, and a whole step whose gradients come by the answer. op_type: "" for the update."""

    def all_cases(rng: np.random.Generator) -> Iterator[Trial]:
        yield from cases(rng)
        yield trains({"step": forward(), "op": op_type}, rng)

    return all_cases


TRIALS: dict[str, Trials] = {
    "2.1": _and_in_a_step(relu, "Relu"),
    "2.2": _and_in_a_step(add, "Add"),
    "2.3": _and_in_a_step(gemm, "Gemm"),
    "2.4": _and_in_a_step(log_softmax, "LogSoftmax"),
    "2.5": _and_in_a_step(sgd, ""),
}
WRONG: dict[str, Wrong] = {
    "2.1": (('"Greater"', '"GreaterOrEqual"'), ('"Mul", grad', '"Add", grad')),
    "2.2": (("node.input[1], shape)", "node.input[0], shape)"), ("g.sum_to(grad, node.input[1], shape)", "grad")),
    "2.3": (("transB=1 - tb", "transB=tb"), ("transA=1 - ta", "transA=ta"), ("transA=1, transB=ta", "transA=1"),
            ("yield g.sum_to(grad, c[0], g.shapes[node.output[0]])", "yield grad")),
    "2.4": (
        ('g.attribute("axis", -1) in (1, -1)', 'g.attribute("axis", -1) != 0'),
        ('"LogSoftmaxGrad", grad, node', '"Mul", grad, node'),
            ('g.op("LogSoftmaxGrad", grad, node.output[0])', "grad")),
    "2.5": (
        ('"Mul", step, g.number(learning_rate', '"Div", step, g.number(round(1 / learning_rate)'),
        ('"Sub"', '"Add"'), ("learning_rate, name", "0.1, name"), ('g.result = f"{name}.next"', "pass")),
}  # fmt: skip
