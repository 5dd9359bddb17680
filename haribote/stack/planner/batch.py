"""One way to cut the values of a training step, so that they fit each other: the batch over the L1Bs of every L2B.

Free choice looks at one node after another, and the layout that suits a product may cost more at the next one than it
saves: the words of an L1B must then go to others, one L1B after another. Here none of them ever does: an L1B has the
same rows of every value of the batch, weights are in all L1Bs, and what is dealt out over the L2Bs is columns. So sums
over the batch, which gradients of weights are, stay inside an L2B, and what crosses L2Bs is sums or copies of rows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

import onnx

from haribote.errors import HariboteError
from haribote.graph import Index
from haribote.stack.maps import axis_bits
from haribote.stack.plan import Version, in_dram
from haribote.stack.planner.facts import map_axes
from haribote.stack.planner.families import L1BS, L2BS, MABS, PES, Layout
from haribote.stack.planner.letters import PRODUCTS, letters_of, most_work
from haribote.stack.planner.roles import MATRIX

LEAST_WORK = 1 << 22
"""Multiply-adds of the largest product of a step for which this is worth it."""
NO_AXIS = -1
Letters = tuple[str, str, str]


@dataclass(frozen=True, eq=False)
class Axes:
    """batch: the axis of each value along which the batch lies, NO_AXIS where it does not. inner: of values of the
    shape of a weight, the axis that its product with the batch sums over. given: what the host gives, which may be
    dealt out over the L2Bs in any case. copied: all other values of the batch are the same in all L2Bs."""

    batch: Mapping[str, int]
    inner: Mapping[tuple[int, ...], int]
    given: frozenset[str]
    copied: bool = False

    def admits(self, version: Version) -> bool:
        """Whether a version is cut in this way."""
        found, axis = version.map, self.batch.get(version.value)
        if in_dram(version) or axis is None:  # what the planner has named itself stays where its operand is
            return True
        l1bs, l2bs = ([found[bit] for bit in bits] for bits in (L1BS, L2BS))
        if axis == NO_AXIS:
            inner = self.inner.get(found.shape)
            allowed = range(found.width) if inner is None else found.axes[inner]
            return all(carry < 0 for carry in l1bs) and all(carry < 0 or carry in allowed for carry in l2bs)
        if self.copied and version.value not in self.given and any(carry >= 0 for carry in l2bs):
            return False
        rows = {bit for number in map_axes(version.split, (axis,)) for bit in found.axes[number]}
        return rows.issuperset(l1bs) and rows.isdisjoint(l2bs)

    def layouts(self, name: str, shape: tuple[int, ...]) -> tuple[Layout, ...]:
        """Those of the families."""
        return ()


def batch_axes(index: Index, parameters: frozenset[str], nodes: Iterable[onnx.NodeProto]) -> Axes | None:
    """Where the batch lies in every value; None where that is not clear, or where nothing is large."""
    nodes = list(nodes)
    given = [name for name in index.inputs if name not in parameters and index.shape[name]]
    sizes = {index.shape[name][0] for name in given}
    if not parameters or len(sizes) != 1:
        return None
    (size,) = sizes
    if axis_bits(size) < len((*PES, *L1BS)) - 1 or most_work(index, nodes) < LEAST_WORK:
        return None
    axes: dict[str, int] = dict.fromkeys(given, 0)
    inner: dict[tuple[int, ...], int] = {}
    for node in nodes:
        shapes = [index.shape[name] for name in (*node.input, *node.output) if name]
        if any(len(shape) > MATRIX for shape in shapes) or not all(map(_is_regular, shapes)):
            return None
        if node.op_type in PRODUCTS:
            try:
                letters = letters_of(index, node)
            except HariboteError:
                return None
            _product(node, letters, axes)
            inner = _weight(index, node, letters, parameters.difference(axes)) | inner
        else:
            _aligned(index, node, axes, size)
    return Axes(dict.fromkeys(index.shape, NO_AXIS) | axes, inner, frozenset(given))


def _is_regular(shape: tuple[int, ...]) -> bool:
    """Whether layouts fill the machine along the last axis of a value: it fits into the MABs, is a power of two, or is
    dealt out over all units."""
    bits = axis_bits(shape[-1]) if shape else 0
    return bits <= len(MABS) or shape[-1] == 1 << bits or bits >= len((*PES, *L2BS, *MABS))


def _product(node: onnx.NodeProto, letters: Letters, axes: dict[str, int]) -> None:
    """Notes the axis of its result."""
    for side, name in zip(letters, node.input, strict=False):
        if name in axes and side[axes[name]] in letters[2]:
            axes[node.output[0]] = letters[2].index(side[axes[name]])


def _weight(
    index: Index, node: onnx.NodeProto, letters: Letters, weights: Collection[str]
) -> dict[tuple[int, ...], int]:
    """The axis of a weight that a product sums over, by the weight's shape."""
    found = {}
    for side, name in zip(letters, node.input, strict=False):
        summed = [axis for axis, letter in enumerate(side) if letter not in letters[2]]
        if name in weights and summed:
            found[index.shape[name]] = summed[0]
    return found


def _aligned(index: Index, node: onnx.NodeProto, axes: dict[str, int], size: int) -> None:
    """Notes the axes of what any other node makes: axes that are the same counted from the last, or from the first."""
    for name in node.input:
        if name not in axes:
            continue
        before = len(index.shape[name])
        for output in node.output:
            shape = index.shape[output]
            for place in (len(shape) - before + axes[name], axes[name]):
                if output not in axes and 0 <= place < len(shape) and shape[place] == size:
                    axes[output] = place
