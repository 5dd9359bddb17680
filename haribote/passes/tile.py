"""Tile: cut every tensor into the shapes of the kernel table, and every operator into operators on such tiles.

    dimension                     tile
    batch                         256
    features of x (more than 16)  1024
    everything else               16

A product over several tiles of its inner dimension adds up partial products. The kernel table has no sum of two
tensors, so a + b is written a - (-1 * b), which the small kernels can do (and which is as exact as the sum). A tensor
of one tile keeps its name; the tiles of a larger one are `name[i,j]`, graph inputs and outputs included: metadata
`haribote.tiles` says how to cut and join them. What has no rule here is done by the host on joined tensors (Concat, the
operator, Slice).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np
import onnx

from haribote.graph import (
    Array,
    Builder,
    Index,
    attributes,
    is_loss,
    mark_loss,
    remove_unused_constants,
    set_metadata,
    updates,
)
from haribote.graphs.tiles import Tiles, grid, piece_name, tile_table
from haribote.passes.tile_sizes import ELEMENTWISE, tile_sizes


def run(model: onnx.ModelProto) -> onnx.ModelProto:
    """The graph on tiles; a graph whose tensors are single tiles comes out as it is."""
    return _Tiler(model).run()


def split_inputs(model: onnx.ModelProto, feeds: Mapping[str, Array]) -> dict[str, Array]:
    """The feeds of the graph before tiling, cut for this one."""
    tiles = Tiles(tile_table(model))
    return {piece: part for name, array in feeds.items() for piece, part in tiles.split(name, array)}


class _Tiler:
    def __init__(self, model: onnx.ModelProto) -> None:
        self.model, self.index = model, Index(model)
        self.builder = Builder.like(model)
        self.tile = tile_sizes(model, self.index)
        self.joined: dict[tuple[str, bool], str] = {}

    def run(self) -> onnx.ModelProto:
        graph = self.builder.model.graph
        del graph.input[:], graph.output[:]
        for name in self.index.inputs:
            for part in self.parts(name):
                self.builder.input(part, self.tile[name], self.index.dtype[name])
        for node in self.model.graph.node:
            self.visit(node)
        for name in self.index.outputs:
            for part in self.parts(name):
                self.builder.output(part)
        changed = {
            before: after
            for parameter, updated in updates(self.model).items()
            for before, after in zip(self.parts(parameter), self.parts(updated), strict=True)
        }
        cuts = {
            name: {"shape": list(self.index.shape[name]), "tile": list(self.tile[name])}
            for name in (*self.index.inputs, *self.index.outputs)
            if self.is_cut(name)
        }
        remove_unused_constants(self.builder.model.graph)
        result = self.builder.finish()
        set_metadata(result, tiles=json.dumps(cuts), updates=json.dumps(changed))
        return result

    def is_cut(self, name: str) -> bool:
        return self.index.shape[name] != self.tile[name]

    def parts(self, name: str) -> list[str]:
        """The names of all tiles of a value."""
        if not self.is_cut(name):
            return [name]
        return [piece_name(name, place) for place in grid(self.index.shape[name], self.tile[name])]

    def visit(self, node: onnx.NodeProto) -> None:
        """Write the node on tiles."""
        if not any(self.is_cut(name) for name in (*node.input, *node.output) if name):
            self.builder.keep(node)
        elif is_loss(node):
            self.on_whole(node)
        elif node.op_type == "Gemm" and len(node.input) == 2 and self.is_cut_alike(node):
            self.gemm(node)
        elif node.op_type == "ReduceSum" and self.reduces(node, 0) and not attributes(node).get("keepdims", 1):
            self.sum_columns(node)
        elif (node.op_type in ELEMENTWISE and self.is_aligned(node)) or self.is_row_wise(node):
            self.by_tile(node)
        else:
            self.on_whole(node)

    def is_aligned(self, node: onnx.NodeProto) -> bool:
        """True where the operands of an element-wise operator are cut as its result is."""
        tile = self.tile[node.output[0]]
        return all(
            size == 1 or step == tile[len(tile) - len(self.tile[name]) + axis]
            for name in node.input
            for axis, (size, step) in enumerate(zip(self.index.shape[name], self.tile[name], strict=True))
        )

    def is_cut_alike(self, node: onnx.NodeProto) -> bool:
        """True where both operands of a product are cut alike along the axis that is summed over."""
        (a, b), flags = node.input, attributes(node)
        return bool(self.tile[a][1 - flags.get("transA", 0)] == self.tile[b][flags.get("transB", 0)])

    def reduces(self, node: onnx.NodeProto, axis: int) -> bool:
        """True where one axis of a matrix is reduced, this one."""
        axes = self.index.constants.get(node.input[1]) if len(node.input) > 1 else None
        if axes is None or len(self.index.shape[node.input[0]]) != 2:
            return False
        return [int(each) % 2 for each in axes] == [axis]

    def is_row_wise(self, node: onnx.NodeProto) -> bool:
        """True for an operator along the columns of rows that are one tile wide."""
        if node.op_type in ("ReduceSum", "ReduceMax") and self.reduces(node, 1) and attributes(node).get("keepdims", 1):
            return self.index.shape[node.input[0]][1] == self.tile[node.input[0]][1]
        return node.op_type == "OneHot" and self.index.shape[node.output[0]][1] == self.tile[node.output[0]][1]

    def gemm(self, node: onnx.NodeProto) -> None:
        """Every tile of the result is the sum of products along the inner dimension."""
        (a, b), y, flags = node.input, node.output[0], attributes(node)
        a_turned, b_turned = flags.get("transA", 0), flags.get("transB", 0)
        inner = self.index.shape[a][0 if a_turned else 1] // self.tile[a][0 if a_turned else 1]
        for i, j in grid(self.index.shape[y], self.tile[y]):
            target = self.name(y, (i, j))
            partial = [
                (self.name(a, (k, i) if a_turned else (i, k)), self.name(b, (j, k) if b_turned else (k, j)))
                for k in range(inner)
            ]
            names = [target] if inner == 1 else [f"{target}.part{k}" for k in range(inner)]
            for name, (left, right) in zip(names, partial, strict=True):
                self.builder.op("Gemm", left, right, name=name, reserved=True, **flags)
            self.add_up(names, target)

    def sum_columns(self, node: onnx.NodeProto) -> None:
        """Sums over the rows of each tile, then over the tiles."""
        (x, axes), y = node.input, node.output[0]
        rows = self.index.shape[x][0] // self.tile[x][0]
        for (j,) in grid(self.index.shape[y], self.tile[y]):
            target = self.name(y, (j,))
            names = [target] if rows == 1 else [f"{target}.part{i}" for i in range(rows)]
            for i, name in enumerate(names):
                self.builder.op("ReduceSum", self.name(x, (i, j)), axes, name=name, reserved=True, keepdims=0)
            self.add_up(names, target)

    def add_up(self, names: list[str], target: str) -> None:
        """target = the sum of `names`, one after another; a + b is a - (-1 * b)."""
        total = names[0]
        for number, name in enumerate(names[1:], 1):
            minus = self.builder.op("Mul", name, self.builder.scalar(-1.0), name=f"{name}.minus")
            last = number == len(names) - 1
            total = self.builder.op(
                "Sub", total, minus, name=target if last else f"{target}.sum{number}", reserved=last
            )

    def by_tile(self, node: onnx.NodeProto) -> None:
        """The operator on every tile by itself, with the part of each other operand that goes with it."""
        y, flags = node.output[0], attributes(node)
        for place in grid(self.index.shape[y], self.tile[y]):
            operands = [self.operand(name, place, node) for name in node.input]
            self.builder.op(node.op_type, *operands, name=self.name(y, place), reserved=True, **flags)

    def operand(self, name: str, place: tuple[int, ...], node: onnx.NodeProto) -> str:
        """The tile of an operand that belongs to the result's tile at `place`; broadcast dimensions have one tile."""
        if prod(self.index.shape[name]) == 1 or (
            name != node.input[0] and node.op_type in ("OneHot", "ReduceSum", "ReduceMax")
        ):
            return name
        shape, tile = self.index.shape[name], self.tile[name]
        if node.op_type == "OneHot":
            return self.name(name, place[: len(shape)])
        here = place[len(place) - len(shape) :]
        return self.name(name, tuple(0 if size == step else i for i, size, step in zip(here, shape, tile, strict=True)))

    def name(self, name: str, place: tuple[int, ...]) -> str:
        """The name of one tile; a tile of a constant becomes a constant."""
        if not self.is_cut(name):
            return name
        part = piece_name(name, place)
        if name in self.index.constants:
            whole, step = self.index.constants[name], self.tile[name]
            window = tuple(slice(i * size, (i + 1) * size) for i, size in zip(place, step, strict=True))
            return self.builder.constant(whole[window], part)
        return part

    def on_whole(self, node: onnx.NodeProto) -> None:
        """Join the operands, do the operator, cut the result."""
        loss = is_loss(node)
        whole = [self.joined_name(name, loss) if name else "" for name in node.input]
        cut = [name for name in node.output if self.is_cut(name)]
        self.builder.keep(node, whole)
        for name in cut:
            step = self.tile[name]
            for place in grid(self.index.shape[name], step):
                ends = [i * size for i, size in zip(place, step, strict=True)]
                bounds = [self.integers(ends), self.integers([e + s for e, s in zip(ends, step, strict=True)])]
                self.add("Slice", [name, *bounds], piece_name(name, place), loss)

    def joined_name(self, name: str, loss: bool) -> str:
        """The whole tensor of a cut one, by Concat along each axis."""
        if not self.is_cut(name) or name in self.index.constants:
            return name
        if (name, loss) not in self.joined:
            whole = self.builder.fresh(f"{name}.whole")
            rows, *columns = (s // t for s, t in zip(self.index.shape[name], self.tile[name], strict=True))
            parts = self.parts(name)
            if columns and columns[0] > 1:
                width = columns[0]
                named = [whole] if rows == 1 else [self.builder.fresh(f"{whole}.row{i}") for i in range(rows)]
                for i, row in enumerate(named):
                    self.add("Concat", parts[i * width : (i + 1) * width], row, loss, axis=1)
                parts = named
            if rows > 1:
                self.add("Concat", parts, whole, loss, axis=0)
            self.joined[name, loss] = whole
        return self.joined[name, loss]

    def add(self, op: str, inputs: list[str], name: str, loss: bool, **flags: Any) -> None:
        self.builder.op(op, *inputs, name=name, reserved=True, **flags)
        if loss:
            mark_loss(self.builder.model.graph.node[-1])

    def integers(self, values: list[int]) -> str:
        return self.builder.constant(np.array(values, np.int64), f"integers_{'_'.join(map(str, values))}")
