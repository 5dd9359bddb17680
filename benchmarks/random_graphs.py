"""Random graphs that -O2 must be able to run, of everything that it promises, with inputs; each by its seed.

A graph grows node by node, and every node is computed as it is added: what gives too large numbers, or too many, is
left out again. Operators that jump (Floor, comparisons, ArgMax) read only values that are exact in single precision,
so that a rounding error on the way stays one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray

from haribote.errors import GraphError
from haribote.graph import Builder, evaluate

Array = NDArray[Any]
SIZES = (1, 2, 3, 4, 5, 7, 8, 10, 16, 16, 33, 64, 100)
MOST = 4096
"""Elements of a value at most."""
LARGEST = 1000.0
"""Largest absolute value."""
FLOAT, LABEL, TRUTH = "float32", "int64", "bool"


@dataclass(frozen=True)
class Case:
    """A graph, and the inputs on which it is tried."""

    model: onnx.ModelProto
    feeds: dict[str, Array]


@dataclass
class Grower:
    """A graph as it grows. values: of everything so far; exact: of which there is no rounding error."""

    random: Random
    builder: Builder = field(default_factory=lambda: Builder("g"))
    values: dict[str, Array] = field(default_factory=dict)
    feeds: dict[str, Array] = field(default_factory=dict)
    exact: set[str] = field(default_factory=set)
    read: set[str] = field(default_factory=set)

    def shape(self, rank: int | None = None, most: int = MOST) -> tuple[int, ...]:
        """A random shape."""
        rank = self.random.choice((0, 1, 1, 2, 2, 2, 3, 3, 4)) if rank is None else rank
        while True:
            shape = tuple(self.random.choice(SIZES) for _ in range(rank))
            if np.prod(shape) <= most:
                return shape

    def input(self, shape: Sequence[int], dtype: str = FLOAT, below: int = 10) -> str:
        """A new input: multiples of 1/4 from -4 to 4, numbers from 0 to `below` - 1, or truths."""
        name = f"x{len(self.feeds)}"
        numbers = np.random.default_rng(self.random.randrange(1 << 30))
        if dtype == FLOAT:
            value: Array = (numbers.integers(-16, 17, shape) / 4).astype(np.float32)
        else:
            value = numbers.integers(0, 2 if dtype == TRUTH else below, shape).astype(dtype)
        self.feeds[name] = self.values[name] = value
        self.exact.add(name)
        return self.builder.input(name, tuple(shape), np.dtype(dtype))

    def some(self, dtype: str = FLOAT, exact: bool = False, least: int = 0) -> str:
        """A value of this type with at least so many axes, a new one where there is none."""
        there = [name for name, value in self.values.items() if value.dtype == dtype and value.ndim >= least]
        there = [name for name in there if not exact or name in self.exact]
        if there and self.random.random() < 0.85:
            return self.random.choice(there[-3:])
        rank = max(least, self.random.choice((1, 2, 2, 3, 4)) if least else self.random.choice((0, 1, 2, 2, 3)))
        return self.input(self.shape(rank), dtype)

    def beside(self, name: str, exact: bool = False) -> str:
        """A second operand that is broadcast with a value."""
        value = self.values[name]
        same = [n for n, v in self.values.items() if v.dtype == value.dtype and v.shape == value.shape and n != name]
        same = [n for n in same if not exact or n in self.exact]
        if same and self.random.random() < 0.5:
            return self.random.choice(same)
        shape = [size if self.random.random() < 0.7 else 1 for size in value.shape]
        shape = shape[self.random.choice((0, 0, 0, *range(len(shape) + 1))) :]
        return self.input(shape, value.dtype.name)

    def constant(self, *numbers: int) -> str:
        """A constant of whole numbers."""
        return self.builder.constant(np.array(numbers, np.int64), "k")

    def add(self, op_type: str, *inputs: str, rounds: bool = False, **given: Any) -> None:
        """A node. rounds: its result has a rounding error. Raises GraphError where its result is not wanted."""
        name = f"v{len(self.builder.model.graph.node)}"
        trial = Builder(name)
        own = {info.name for info in self.builder.model.graph.initializer}
        trial.model.graph.initializer.extend(self.builder.model.graph.initializer)
        for operand in dict.fromkeys(inputs):
            if operand and operand not in own:
                trial.input(operand, self.values[operand].shape, self.values[operand].dtype)
        trial.op(op_type, *inputs, name=name, **given)
        trial.output(name)
        feeds = {operand: self.values[operand] for operand in inputs if operand and operand not in own}
        try:
            found = evaluate(trial.finish(), feeds)[name][()]  # as it is between nodes, of rank 0 too
        except (TypeError, ValueError, AttributeError, IndexError) as error:
            raise GraphError("ONNX's reference cannot do it: scalars, axes of more than 64 elements") from error
        if found.size > MOST or found.size == 0 or not np.isfinite(found).all() or np.abs(found * 1.0).max() > LARGEST:
            raise GraphError("too large")
        self.builder.op(op_type, *inputs, name=name, reserved=True, **given)
        self.values[name] = found
        self.read.update(inputs)
        quarters = found.dtype.kind != "f" or bool((found * 64 == np.round(found * 64)).all())
        if not rounds and quarters and all(operand in self.exact | own | {""} for operand in inputs):
            self.exact.add(name)


def random_graph(seed: int, nodes: tuple[int, int] = (2, 8)) -> Case:
    """The graph of a seed."""
    random = Random(seed)
    grower = Grower(random)
    wanted = random.randint(*nodes)
    names = list(KINDS)
    while len(grower.builder.model.graph.node) < wanted:
        kind = KINDS[random.choice(names)]
        try:
            kind(grower)
        except GraphError:
            continue
    made = [node.output[0] for node in grower.builder.model.graph.node]
    for name in made:
        if name not in grower.read or random.random() < 0.1:
            grower.builder.output(name)
    used = {name for node in grower.builder.model.graph.node for name in node.input}
    graph = grower.builder.model.graph
    for info in [info for info in graph.input if info.name not in used]:
        graph.input.remove(info)
    for init in [init for init in graph.initializer if init.name not in used]:
        graph.initializer.remove(init)
    return Case(grower.builder.finish(), {name: value for name, value in grower.feeds.items() if name in used})


# --- the kinds of nodes ----------------------------------------------------------------------------------------------

SMOOTH = ("Exp", "Sigmoid", "Tanh", "Erf", "Softplus", "Gelu", "Softsign", "Elu", "Sin", "Cos", "Atan")
STRAIGHT = ("Relu", "Neg", "Abs", "LeakyRelu", "HardSigmoid")
JUMPS = ("Floor", "Ceil", "Sign", "Round")


def _smooth(g: Grower) -> None:
    x = g.some()
    if np.abs(g.values[x]).max() > 8:
        raise GraphError("too large")
    g.add(g.random.choice(SMOOTH), x, rounds=True)


def _straight(g: Grower) -> None:
    g.add(g.random.choice(STRAIGHT), g.some())


def _jump(g: Grower) -> None:
    g.add(g.random.choice(JUMPS), g.some(exact=True))


def _root(g: Grower) -> None:
    x = g.some(exact=True)
    if g.values[x].min() < 0.25:
        raise GraphError("no root")
    g.add(g.random.choice(("Sqrt", "Log", "Reciprocal")), x, rounds=True)


def _binary(g: Grower) -> None:
    x = g.some()
    g.add(g.random.choice(("Add", "Sub", "Mul", "Max", "Min")), *_two(g, x, g.beside(x)))


def _two(g: Grower, x: str, y: str) -> list[str]:
    return [x, y] if g.random.random() < 0.7 else [y, x]


def _divide(g: Grower) -> None:
    x = g.some()
    y = g.beside(x)
    if np.abs(g.values[y]).min() < 0.25:
        raise GraphError("a small divisor")
    g.add("Div", x, y, rounds=True)


def _whole(g: Grower) -> None:
    x = g.some(LABEL)
    g.add(g.random.choice(("Add", "Sub", "Mul", "Max", "Min")), *_two(g, x, g.beside(x)))


def _compare(g: Grower) -> None:
    x = g.some(g.random.choice((FLOAT, LABEL)), exact=True)
    op_type = g.random.choice(("Less", "Greater", "Equal", "LessOrEqual", "GreaterOrEqual"))
    g.add(op_type, *_two(g, x, g.beside(x, exact=True)))


def _logic(g: Grower) -> None:
    x = g.some(TRUTH)
    if g.random.random() < 0.3:
        g.add("Not", x)
    else:
        g.add(g.random.choice(("And", "Or", "Xor")), *_two(g, x, g.beside(x)))


def _where(g: Grower) -> None:
    x = g.some(g.random.choice((FLOAT, FLOAT, LABEL)))
    shape = g.values[x].shape
    truths = [n for n, v in g.values.items() if v.dtype == TRUTH and v.shape == shape]
    g.add("Where", g.random.choice(truths) if truths else g.input(shape, TRUTH), *_two(g, x, g.beside(x)))


def _cast(g: Grower) -> None:
    x = g.some(g.random.choice((FLOAT, LABEL, TRUTH)), exact=True)
    kind = g.random.choice([k for k in (FLOAT, LABEL, TRUTH) if k != g.values[x].dtype])
    g.add("Cast", x, to=onnx.helper.np_dtype_to_tensor_dtype(np.dtype(kind)))


def _clip(g: Grower) -> None:
    low, high = (g.builder.scalar(value) for value in (-1.5, 2.0))
    g.add("Clip", g.some(), low, high)


def _axes(g: Grower, name: str) -> list[int]:
    rank = g.values[name].ndim
    return sorted(g.random.sample(range(rank), g.random.randint(1, rank)))


def _reduce(g: Grower) -> None:
    op_type = g.random.choice(("ReduceSum", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceMean"))
    x = g.some(least=1)
    axes = _axes(g, x)
    g.add(op_type, x, g.constant(*axes), keepdims=g.random.randint(0, 1), rounds=op_type == "ReduceMean")


def _reduce_more(g: Grower) -> None:
    op_type = g.random.choice(("ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceLogSumExp", "ReduceProd"))
    x = g.some(least=1)
    g.add(op_type, x, g.constant(*_axes(g, x)), keepdims=g.random.randint(0, 1), rounds=True)


def _reduce_whole(g: Grower) -> None:
    x = g.some(LABEL, least=1)
    op_type = g.random.choice(("ReduceSum", "ReduceMax", "ReduceMin"))
    g.add(op_type, x, g.constant(*_axes(g, x)), keepdims=g.random.randint(0, 1))


def _softmax(g: Grower) -> None:
    x = g.some(least=1)
    if np.abs(g.values[x]).max() > 30:
        raise GraphError("too large")
    g.add(g.random.choice(("Softmax", "LogSoftmax")), x, axis=_axis(g, x), rounds=True)


def _axis(g: Grower, name: str) -> int:
    return g.random.randrange(g.values[name].ndim)


def _any(g: Grower, least: int = 0) -> str:
    return g.some(g.random.choice((FLOAT, FLOAT, FLOAT, LABEL)), least=least)


def _transpose(g: Grower) -> None:
    x = _any(g, 1)
    order = list(range(g.values[x].ndim))
    g.random.shuffle(order)
    g.add("Transpose", x, perm=order)


def _reshape(g: Grower) -> None:
    x = _any(g)
    left = g.values[x].size
    shape: list[int] = []
    while left > 1 and len(shape) < 3 and g.random.random() < 0.7:
        shape.append(g.random.choice([n for n in range(1, left + 1) if left % n == 0]))
        left //= shape[-1]
    shape.append(left)
    g.random.shuffle(shape)
    g.add("Reshape", x, g.constant(*shape))


def _slice(g: Grower) -> None:
    x = _any(g, 1)
    axis = _axis(g, x)
    size = g.values[x].shape[axis]
    first = g.random.randrange(size)
    last, step = g.random.randint(first + 1, size), g.random.choice((1, 1, 1, 2, 3))
    g.add("Slice", x, *map(g.constant, (first, last, axis, step)))


def _pad(g: Grower) -> None:
    x = g.some(least=1)
    mode = g.random.choice(("constant", "constant", "edge"))
    widths = [g.random.choice((0, 0, 1, 2, 5)) for _ in range(2 * g.values[x].ndim)]
    g.add("Pad", x, g.constant(*widths), g.builder.scalar(g.random.choice((0.0, 1.5))), mode=mode)


def _concat(g: Grower) -> None:
    x = _any(g, 1)
    axis = _axis(g, x)
    shape = list(g.values[x].shape)
    shape[axis] = g.random.choice(SIZES)
    g.add("Concat", *_two(g, x, g.input(shape, g.values[x].dtype.name)), axis=axis)


def _expand(g: Grower) -> None:
    x = g.some()
    shape = [g.random.choice((1, 2, 5)) if size == 1 else size for size in g.values[x].shape]
    g.add("Expand", x, g.constant(*[g.random.choice((1, 3))][: g.random.randint(0, 1)], *shape))


def _tile(g: Grower) -> None:
    x = g.some(least=1)
    g.add("Tile", x, g.constant(*[g.random.choice((1, 1, 2, 3)) for _ in g.values[x].shape]))


def _gather(g: Grower) -> None:
    x = _any(g, 1)
    axis = _axis(g, x)
    size = g.values[x].shape[axis]
    if g.random.random() < 0.5:
        index = g.input(g.shape(g.random.choice((0, 1, 1, 2)), 64), LABEL, size)
    else:
        index = g.constant(*[g.random.randrange(-size, size) for _ in range(g.random.randint(1, 12))])
    g.add("Gather", x, index, axis=axis)


def _gather_elements(g: Grower) -> None:
    x = g.some(least=1)
    axis = _axis(g, x)
    shape = list(g.values[x].shape)
    size, shape[axis] = shape[axis], g.random.choice((1, 1, 2, 5))
    g.add("GatherElements", x, g.input(shape, LABEL, size), axis=axis)


def _scatter(g: Grower) -> None:
    x = g.some(least=1)
    axis = _axis(g, x)
    shape = g.values[x].shape
    count = g.random.randint(1, shape[axis])
    rows = g.random.sample(range(shape[axis]), count)
    own = [count if k == axis else size for k, size in enumerate(shape)]
    index = np.broadcast_to(np.array(rows).reshape([-1 if k == axis else 1 for k in range(len(shape))]), own)
    name = g.builder.constant(np.ascontiguousarray(index.astype(np.int64)), "k")
    g.add("ScatterElements", x, name, g.input(own), axis=axis, reduction=g.random.choice(("none", "add")))


def _scatter_computed(g: Grower) -> None:
    x = g.some(g.random.choice((FLOAT, FLOAT, LABEL)), least=1)
    shape, kind = g.values[x].shape, g.values[x].dtype.name
    reduction = g.random.choice(("none", "add", "max", "min", "mul"))
    if g.random.random() < 0.5:
        axis = _axis(g, x)
        own = [g.random.choice((1, 2, size)) if k == axis else size for k, size in enumerate(shape)]
        own = [min(a, b) for a, b in zip(own, shape, strict=True)]
        index = g.input(own, LABEL, shape[axis])
        g.add("ScatterElements", x, index, g.input(own, kind), axis=axis, reduction=reduction)
    else:
        count = g.random.choice((1, 3, 5))
        index = g.input((count, 1), LABEL, shape[0])
        g.add("ScatterND", x, index, g.input((count, *shape[1:]), kind), reduction=reduction)
    values = g.feeds[index]
    if reduction == "none" and len({tuple(row) for row in values.reshape(-1, 1).tolist()}) < values.size:
        _left_out(g)  # which of two updates of an element stays is not said


def _left_out(g: Grower) -> None:
    """The last node is taken back."""
    node = g.builder.model.graph.node.pop()
    del g.values[node.output[0]]
    g.exact.discard(node.output[0])
    raise GraphError("not said by ONNX")


def _gather_nd(g: Grower) -> None:
    x = _any(g, 1)
    depth = g.random.randint(1, g.values[x].ndim)
    g.add("GatherND", x, g.input((g.random.choice((1, 4, 7)), depth), LABEL, min(g.values[x].shape[:depth])))


def _trilu(g: Grower) -> None:
    g.add("Trilu", _any(g, 2), upper=g.random.randint(0, 1))


def _whole_divide(g: Grower) -> None:
    x = g.some(LABEL)
    y = g.beside(x)
    if (g.values[y] < 1).any() or (g.values[x] < 0).any():
        raise GraphError("a divisor that is not positive")
    g.add(g.random.choice(("Div", "Mod")), x, y)


def _deep(g: Grower) -> None:
    shape = [g.random.choice((1, 2, 3, 4)) for _ in range(g.random.choice((5, 6)))]
    x = g.input(shape)
    y = g.input([size if g.random.random() < 0.6 else 1 for size in shape][g.random.randint(0, 3) :])
    g.add(g.random.choice(("Add", "Mul", "Max")), *_two(g, x, y))


def _mat_mul_spread(g: Grower) -> None:
    n, k, m = (g.random.choice((1, 3, 8, 16)) for _ in range(3))
    a, b = (g.random.choice(((), (2,), (3, 1), (1, 4), (3, 4))) for _ in range(2))
    try:
        np.broadcast_shapes(a, b)
    except ValueError as error:
        raise GraphError("no batch") from error
    g.add("MatMul", g.input((*a, n, k)), g.input((*b, k, m)))


def _einsum_any(g: Grower) -> None:
    sizes = {letter: g.random.choice((1, 2, 3, 5, 8, 16)) for letter in "abcd"}
    equation = g.random.choice(("aa->a", "abc->ca", "ab,c->a", "ab,bc,cd->ad", "a,b->ba", "ab,ab", "aab,bc->ac"))
    sides = equation.split("->")[0].split(",")
    g.add("Einsum", *(g.input([sizes[c] for c in side]) for side in sides), equation=equation)


def _arg(g: Grower) -> None:
    x = g.some(exact=True, least=1)
    g.add(g.random.choice(("ArgMax", "ArgMin")), x, axis=_axis(g, x), keepdims=g.random.randint(0, 1))


def _one_hot(g: Grower) -> None:
    depth = g.random.choice((2, 5, 10, 33))
    values = g.builder.constant(np.array([0, 1], np.float32), "k")
    labels = g.input(g.shape(g.random.choice((1, 1, 2)), 256), LABEL, depth)
    g.add("OneHot", labels, g.builder.constant(np.array(depth, np.int64), "k"), values, axis=-1)


def _running(g: Grower) -> None:
    x = g.some(least=1)
    g.add("CumSum", x, g.builder.constant(np.array(_axis(g, x), np.int64), "k"), exclusive=g.random.randint(0, 1))


def _mat_mul(g: Grower) -> None:
    x = g.some(least=2)
    *batch, _, k = g.values[x].shape
    shared = g.random.random() < 0.5
    g.add("MatMul", x, g.input([*([] if shared else batch), k, g.random.choice(SIZES)]))


def _gemm(g: Grower) -> None:
    x = g.some(least=2)
    if g.values[x].ndim != 2:
        raise GraphError("no matrix")
    rows, k = g.values[x].shape
    across, width = g.random.randint(0, 1), g.random.choice(SIZES)
    shape = (width, k) if across else (k, width)
    bias = [g.input(g.random.choice(((width,), (rows, width), (1,))))] if g.random.random() < 0.6 else []
    g.add("Gemm", x, g.input(shape), *bias, transB=across, alpha=g.random.choice((1.0, 0.5)))


def _einsum(g: Grower) -> None:
    sizes = {letter: g.random.choice(SIZES) for letter in "abcd"}
    equation = g.random.choice(("ab,cb->ac", "abc,dbc->ad", "abc,abd->acd", "ab,ac->bc", "abc,cd->abd", "ab,ab->a"))
    sides = equation.split("->")[0].split(",")
    g.add("Einsum", *(g.input([sizes[c] for c in side]) for side in sides), equation=equation)


def _conv(g: Grower) -> None:
    n, c, m = (g.random.choice((1, 2, 3, 4)) for _ in range(3))
    h, w, k = g.random.choice((5, 8, 10)), g.random.choice((5, 7)), g.random.choice((1, 2, 3))
    pad, stride = g.random.choice((0, 1)), g.random.choice((1, 1, 2))
    bias = [g.input((m,))] if g.random.random() < 0.5 else []
    image, kernel = g.input((n, c, h, w)), g.input((m, c, k, k))
    g.add("Conv", image, kernel, *bias, pads=[pad] * 4, strides=[stride] * 2, kernel_shape=[k, k])


def _pool(g: Grower) -> None:
    image = g.input((g.random.choice((1, 3)), g.random.choice((1, 4)), g.random.choice((4, 8, 9)), 6))
    k, stride = g.random.choice((2, 3)), g.random.choice((1, 2))
    op_type = g.random.choice(("MaxPool", "AveragePool"))
    g.add(op_type, image, kernel_shape=[k, k], strides=[stride] * 2, rounds=op_type == "AveragePool")


KINDS: dict[str, Callable[[Grower], None]] = {
    function.__name__.strip("_"): function
    for function in (
        _smooth, _straight, _jump, _root, _binary, _divide, _whole, _compare, _logic, _where, _cast, _clip,
        _reduce, _reduce_more, _reduce_whole, _softmax, _transpose, _reshape, _slice, _pad, _concat, _expand, _tile,
        _gather, _gather_elements, _scatter, _arg, _one_hot, _running, _mat_mul, _gemm, _einsum, _conv, _pool,
        _scatter_computed, _gather_nd, _trilu, _whole_divide, _deep, _mat_mul_spread, _einsum_any,
    )
}  # fmt: skip
