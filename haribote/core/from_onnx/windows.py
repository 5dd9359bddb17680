"""What windows of images are: which elements each of them sees, as an axis of windows and one of their places.

The windows of a forward convolution and those of its weight's gradient are the same elements, written alike, so that
they are picked once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
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
    def padding(self) -> Ints | None:
        """The elements of the axis with all that is seen beside them; None where every place sees an element, or so
        many do not that the index would have more bits.
        """
        if (self.elements() >= 0).all():
            return None
        found = self.elements(np.arange(self.positions.min(), self.positions.max() + 1))
        return found if axis_bits(len(found)) == axis_bits(self.length) else None

    @property
    def padded(self) -> Along:
        """The same windows of the padded axis."""
        found = self.padding
        return self if found is None else Along(self.positions - self.positions.min(), len(found))


def windows_of(node: onnx.NodeProto, image: Sequence[int], kernel: Sequence[int], out: Sequence[int]) -> list[Along]:
    """The windows of a node along the spatial axes of its image."""
    return [
        Along(
            np.arange(count)[:, None] * stride + np.arange(size)[None] * dilation - before,
            length,
        )
        for length, (size, count, stride, dilation, before) in zip(
            image, _parameters(node, image, kernel, out), strict=True
        )
    ]


def adjoint_windows_of(
    node: onnx.NodeProto, image: Sequence[int], kernel: Sequence[int], out: Sequence[int]
) -> list[Along]:
    """The same the other way round: for each element of the image the windows, of which there are `out`, that see it,
    one at each place.
    """
    return [
        Along(np.arange(length)[:, None] + before - np.arange(size)[None] * dilation, count, stride)
        for length, (size, count, stride, dilation, before) in zip(
            image, _parameters(node, image, kernel, out), strict=True
        )
    ]


def _parameters(
    node: onnx.NodeProto, image: Sequence[int], kernel: Sequence[int], out: Sequence[int]
) -> list[tuple[int, int, int, int, int]]:
    """Along each axis: places, windows, stride, dilation, padding before."""
    given, rank = attributes(node), len(kernel)
    strides, dilations = given.get("strides", [1] * rank), given.get("dilations", [1] * rank)
    pads = _pads(given, image, kernel, out, strides, dilations)
    return list(zip(kernel, out, strides, dilations, pads, strict=True))


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


def columns(g: Rewriter, x: str, parts: Sequence[Along], swapped: bool) -> str:
    """A value with the windows of an image x [n, c, …]: [n, windows along each axis, all of c and the places]; swapped:
    [n, places along each axis, all of c and the windows].
    """
    shape = g.shapes[x]
    if all(part.plain for part in parts) and not swapped:
        return g.builder.op("Transpose", x, name=f"{x}.windows", perm=[0, *range(2, len(shape)), 1])
    shape = (*shape[:2], *(part.length for part in parts))
    if any(part.padding is not None for part in parts):
        wide = [np.arange(part.length) if part.padding is None else part.padding for part in parts]
        found = spread(shape, [elements[:, None] for elements in wide])
        x = g.pick(x, found.reshape(found.shape[: len(shape)]), name=g.builder.fresh(f"{x}.padded"))
        shape, parts = (*shape[:2], *map(len, wide)), [part.padded for part in parts]
    found, rank = spread(shape, [part.elements() for part in parts]), len(parts)
    outer, inner = list(range(2, 2 + rank)), list(range(2 + rank, 2 + 2 * rank))
    if swapped:
        outer, inner = inner, outer
    found = found.transpose(0, *outer, 1, *inner)
    places = np.ascontiguousarray(found.reshape(*found.shape[: 1 + rank], -1))
    return g.pick(x, places, name=g.builder.fresh(f"{x}.windows"))


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
