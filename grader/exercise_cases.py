"""The cases of the tasks that are no kernels: what goes in, what comes out of the learner's function, what should.

The expected values are computed with NumPy from the definition, not with the product's function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import onnx
from numpy.typing import NDArray

from haribote.graph import Builder, evaluate
from haribote.layout import LAYOUTS, Layout

Array = NDArray[Any]
Function = Callable[..., Any]

NEAR = 1e-5  # of single-precision arithmetic on numbers near 1


@dataclass(frozen=True, eq=False)
class Trial:
    """One case: `received` is what the answer gave for `inputs`."""

    name: str
    inputs: dict[str, Array]
    expected: Array
    received: Array


def _accuracy(answer: Function, rng: np.random.Generator) -> Iterator[Trial]:
    for name, rows in (("256 rows", 256), ("one row", 1), ("negative logits, all wrong", 7)):
        logits = rng.standard_normal((rows, 10)).astype(np.float32)
        labels = rng.integers(0, 10, rows)
        if "wrong" in name:
            logits = -np.abs(logits) - 1
            labels = (np.array([row.tolist().index(max(row)) for row in logits]) + 1) % 10
        right = sum(row.tolist().index(max(row.tolist())) == label for row, label in zip(logits, labels, strict=True))
        given: dict[str, Array] = {"logits": logits, "labels": labels}
        yield Trial(name, given, np.array(right / rows), np.asarray(answer(logits, labels), np.float64))


def _addmm(answer: Function, rng: np.random.Generator) -> Iterator[Trial]:
    import torch

    from haribote.frontend.aten import RULES
    from haribote.frontend.torch import trace_inference

    addmm = torch.ops.aten.addmm.default
    before = RULES[addmm]
    for rows, features, outputs in ((5, 4, 3), (7, 7, 7)):
        x = rng.standard_normal((rows, features)).astype(np.float32)
        layer = torch.nn.Linear(features, outputs)
        RULES[addmm] = answer
        try:
            model = trace_inference(layer, torch.from_numpy(x))
        finally:
            RULES[addmm] = before
        given = {"x": x, "weight": layer.weight.detach().numpy(), "bias": layer.bias.detach().numpy()}
        expected = x.astype(np.float64) @ given["weight"].T + given["bias"]
        yield Trial(f"Linear({features}, {outputs})", given, expected, evaluate(model, given)["logits"])


def _log_softmax(answer: Function, rng: np.random.Generator) -> Iterator[Trial]:
    def wanted(g: Array, x: Array) -> dict[str, Array]:
        power = np.exp(x - x.max(1, keepdims=True).astype(np.float64))
        return {"x": g - power / power.sum(1, keepdims=True) * g.sum(1, keepdims=True)}

    for shape in ((4, 10), (3, 3)):
        x = (5 * rng.standard_normal(shape)).astype(np.float32)
        yield from _backward("LogSoftmax", answer, {"x": x}, wanted, rng, axis=1)


def _relu(answer: Function, rng: np.random.Generator) -> Iterator[Trial]:
    for shape in ((5, 3), (1, 8)):
        x = rng.standard_normal(shape).astype(np.float32)
        x.reshape(-1)[:2] = [0.0, -0.0]
        yield from _backward("Relu", answer, {"x": x}, lambda g, x: {"x": g * (x > 0)}, rng)


def _add(answer: Function, rng: np.random.Generator) -> Iterator[Trial]:
    a, same, bias = (rng.standard_normal(shape).astype(np.float32) for shape in ((6, 4), (6, 4), (4,)))
    yield from _backward("Add", answer, {"a": a, "b": same}, lambda g, a, b: {"a": g, "b": g}, rng)
    yield from _backward("Add", answer, {"a": a, "b": bias}, lambda g, a, b: {"a": g, "b": g.sum(0)}, rng)
    yield from _backward("Add", answer, {"a": bias, "b": a}, lambda g, a, b: {"a": g.sum(0), "b": g}, rng)


def _gemm(answer: Function, rng: np.random.Generator) -> Iterator[Trial]:
    for ta, tb, bias in ((0, 1, True), (0, 0, False), (1, 0, False), (1, 1, True)):
        a, b = rng.standard_normal((5, 3)), rng.standard_normal((3, 4))
        values = {"a": a.T if ta else a, "b": b.T if tb else b}
        if bias:
            values["c"] = rng.standard_normal(4)
        given = {name: np.ascontiguousarray(value, np.float32) for name, value in values.items()}

        def wanted(g: Array, *factors: Array, ta: int = ta, tb: int = tb) -> dict[str, Array]:
            a, b = factors[0].T if ta else factors[0], factors[1].T if tb else factors[1]
            by_a, by_b = g @ b.T, a.T @ g
            result = {"a": by_a.T if ta else by_a, "b": by_b.T if tb else by_b}
            return result | ({"c": g.sum(0)} if len(factors) == 3 else {})

        flags = {name: 1 for name, flag in (("transA", ta), ("transB", tb)) if flag}
        yield from _backward("Gemm", answer, given, wanted, rng, **flags)


def _backward(
    op_type: str,
    answer: Function,
    values: dict[str, Array],
    wanted: Callable[..., dict[str, Array]],
    rng: np.random.Generator,
    **attributes: Any,
) -> Iterator[Trial]:
    """The gradients of sum(w * op(values)) by every value, with `answer` as the operator's rule."""
    from haribote import autodiff
    from haribote.gradients.backward import RULES

    shape = _forward(op_type, values, attributes).shape
    w = rng.standard_normal(shape).astype(np.float32)
    before = RULES[op_type]
    RULES[op_type] = answer
    try:
        model = autodiff.gradients(_weighted(op_type, values, w, attributes), list(values))
    finally:
        RULES[op_type] = before
    received = evaluate(model, {**values, "w": w})
    form = f"{op_type} of {', '.join('x'.join(map(str, value.shape)) for value in values.values())}"
    form += "".join(f", {name}" for name in attributes)
    for name, expected in wanted(w.astype(np.float64), *values.values()).items():
        yield Trial(f"{form}: by {name}", {**values, "gradient": w}, expected, received[f"{name}.grad"])


def _forward(op_type: str, values: dict[str, Array], attributes: dict[str, Any]) -> Array:
    builder = Builder("forward")
    names = [builder.input(name, value.shape, value.dtype) for name, value in values.items()]
    builder.output(builder.op(op_type, *names, name="y", **attributes))
    return evaluate(builder.finish(), values)["y"]


def _weighted(op_type: str, values: dict[str, Array], w: Array, attributes: dict[str, Any]) -> onnx.ModelProto:
    builder = Builder("weighted")
    names = [builder.input(name, value.shape, value.dtype) for name, value in values.items()]
    weight = builder.input("w", w.shape, w.dtype)
    y = builder.op(op_type, *names, name="y", **attributes)
    builder.output(builder.op("ReduceSum", builder.op("Mul", y, weight, name="weighted"), name="loss", keepdims=0))
    return builder.finish()


def _sgd(answer: Function, rng: np.random.Generator) -> Iterator[Trial]:
    from haribote.gradients.backward import Backward

    for rate in (0.1, 0.5):
        p, step = (rng.standard_normal((3, 4)).astype(np.float32) for _ in range(2))
        builder = Builder("update")
        for name in ("p", "step"):
            builder.input(name, p.shape, p.dtype)
        builder.output(builder.op("Identity", "p", name="same"))
        g = Backward(builder.finish())
        result = answer(g, "p", "step", rate)
        del g.builder.model.graph.output[:]
        g.builder.output(result)
        received = evaluate(g.builder.finish(), {"p": p, "step": step})
        given = {"p": p, "step": step}
        missing = np.full(p.shape, np.nan)
        yield Trial(f"learning rate {rate}", given, p - rate * step.astype(np.float64), received.get("p.next", missing))


def _position(answer: Function, rng: np.random.Generator) -> Iterator[Trial]:
    texts = [*map(str, LAYOUTS.values()), "((3:2, 2_MAB:4), (5:6))"]
    for text in texts:
        layout = Layout.parse(text)
        for level in ("L2B", "L1B", "MAB", "PE", "W", ""):
            wanted = np.zeros(layout.shape, np.int64)
            for axis, digits in enumerate(layout.axes):
                sizes = tuple(digit.size for digit in digits)
                parts = np.unravel_index(np.arange(layout.shape[axis]), sizes)
                along = sum((p * d.stride for p, d in zip(parts, digits, strict=True) if d.level == level), np.array(0))
                shape = [-1 if number == axis else 1 for number in range(wanted.ndim)]
                wanted += np.broadcast_to(along, (layout.shape[axis],)).reshape(shape)
            name = f"{text}, {level or 'long word'}"
            yield Trial(name, {}, wanted, np.asarray(answer(layout, level)))


def _reserve(answer: Function, rng: np.random.Generator) -> Iterator[Trial]:
    for shape, words in (((16,), 8), ((256,), 32), ((16, 16), 32), ((256, 16), 512), ((16, 1024), 2048), ((520,), 65)):
        for end in (0, 64, 100, int(rng.integers(1, 10**6))):
            address = next(a for a in range(end, end + 64) if a % 64 == 0)
            room = next(r for r in range(words, words + 64) if r % 64 == 0)
            given = {"end": np.array(end), "shape": np.array(shape)}
            received = np.asarray(answer(end, shape))
            yield Trial(f"{shape} behind {end}", given, np.array([address, address + room]), received)


class _Recorder:
    """A backend that notes the batches it is given; the loss of a step is the sum of its labels."""

    def __init__(self) -> None:
        self.labels: list[int] = []

    def step(self, images: Array, labels: Array) -> float:
        """One step; images and labels must belong together."""
        if not np.array_equal(images[:, 0].astype(np.int64), labels):
            raise ValueError("images and labels of a step are not of the same rows")
        self.labels += labels.tolist()
        return float(labels.sum())


def _train_epoch(answer: Function, rng: np.random.Generator) -> Iterator[Trial]:
    from haribote.checkpoint import Run
    from haribote.data import batch_order

    labels = np.arange(40, dtype=np.int64)
    images = np.repeat(labels[:, None], 784, axis=1).astype(np.float32)
    for epoch in (0, 1):
        run = Run([16], 8, 0.1, int(rng.integers(100)), "test")
        run.epoch = epoch
        backend = _Recorder()
        losses = answer(backend, images, labels, run, 2)
        order = [labels[rows] for rows in batch_order(40, seed=run.seed, epoch=epoch, batch=8)]
        given = {"labels": labels}
        yield Trial(f"epoch {epoch}: rows in order", given, np.concatenate(order), np.array(backend.labels))
        yield Trial(f"epoch {epoch}: losses", given, np.array([part.sum() for part in order]), np.asarray(losses))


TRIALS = cast(
    "dict[str, Callable[[Function, np.random.Generator], Iterator[Trial]]]",
    {
        "0.1": _accuracy,
        "1.1": _addmm,
        "2.1": _relu,
        "2.2": _add,
        "2.3": _gemm,
        "2.4": _log_softmax,
        "2.5": _sgd,
        "4.1": _position,
        "6.1": _reserve,
        "6.2": _train_epoch,
    },
)

# Deliberately wrong answers: what the solution has, and what stands there instead.
WRONG: dict[str, tuple[tuple[str, str], ...]] = {
    "0.1": (("argmax(axis=1)", "argmax(axis=0)[0]"), ("argmax", "argmin"), ("np.mean", "np.sum")),
    "1.1": (('"Add"', '"Sub"'), ("a, b, part", "b, a, part")),
    "2.1": (('"Greater"', '"GreaterOrEqual"'), ('"Mul", grad', '"Add", grad')),
    "2.2": (("node.input[1], shape)", "node.input[0], shape)"), ("g.sum_to(grad, node.input[1], shape)", "grad")),
    "2.3": (("transB=1 - tb", "transB=tb"), ("transA=1 - ta", "transA=ta"), ("transA=1, transB=ta", "transA=1"),
            ("yield g.sum_to(grad, c[0], g.shapes[node.output[0]])", "yield grad")),
    "2.4": (('"LogSoftmaxGrad", grad, node', '"Mul", grad, node'),
            ('g.op("LogSoftmaxGrad", grad, node.output[0])', "grad")),
    "2.5": (('"Sub"', '"Add"'), ("learning_rate, name", "0.1, name"), ('g.result = f"{name}.next"', "pass")),
    "4.1": (("// after % digit.size", "% digit.size"), ("* digit.stride", "")),
    "6.1": (("-(-end // 64) * 64", "end"), ("-(-dram_long_words(shape) // 64) * 64", "dram_long_words(shape)")),
    "6.2": (("epoch=run.epoch", "epoch=0"), ("seed=run.seed", "seed=0"),
            ("labels[rows]) for", "labels[rows] * 0) for")),
}  # fmt: skip
