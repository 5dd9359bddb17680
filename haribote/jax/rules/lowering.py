"""What a rule works with: the ONNX graph so far, and how the values of the program are held in it.

A value may be held in a smaller tensor that broadcasts to it; only rules that need it whole make it so. Values of
float16 and bfloat16 are computed in float32 and rounded where the program returns them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
import onnx
from numpy.typing import DTypeLike

from haribote.errors import UnsupportedOp
from haribote.graph import Builder
from haribote.graphs.writer import empty_axes, registering
from haribote.jax.flat.values import Array, Operation, Ref, Value
from simulator.messages import tr

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Held:
    """A tensor of the graph that broadcasts to a value of the program."""

    name: str
    shape: Shape


Rule = Callable[..., "Held | list[Held]"]
"""(lowering, *arguments, **those parameters of the primitive that it names) -> what holds its result or results."""

RULES: dict[str, Rule] = {}
"""Primitive to its rule."""


rule = registering(RULES)
"""Registers the rule of these primitives."""


class Lowering:
    """Writes operations as nodes of a graph.

    Attributes:
        held: what holds a value that is known only when the program runs.
        operation: the one at hand.
    """

    def __init__(self, name: str) -> None:
        self.builder = Builder(name)
        self.held: dict[Ref, Held] = {}
        self.makers: dict[Ref, Operation] = {}
        self.operation = Operation("", [], [])
        self._constants: dict[tuple[str, Shape, bytes], Held] = {}
        self._names: dict[str, int] = {}

    def input(self, ref: Ref, name: str) -> None:
        """Declare an input of the graph."""
        self.held[ref] = Held(self.builder.input(name, ref.shape, graph_type(ref.dtype)), ref.shape)

    def write(self, operation: Operation) -> None:
        """Add an operation.

        Raises:
            UnsupportedOp: it has no rule, or its rule does not cover it; with the user's line.
        """
        self.operation = operation
        found = RULES.get(operation.name)
        self.require(found is not None, tr("mnjit has no rule for it; docs/frontends/jax.md lists those it has"))
        assert found is not None
        known = inspect.signature(found).parameters
        params = {name: value for name, value in operation.params.items() if name in known}
        results = found(self, *operation.inputs, **params)
        results = results if isinstance(results, list) else [results]
        self.held.update(zip(operation.outputs, results, strict=True))
        self.makers.update(dict.fromkeys(operation.outputs, operation))

    def require(self, holds: bool, constraint: str) -> None:
        """Refuse an operation that is not of the form that the rule covers."""
        if not holds:
            shapes = ", ".join(f"{value.dtype}{list(value.shape)}" for value in self.operation.inputs)
            raise UnsupportedOp(f"{self.operation.name}({shapes}) at {self.operation.where}: {constraint}")

    @property
    def result(self) -> Ref:
        """The first result of the operation at hand."""
        return self.operation.outputs[0]

    def maker(self, value: Value) -> Operation | None:
        """The operation that makes a value."""
        return self.makers.get(value) if isinstance(value, Ref) else None

    # --- values --------------------------------------------------------------------------------------------------

    def small(self, value: Value | Held) -> Held:
        """A tensor that broadcasts to the value."""
        if isinstance(value, Held):
            return value
        return self.held[value] if isinstance(value, Ref) else self.constant(compact(value))

    def full(self, value: Value | Held, shape: Shape | None = None) -> str:
        """The name of a tensor of exactly the value's shape."""
        shape = value.shape if shape is None else shape
        if isinstance(value, np.ndarray):
            return self.constant(value.reshape(shape)).name
        held = self.small(value)
        if held.shape == shape:
            return held.name
        if prod(held.shape) == prod(shape):
            return self.reshaped(held, shape).name
        if len(held.shape) > len(shape):  # leading axes of size 1, which Expand would keep
            held = self.reshaped(held, held.shape[len(held.shape) - len(shape) :])
        return self.node("Expand", held.name, self.sizes(shape), part="whole")

    def constant(self, array: Array, dtype: DTypeLike | None = None) -> Held:
        """An array as a constant of the graph; equal ones are one."""
        array = np.ascontiguousarray(array).reshape(array.shape)
        array = array.astype(dtype or graph_type(array.dtype), copy=False)
        key = (array.dtype.str, array.shape, array.tobytes())
        if key not in self._constants:
            name = f"constant_{array.item():.9g}" if array.shape == () else f"constant{len(self._constants)}"
            self._constants[key] = Held(self.builder.constant(array, name), array.shape)
        return self._constants[key]

    def scalar(self, number: float | int | bool, like: Value | DTypeLike) -> Held:
        """A number of the type of a value."""
        dtype = like.dtype if isinstance(like, Ref | np.ndarray) else like
        return self.constant(np.array(number, graph_type(np.dtype(dtype))))

    def sizes(self, numbers: Sequence[int]) -> str:
        """Whole numbers that an operator takes as an input: a shape, axes."""
        return self.constant(np.array(numbers, np.int64).reshape(-1), np.int64).name

    # --- nodes ---------------------------------------------------------------------------------------------------

    def node(self, op_type: str, *names: str, part: str = "", **attributes: Any) -> str:
        """Add a node; the name of its result."""
        base = f"{self.operation.name}.{part}" if part else self.operation.name
        self._names[base] = number = self._names.get(base, -1) + 1
        return self.builder.op(op_type, *names, name=f"{base}_{number}" if number else base, **attributes)

    def second_output(self, name: str) -> str:
        """Let the node of that name have one more output."""
        self.builder.model.graph.node[-1].output.append(self.builder.fresh(f"{name}.places"))
        return str(self.builder.model.graph.node[-1].output[-1])

    def each(self, op_type: str, *values: Value | Held, part: str = "", **attributes: Any) -> Held:
        """An element-wise operator on tensors that broadcast to each other."""
        held = [self.small(value) for value in values]
        shape = np.broadcast_shapes(*(tensor.shape for tensor in held))
        return Held(self.node(op_type, *(tensor.name for tensor in held), part=part, **attributes), shape)

    def whole(self, op_type: str, *names: str, part: str = "", **attributes: Any) -> Held:
        """An operator that gives the result of the operation at hand, whole."""
        return Held(self.node(op_type, *names, part=part, **attributes), self.result.shape)

    def reshaped(self, held: Held, shape: Shape) -> Held:
        """The elements of a tensor in another shape of the same size."""
        if held.shape == shape:
            return held
        return Held(self.node("Reshape", held.name, self.sizes(shape), part="shape", **empty_axes(shape)), shape)

    def counted(self, value: Value) -> Held:
        """A whole value in a type that ONNX sums and orders: int32 for bool and for integers of fewer bits."""
        held, wide = Held(self.full(value), value.shape), wider(value.dtype)
        return held if wide == graph_type(value.dtype) else self.cast(held, wide)

    def narrowed(self, held: Held, dtype: np.dtype[Any]) -> Held:
        """What was computed of `counted` values, in their own type: its lowest bits."""
        return held if wider(dtype) == graph_type(dtype) else self.cast(held, dtype, "")

    def cast(self, held: Held, dtype: DTypeLike, part: str = "cast") -> Held:
        """Elements of another type."""
        kind = onnx.helper.np_dtype_to_tensor_dtype(np.dtype(graph_type(np.dtype(dtype))))
        return Held(self.node("Cast", held.name, part=part, to=kind), held.shape)


def graph_type(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """What values of a type are computed in."""
    return np.dtype(np.float32) if is_float(dtype) and dtype.itemsize < 4 else dtype


def wider(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The type in which ONNX's reductions, products and orders of a type are computed."""
    small = dtype.kind in "biu" and dtype.itemsize < 4
    return np.dtype(np.int32) if small else graph_type(dtype)


def is_float(dtype: np.dtype[Any]) -> bool:
    """Whether values are floating-point numbers, those that NumPy does not know itself included."""
    return dtype.kind == "f" or dtype.name.startswith(("bfloat", "float"))


def compact(array: Array) -> Array:
    """The smallest array that broadcasts to this one: equal elements along an axis are one."""
    for axis, size in enumerate(array.shape):
        if size > 1:
            first = array[(slice(None),) * axis + (slice(0, 1),)]
            if array.strides[axis] == 0 or (array == first).all():
                array = first
    while array.ndim and array.shape[0] == 1:
        array = array[0]
    return array


def uniform(value: Value, number: float) -> bool:
    """Whether a value is known, and everywhere this number."""
    return isinstance(value, np.ndarray) and value.size > 0 and bool((value == number).all())
