"""What windows of images are: which elements each of them sees, as an axis of windows and one of their places.

The windows of a forward convolution and those of its weight's gradient are the same elements, written alike, so that
they are picked once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, prod
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray

from haribote.core.rewrite import Rewriter
from haribote.graph import attributes
from haribote.stack.maps import axis_bits

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Along:
    """Windows along one axis of an image: [window, place], the position that each place sees. Every `step`-th position
    from 0 on has the next of the axis's `length` elements, the others have none.
    """

    positions: Ints
    length: int
    step: int = 1

    def elements(self, positions: Ints | None = None) -> Ints:
        """The element at each position, -1 where there is none."""
        positions = self.positions if positions is None else positions
        found, rest = np.divmod(positions, self.step)
        return np.where((rest == 0) & (found >= 0) & (found < self.length), found, -1)

    @property
    def plain(self) -> bool:
        """True where each window sees just its own element."""
        return np.array_equal(self.elements(), np.arange(self.length)[:, None])

    @property
    def offsets(self) -> Ints:
        """The positions counted from the first one that is seen."""
        found: Ints = self.positions - self.positions.min()
        return found

    @property
    def pitch(self) -> int:
        """From one row of an image along this axis to the next, where both share what is seen beside elements."""
        size, first, last = (self.length - 1) * self.step + 1, int(self.positions.min()), int(self.positions.max())
        return size + max(-first, last + 1 - size, 0)


def windows_of(node: onnx.NodeProto, image: Sequence[int], kernel: Sequence[int], out: Sequence[int]) -> list[Along]:
    """The windows of a node along the spatial axes of its image."""
    return [
        Along(np.arange(count)[:, None] * stride + np.arange(size)[None] * dilation - before, length)
        for length, size, count, stride, dilation, before in _parameters(node, image, kernel, out)
    ]


def adjoint_windows_of(
    node: onnx.NodeProto, image: Sequence[int], kernel: Sequence[int], out: Sequence[int]
) -> list[Along]:
    """The same the other way round: for each element of the image the windows, of which there are `out`, that see it,
    one at each place.
    """
    return [
        Along(np.arange(length)[:, None] + before - np.arange(size)[None] * dilation, count, stride)
        for length, size, count, stride, dilation, before in _parameters(node, image, kernel, out)
    ]


def _parameters(
    node: onnx.NodeProto, image: Sequence[int], kernel: Sequence[int], out: Sequence[int]
) -> list[tuple[int, int, int, int, int, int]]:
    """Along each axis: elements, places, windows, stride, dilation, padding before."""
    given, rank = attributes(node), len(kernel)
    strides, dilations = given.get("strides", [1] * rank), given.get("dilations", [1] * rank)
    pads = _pads(given, image, kernel, out, strides, dilations)
    return list(zip(image, kernel, out, strides, dilations, pads, strict=True))


def _pads(
    given: Mapping[str, Any],
    image: Sequence[int],
    kernel: Sequence[int],
    out: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
) -> list[int]:
    """Elements of padding before each axis."""
    auto = given.get("auto_pad", b"NOTSET")
    if auto in (b"NOTSET", b"VALID"):
        return list(given.get("pads", [0] * 2 * len(kernel)))[: len(kernel)]
    total = [
        max((o - 1) * s + (k - 1) * d + 1 - n, 0)
        for n, k, o, s, d in zip(image, kernel, out, strides, dilations, strict=True)
    ]
    return [ceil(t / 2) if auto == b"SAME_LOWER" else t // 2 for t in total]


def spread(shape: Sequence[int], parts: Sequence[Ints]) -> Ints:
    """The flat index of an image's elements [first, second, rows of all parts, columns of all parts]; -1 where a part
    has none.
    """
    rank = len(parts)
    grid = np.arange(shape[0])[:, None] * shape[1] + np.arange(shape[1])[None]
    found = grid.reshape(shape[0], shape[1], *[1] * (2 * rank))
    valid = np.ones((1, 1, *[1] * (2 * rank)), np.bool_)
    for axis, part in enumerate(parts):
        place = [1] * (2 + 2 * rank)
        place[2 + axis], place[2 + rank + axis] = part.shape
        part = part.reshape(place)
        found = found * shape[2 + axis] + np.maximum(part, 0)
        valid = valid & (part >= 0)
    return np.where(valid, found, -1)


def columns(g: Rewriter, x: str, parts: Sequence[Along], swapped: bool, groups: int = 1) -> tuple[str, Ints]:
    """A value with the windows of an image x [n, c, …]: [n, windows along each axis, the places and all of c]; swapped:
    [n, places along each axis, the windows and all of c]. With it, what stands where on the last axis (see `slots`).
    groups: of channels, where there is more than one: an axis of their own before the last.
    """
    shape, rank = g.shapes[x], len(parts)
    if all(part.plain for part in parts) and not swapped:
        order = [0, *range(2, 2 + rank), 1]
        windows = g.builder.op("Transpose", x, name=f"{x}.windows", perm=order)
        if groups > 1:
            windows = g.shaped(windows, (shape[0], *shape[2:], groups, shape[1] // groups), part="parted")
        return windows, np.arange(shape[1] // groups)
    found = spread(shape, [part.elements() for part in parts])
    cells, seen = beside_each_other(parts)
    if (found < 0).any() and len(cells) < seen.size:
        images, row = np.arange(prod(shape[:2])).reshape(shape[:2]), (*shape[:2], -1, *[1] * (rank - 1))
        padded = np.where(cells >= 0, images[..., None] * prod(shape[2:]) + cells, -1).reshape(row)
        x = g.pick(x, padded, name=g.builder.fresh(f"{x}.padded"))
        found = images.reshape(*shape[:2], *[1] * 2 * rank) * len(cells) + seen
    outer, inner = list(range(2, 2 + rank)), list(range(2 + rank, 2 + 2 * rank))
    if swapped:
        outer, inner = inner, outer
    found = found.transpose(0, *outer, 1, *inner)
    found = found.reshape(*found.shape[: 1 + rank], *[groups] * (groups > 1), shape[1] // groups, -1)
    places = np.ascontiguousarray(_in_slots(found, mode="edge"))
    there = slots(*found.shape[-2:])
    return g.pick(x, places, name=g.builder.fresh(f"{x}.windows")), there


def slots(channels: int, places: int) -> Ints:
    """What stands where on an axis of channels and places: its number in row-major order, -1 for a repeated one.

    Where that takes no more bits of an index, there are as many places as bits tell apart, and each has as many
    channels: then what a channel or a place is depends on its own bits alone, and the axis is full. Channels are then
    neighbours, as a product wants them in the image: what lies together there stays together. What is repeated is seen
    by the same window, so that it is nothing new if it is no number; its weight is 0.
    """
    return _in_slots(np.arange(channels * places).reshape(channels, places), mode="constant", constant_values=-1)


def _in_slots(found: Ints, **beyond: Any) -> Ints:
    """The last two axes, channels and places, as one. beyond: what stands beyond their ends, as np.pad has it."""
    channels, places = found.shape[-2:]
    bits = axis_bits(channels), axis_bits(places)
    if sum(bits) <= axis_bits(channels * places):
        more = [(0, (1 << bits[0]) - channels), (0, (1 << bits[1]) - places)]
        found = np.pad(found, [(0, 0)] * (found.ndim - 2) + more, **beyond).swapaxes(-2, -1)
    return found.reshape(*found.shape[:-2], -1)


def beside_each_other(parts: Sequence[Along]) -> tuple[Ints, Ints]:
    """An image as one row, in which rows share what is seen beside their elements: the element of each cell, -1 for
    none; and the cells that windows see: [windows along each axis, places along each axis].
    """
    rank = len(parts)
    strides = [prod(part.pitch for part in parts[axis + 1 :]) for axis in range(rank)]
    seen = np.zeros([1] * (2 * rank), np.int64)
    for axis, (part, stride) in enumerate(zip(parts, strides, strict=True)):
        shape = [1] * (2 * rank)
        shape[axis], shape[rank + axis] = part.positions.shape
        seen = seen + part.offsets.reshape(shape) * stride
    rest = np.arange(seen.max() + 1)
    found, valid = np.zeros_like(rest), np.ones(rest.shape, np.bool_)
    for part, stride in zip(parts, strides, strict=True):
        places, rest = np.divmod(rest, stride)
        elements = part.elements(places + part.positions.min())
        found, valid = found * part.length + np.maximum(elements, 0), valid & (elements >= 0)
    return np.where(valid, found, -1), seen


def seen_by(found: Ints, count: int) -> Ints:
    """[element, times]: the flat places of the windows that see each element, filled up with -1."""
    places = np.flatnonzero(found >= 0)
    elements = found.reshape(-1)[places]
    order = np.argsort(elements, kind="stable")
    elements, places = elements[order], places[order]
    number = np.arange(len(elements)) - np.searchsorted(elements, elements)
    seen = np.full((count, int(number.max(initial=0)) + 1), -1, np.int64)
    seen[elements, number] = places
    return seen
