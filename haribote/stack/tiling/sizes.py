"""How large pieces may be: until every node has all that it reads and makes on the chip at once, axes are halved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from math import prod

import onnx

from haribote.graph import Index
from haribote.stack.maps import axis_bits
from haribote.stack.planner.families import candidates
from haribote.stack.planner.letters import PRODUCTS, letters_of
from haribote.stack.planner.reductions import REDUCTIONS
from haribote.stack.planner.same_axes import Axis
from haribote.stack.planner.streams import between_host
from haribote.stack.tiling.axes import Axes
from haribote.stack.vectors.expression import SUPPORTED
from simulator.isa import ALL_PES

MOST_WORDS = 3200
"""Words per PE of all that a node reads and makes; the rest of LM is for what others wait for, and for moves. A
product of 512 x 256 by 256 x 512, which takes 3,104 by `_products`, is not cut."""
LEAST = 64
"""Axes are not halved below this: what is smaller leaves units idle."""
UNITS, NEAR = 64, 128
"""L1Bs, over which a product deals out rows; and places at W, PE and MAB, over which it sums."""


def sizes(model: onnx.ModelProto, axes: Axes, most_words: float | None = None) -> Mapping[Axis, int]:
    """For each group of axes that is cut the length of its pieces. most_words: instead of MOST_WORDS."""
    index, found = axes.index, dict[Axis, int]()
    most_words = MOST_WORDS if most_words is None else most_words
    changed = True
    while changed:
        changed = False
        for node in model.graph.node:
            while _words(axes, found, node) > most_words and (axis := _to_halve(axes, found, node)) is not None:
                found[axis] = _half(found.get(axis, index.shape[axis[0]][axis[1]]))
                changed = True
    return found


def _half(size: int) -> int:
    """The largest power of two below a length."""
    return 1 << axis_bits(size) - 1


def _to_halve(axes: Axes, found: Mapping[Axis, int], node: onnx.NodeProto) -> Axis | None:
    """The group of a node's axes that leaves the fewest words when it is halved; None where none can be."""
    names = [name for name in (*node.input, *node.output) if name]
    groups = dict.fromkeys(group for name in names for group in axes.groups(name) if group is not None)
    lengths = {group: found.get(group, axes.index.shape[group[0]][group[1]]) for group in groups}
    choices = [group for group in groups if lengths[group] > LEAST]
    return min(
        choices,
        key=lambda group: (_words(axes, {**found, group: _half(lengths[group])}, node), -lengths[group]),
        default=None,
    )


def _shape(axes: Axes, found: Mapping[Axis, int], name: str) -> tuple[int, ...]:
    """The shape of a value's pieces, filled up to powers of two."""
    whole = axes.index.shape[name]
    own = (found.get(group, size) if group else size for group, size in zip(axes.groups(name), whole, strict=True))
    return tuple(1 << axis_bits(size) for size in own)


def _words(axes: Axes, found: Mapping[Axis, int], node: onnx.NodeProto) -> float:
    """Words per PE that a node needs at least, as planners deal values out."""
    names = dict.fromkeys(name for name in (*node.input, *node.output) if name)
    shapes = {name: _shape(axes, found, name) for name in names}
    if node.op_type in PRODUCTS:
        if between_host(axes.index, node):
            return 0.0  # it streams
        return min(_products(axes.index, node, shapes))
    if node.op_type in SUPPORTED or node.op_type in REDUCTIONS:
        return sum(_dealt_out(shape) for shape in shapes.values())
    return 0.0


@cache
def _dealt_out(shape: tuple[int, ...]) -> float:
    """Words per PE of a value in the layout in which it has the fewest: where one axis has nearly all of the elements,
    these do not fill all units. Scalars count next to nothing.
    """
    return max(prod(shape) / ALL_PES, min(2 * found.longs for _, found in candidates(shape)) - 2)


def _products(index: Index, node: onnx.NodeProto, shapes: Mapping[str, tuple[int, ...]]) -> Iterator[float]:
    """Words of both operands and of parts of the result: one operand is dealt out, its rows over L1Bs (of all L2Bs, or
    of each) and what is summed over over all else; the other is copied along its rows."""
    letters = letters_of(index, node)
    a, b = node.input[:2]
    length = dict(zip(letters[0], shapes[a], strict=True)) | dict(zip(letters[1], shapes[b], strict=True))
    summed = prod(length[c] for c in set(letters[0]) & set(letters[1]) - set(letters[2]))
    for dealt in letters[:2]:
        rows = prod(length[c] for c in set(dealt) & set(letters[2]))
        others = prod(length[c] for c in set(letters[2]) - set(dealt))
        for units in (UNITS, UNITS // 8):
            near, own_rows = NEAR * UNITS // units, max(rows / units, 1.0)
            deep = max(summed / near, 1.0) * 2
            yield own_rows * deep + others * deep + own_rows * others / 4
