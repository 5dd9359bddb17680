"""Expressions as an ONNX graph, from which the compiler makes C++ or a program for the simulated chip."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray

from haribote.core.cells import Cell
from haribote.graph import Builder
from haribote.graphs.writer import empty_axes
from haribote.lazy.primitives.arrays import REDUCTIONS, Array, Constant, Input, Map, Product, Reduce, Stack, View, walk

REDUCERS = {"Add": "ReduceSum", "Mul": "ReduceProd", "Max": "ReduceMax", "Min": "ReduceMin"}


def graph(outputs: Mapping[str, Array]) -> tuple[onnx.ModelProto, dict[str, str]]:
    """The ONNX graph, and which of its outputs has the value of which expression."""
    writer = _GraphWriter()
    for found in walk(*outputs.values()):
        writer.values[id(found)] = writer.written(found, [writer.values[id(operand)] for operand in found.operands])
    names = {}
    for name, output in outputs.items():
        names[name] = writer.builder.op("Identity", writer.values[id(output)], name=f"{name}.out")
        writer.builder.output(names[name])
    return writer.builder.finish(), names


class _GraphWriter:
    """Grows the graph; every method gives the name of a value."""

    def __init__(self) -> None:
        self.builder = Builder("expression")
        self.values: dict[int, str] = {}

    def written(self, found: Array, operands: Sequence[str]) -> str:
        """An array whose operands are there."""
        if isinstance(found, Input):
            return self.builder.input(found.name, found.shape, found.dtype)
        if isinstance(found, Constant):
            return self.builder.constant(found.value, "known")
        if isinstance(found, Map):
            value: str = found.cell.at(operands, self.cell)
            return value if _reads(found.cell) else self.repeated(value, found.shape)
        if isinstance(found, Reduce):
            axes = self.builder.constant(np.array(found.axes, np.int64), "axes")
            return self.op(REDUCERS[found.op], operands[0], axes, keepdims=0, noop_with_empty_axes=1,
                           name=REDUCTIONS[found.op])  # fmt: skip
        if isinstance(found, View):
            return self.view(found, operands[0])
        if isinstance(found, Stack):
            shape = [*found.operands[0].shape]
            shape.insert(found.axis, 1)
            return self.op("Concat", *(self.shaped(x, shape) for x in operands), axis=found.axis, name="stack")
        assert isinstance(found, Product)
        return self.product(found, operands)

    def op(self, op_type: str, *operands: str, name: str, **attributes: Any) -> str:
        """A node."""
        return self.builder.op(op_type, *operands, name=name, **attributes)

    def cell(self, cell: Cell, operands: list[str]) -> str:
        """An operation of a map, on whole arrays."""
        if cell.op == "number":
            return self.builder.constant(np.array(cell.value, cell.dtype), "number")
        return self.op(cell.op, *operands, name=cell.op.lower())

    def product(self, found: Product, operands: Sequence[str]) -> str:
        """A MatMul, of matrices where there is one product only."""
        if found.shape[0] != 1:
            return self.op("MatMul", *operands, name="product")
        matrices = [self.shaped(x, part.shape[1:]) for x, part in zip(operands, found.operands, strict=True)]
        return self.shaped(self.op("MatMul", *matrices, name="product"), found.shape)

    def view(self, found: View, x: str) -> str:
        """A view that reads everything in rows: reshaped, turned, repeated; any other one picks by numbers."""
        rows = regular(found.positions, prod(found.operands[0].shape))
        if rows is None:
            numbers = self.builder.constant(found.positions, "numbers")
            return self.op("Gather", self.shaped(x, [-1]), numbers, name="view", axis=0)
        if rows != sorted(rows) or len(rows) != len(found.operands[0].shape):
            x = self.shaped(x, [found.shape[axis] for axis in rows])
        if rows != sorted(rows):
            x = self.op("Transpose", x, name="turned", perm=[rows.index(axis) for axis in sorted(rows)])
        x = self.shaped(x, [size if axis in rows else 1 for axis, size in enumerate(found.shape)])
        return x if prod(found.shape) == prod(found.operands[0].shape) else self.repeated(x, found.shape)

    def shaped(self, x: str, shape: Sequence[int]) -> str:
        """The same elements in another shape."""
        sizes = self.builder.constant(np.array(shape, np.int64), "shape")
        return self.op("Reshape", x, sizes, name="shaped", **empty_axes(shape))

    def repeated(self, x: str, shape: Sequence[int]) -> str:
        """Repeated along axes of 1."""
        return self.op("Expand", x, self.builder.constant(np.array(shape, np.int64), "shape"), name="repeated")


def regular(positions: NDArray[np.int64], size: int) -> list[int] | None:
    """The axes of a view in the order in which they lie in memory, if it reads all `size` elements in rows.

    Axes that only repeat, or have one element, are left out. None for a view that leaves out elements or overlaps.
    """
    shape = positions.shape
    if not positions.size:
        return None
    corner = (0,) * len(shape)
    steps = [int(positions[(*corner[:a], 1, *corner[a + 1 :])]) if n > 1 else 0 for a, n in enumerate(shape)]
    grids = np.ogrid[tuple(slice(n) for n in shape)]
    if positions[corner] or (positions != sum(step * grid for step, grid in zip(steps, grids, strict=True))).any():
        return None
    rows = sorted((axis for axis, step in enumerate(steps) if step), key=lambda axis: -steps[axis])
    for place, axis in enumerate(rows):
        if steps[axis] != prod(shape[later] for later in rows[place + 1 :]):
            return None
    return rows if prod(shape[axis] for axis in rows) == size else None


def _reads(cell: Cell) -> bool:
    """Whether an operation reads an operand of its map."""
    return cell.op == "argument" or any(map(_reads, cell.operands))
