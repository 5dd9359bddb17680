"""Into which tiles `tile` cuts the values of a graph."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

import onnx

from haribote.graph import Index, Shape, attributes, is_loss
from haribote.kernel_table import TILE, TILE_FEATURES, TILE_ROWS

ELEMENTWISE = {"Add", "Sub", "Mul", "Div", "Relu", "Exp", "Greater", "Cast", "Neg", "Identity", "GreaterCast"}
Tile = tuple[int, ...]


def tile_sizes(model: onnx.ModelProto, index: Index) -> dict[str, Tile]:
    """The tile of every value; a dimension that is not a multiple of its tile is not cut."""
    wanted: dict[str, Tile] = {}
    features = TILE
    for name in index.inputs:
        if name == "x" and len(index.shape[name]) == 2:
            features = TILE_FEATURES if index.shape[name][1] > TILE else TILE
            wanted[name] = (TILE_ROWS, features)
        elif name == "labels":
            wanted[name] = (TILE_ROWS,)
    for name in (*index.inputs, *index.constants):
        wanted.setdefault(name, (TILE,) * len(index.shape[name]))
    for node in model.graph.node:
        if node.op_type == "Gemm" and attributes(node).get("transB") and node.input[0] == "x":
            wanted[node.input[1]] = (TILE, features)
    while True:
        sizes = _propagated(model, index, wanted)
        larger = _larger(model, index, sizes)
        if not larger:
            return sizes
        wanted |= larger


def _propagated(model: onnx.ModelProto, index: Index, wanted: Mapping[str, Tile]) -> dict[str, Tile]:
    """The tile of every value, from those of inputs and constants, and others that are wanted."""
    sizes = {name: _fitting(index.shape[name], tile) for name, tile in wanted.items()}
    for node in model.graph.node:
        for name in node.output:
            tile = wanted[name] if name in wanted else _output_tile(node, index, sizes, name)
            sizes[name] = _fitting(index.shape[name], tile)
            _give_constants(node, name, index, sizes)
    return sizes


def _larger(model: onnx.ModelProto, index: Index, sizes: Mapping[str, Tile]) -> dict[str, Tile]:
    """Inputs, and what the host makes of other shapes, that are to be cut like what they are combined with: the state
    of an optimiser like the gradient."""
    found: dict[str, Tile] = {}
    origin = {name: name for name in index.inputs}  # of what has the tile of one of these
    for node in model.graph.node:
        like = _like(node, index)
        if like is None and not _has_own(node, index):
            origin |= {name: name for name in node.output}
        if node.op_type not in ELEMENTWISE or like is None:
            continue
        if like in origin:
            origin[node.output[0]] = origin[like]
        same = [name for name in node.input if index.shape[name] == index.shape[node.output[0]]]
        largest = max((sizes[name] for name in same), key=prod, default=())
        found |= {origin[name]: largest for name in same if name in origin and prod(sizes[name]) < prod(largest)}
    return found


def _output_tile(node: onnx.NodeProto, index: Index, sizes: dict[str, Tile], name: str) -> Tile:
    if not _has_own(node, index):
        like = _like(node, index)
        return sizes[like] if like is not None else _of_kernels(index, index.shape[name])
    if is_loss(node):
        return index.shape[name]  # the host computes the loss on whole tensors
    if node.op_type == "Gemm":
        (a, b), flags = node.input[:2], attributes(node)
        return (sizes[a][1 if flags.get("transA") else 0], sizes[b][0 if flags.get("transB") else 1])
    if node.op_type == "OneHot":
        return (*sizes[node.input[0]], TILE)
    return sizes[node.input[0]][1:]


def _has_own(node: onnx.NodeProto, index: Index) -> bool:
    """Whether the tile of a result follows from what the node is, not from an operand of its shape."""
    if node.op_type == "ReduceSum":
        return len(index.shape[node.output[0]]) == 1 and len(index.shape[node.input[0]]) == 2
    return is_loss(node) or node.op_type in ("Gemm", "OneHot")


def _of_kernels(index: Index, shape: Shape) -> Tile:
    """The tile of what the host makes, as kernels may read it: rows by the batch where there are enough of them, as
    many columns as x has by its features. What is without padding no kernel reads: it stays whole."""
    if any(size != 1 and size % TILE for size in shape):
        return shape
    rows = TILE_ROWS if shape and shape[0] % TILE_ROWS == 0 else TILE
    wide = len(shape) == 2 and shape[1] > TILE and shape[1:] == index.shape.get("x", ())[1:]
    return (rows, TILE_FEATURES if wide else TILE)[: len(shape)]


def _like(node: onnx.NodeProto, index: Index) -> str | None:
    """The operand that the result of a node is cut like: the first one of its shape."""
    shape = index.shape[node.output[0]]
    return next((n for n in node.input if n and n not in index.constants and index.shape[n] == shape), None)


def _give_constants(node: onnx.NodeProto, output: str, index: Index, sizes: dict[str, Tile]) -> None:
    """A constant operand of an element-wise operator is cut as the result is."""
    if node.op_type not in ELEMENTWISE:
        return
    for name in node.input:
        rank = len(index.shape[name])
        if name in index.constants and rank:
            sizes[name] = _fitting(index.shape[name], sizes[output][len(sizes[output]) - rank :])


def _fitting(shape: Shape, tile: Tile) -> Tile:
    """The tile along the dimensions that it divides, the whole of the others; no kernel works on more than two."""
    if len(shape) > 2:
        return shape
    return tuple(step if size % step == 0 and size else size for size, step in zip(shape, tile, strict=True))
