"""Random valid graphs that end in a loss: what every pass must keep the meaning of, and gradients are checked on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from numpy.typing import DTypeLike, NDArray

from haribote.graph import Builder, Shape

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class RandomGraph:
    """Inputs `x`, `labels` and parameters `p0`, `p1`, ...; outputs `loss` and some values on the way to it."""

    model: onnx.ModelProto
    feeds: Arrays

    @property
    def parameters(self) -> list[str]:
        return [name for name in self.feeds if name.startswith("p")]


def random_graph(seed: int, size: int = 14, dtype: DTypeLike = np.float32, images: bool | None = None) -> RandomGraph:
    """A graph of about `size` random operators, then a Gemm to classes and cross-entropy.

    images: begin with convolutions and pooling (by default every third seed).
    """
    return _Generator(np.random.default_rng(seed), dtype).graph(size, seed % 3 == 0 if images is None else images)


class _Generator:
    def __init__(self, random: np.random.Generator, dtype: DTypeLike) -> None:
        self.random, self.dtype = random, np.dtype(dtype)
        self.builder = Builder("random")
        self.feeds: Arrays = {}
        self.shapes: dict[str, Shape] = {}
        self.values: list[str] = []  # matrices that later operators may read
        self.waiting: list[tuple[str, str]] = []  # operators that were done once and may be done again

    def graph(self, size: int, images: bool) -> RandomGraph:
        rows = int(self.random.integers(2, 5))
        if images:
            self.add_images(rows)
        else:
            self.values.append(self.input("x", (rows, int(self.random.integers(2, 7)))))
        for _ in range(size):
            self.add_operator()
        self.add_loss(rows)
        model = self.builder.finish()
        return RandomGraph(model, {info.name: self.feeds[info.name] for info in model.graph.input})

    def input(self, name: str, shape: Shape, scale: float = 1.0) -> str:
        self.feeds[name] = (self.random.standard_normal(shape) * scale).astype(self.dtype)
        self.shapes[name] = shape
        return self.builder.input(name, shape, self.dtype)

    def parameter(self, *shape: int) -> str:
        number = sum(name.startswith("p") for name in self.feeds)
        return self.input(f"p{number}", shape, 1 / np.sqrt(shape[-1]))

    def op(self, op_type: str, *inputs: str, shape: Shape, **attrs: Any) -> str:
        name = self.builder.op(op_type, *inputs, name=op_type.lower(), **attrs)
        self.shapes[name] = shape
        return name

    def ints(self, *values: int) -> str:
        return self.builder.constant(np.array(values, np.int64), f"ints_{'_'.join(map(str, values))}")

    def choose(self, *options: Any) -> Any:
        return options[self.random.integers(len(options))]

    def value(self) -> str:
        return str(self.choose(*self.values))

    def add_images(self, rows: int) -> None:
        channels, height, width = (int(size) for size in self.random.integers((1, 7, 7), (3, 10, 10)))
        x = self.input("x", (rows, channels, height, width))
        outputs, kernel = int(self.random.integers(1, 4)), [int(size) for size in self.random.integers(1, 4, 2)]
        strides, pads = [int(s) for s in self.random.integers(1, 3, 2)], [int(p) for p in self.random.integers(0, 2, 4)]
        window = {"kernel_shape": kernel, "strides": strides, "pads": pads}
        places = [
            (size + pads[axis] + pads[axis + 2] - kernel[axis]) // strides[axis] + 1
            for axis, size in enumerate((height, width))
        ]
        bias = [self.parameter(outputs)] if self.random.random() < 0.5 else []
        weight = self.parameter(outputs, channels, *kernel)
        shape = (rows, outputs, *places)
        value = self.op("Conv", x, weight, *bias, shape=shape, **window)
        value = self.op("Relu", value, shape=shape)
        if not bias:
            value = self.op("Add", value, self.parameter(outputs, 1, 1), shape=shape)
        pooled = (rows, outputs, places[0] // 2, places[1] // 2)
        value = self.op("MaxPool", value, shape=pooled, kernel_shape=[2, 2], strides=[2, 2])
        self.values.append(self.op("Flatten", value, shape=(rows, outputs * pooled[2] * pooled[3])))

    def add_operator(self) -> None:
        self.choose(
            self.unary, self.binary, self.binary, self.product, self.scaled, self.move, self.total, self.again
        )()

    def unary(self) -> None:
        x = self.value()
        self.values.append(self.op(self.choose("Relu", "Tanh", "Sigmoid", "Neg", "Identity"), x, shape=self.shapes[x]))

    def binary(self) -> None:
        """With another value of the shape, or with a parameter that is repeated to it."""
        x = self.value()
        rows, columns = shape = self.shapes[x]
        same = [name for name in self.values if self.shapes[name] == shape]
        y = self.choose(*same, self.parameter(*self.choose((rows, columns), (columns,), (1, columns), (rows, 1))))
        op_type = self.choose("Add", "Sub", "Mul")
        pair = (x, y) if self.random.random() < 0.7 else (y, x)
        self.waiting.append((op_type, x))
        self.values.append(self.op(op_type, *pair, shape=shape))

    def product(self) -> None:
        """Gemm in one of its forms, or MatMul, with a new parameter."""
        x = self.value()
        ta, tb, form = (bool(flag) for flag in self.random.integers(0, 2, 3))
        rows, inner = reversed(self.shapes[x]) if ta else self.shapes[x]
        columns = int(self.random.integers(1, 6))
        weight = self.parameter(*((columns, inner) if tb else (inner, columns)))
        if form:
            attrs: dict[str, Any] = {"transA": int(ta), "transB": int(tb)} | self.choose({}, {"alpha": 0.5})
            bias = [] if self.random.random() < 0.5 else [self.parameter(columns)]
            result = self.op("Gemm", x, weight, *bias, shape=(rows, columns), **attrs)
        else:
            x = self.op("Transpose", x, shape=(rows, inner), perm=[1, 0]) if ta else x
            weight = self.op("Transpose", weight, shape=(inner, columns), perm=[1, 0]) if tb else weight
            result = self.op("MatMul", x, weight, shape=(rows, columns))
        self.values.append(result)

    def scaled(self) -> None:
        """By a number that the compiler can compute; sometimes that is 1."""
        x, number = self.value(), self.choose(0.5, 1.0, 2.0)
        halves = [self.builder.scalar(part, self.dtype) for part in (number / 2, number / 2)]
        factor = self.op("Add", *halves, shape=())
        self.values.append(self.op(self.choose("Mul", "Div"), x, factor, shape=self.shapes[x]))

    def move(self) -> None:
        x = self.value()
        rows, columns = self.shapes[x]
        if self.random.random() < 0.5:
            self.values.append(self.op("Transpose", x, shape=(columns, rows), perm=[1, 0]))
        else:
            self.values.append(self.op("Reshape", x, self.ints(columns, rows), shape=(columns, rows)))

    def total(self) -> None:
        """The sum or mean of rows or columns, kept as a matrix."""
        x, axis = self.value(), int(self.random.integers(2))
        shape = [*self.shapes[x]]
        shape[axis] = 1
        reduce = self.choose("ReduceSum", "ReduceMean")
        self.values.append(self.op(reduce, x, self.ints(axis), shape=(shape[0], shape[1]), keepdims=1))

    def again(self) -> None:
        """What was done before, once more: a common subexpression."""
        if self.waiting:
            op_type, x = self.choose(*self.waiting)
            first, second = (self.op(op_type, x, x, shape=self.shapes[x]) for _ in range(2))
            self.values.append(self.op("Add", first, second, shape=self.shapes[x]))

    def add_loss(self, rows: int) -> None:
        """Classes from a sum of the last values, softmax cross-entropy, and a second output."""
        classes = int(self.random.integers(2, 5))
        logits = ""
        for value in [*self.values[-3:]]:
            count = int(np.prod(self.shapes[value]))
            flat = self.op("Tanh", self.op("Reshape", value, self.ints(1, count), shape=(1, count)), shape=(1, count))
            part = self.op("Gemm", flat, self.parameter(count, rows * classes), shape=(1, rows * classes))
            logits = self.op("Add", logits, part, shape=(1, rows * classes)) if logits else part
        logits = self.op("Reshape", logits, self.ints(rows, classes), shape=(rows, classes))
        self.feeds["labels"] = self.random.integers(0, classes, rows)
        labels = self.builder.input("labels", (rows,), np.int64)
        log_p = self.op("LogSoftmax", logits, shape=(rows, classes), axis=1)
        self.builder.op("NegativeLogLikelihoodLoss", log_p, labels, name="loss", reduction=self.choose("mean", "sum"))
        self.builder.output("loss")
        for name in {logits, self.value()} - set(self.feeds):
            self.builder.output(name)
