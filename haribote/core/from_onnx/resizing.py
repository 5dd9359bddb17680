"""Images at other places: Resize, whose places are known, and GridSample, whose places are computed.

Resize(x)            ->  along each axis a Gather (nearest), or a product with the weights of the elements
GridSample(x, grid)  ->  the same with weights that are made of the grid
AffineGrid(theta)    ->  a product with the places of a grid
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from haribote.core.from_onnx.rules import rule
from haribote.core.rewrite import Rewriter

Floats = NDArray[np.float64]
CUBIC = -0.75


def linear_kernel(x: Floats) -> Floats:
    """The weight of an element at a distance."""
    found: Floats = np.clip(1 - np.abs(x), 0, 1)
    return found


def cubic_kernel(x: Floats, a: float = CUBIC) -> Floats:
    """Of cubic convolution (Keys 1981)."""
    x = np.abs(x)
    near, far = ((a + 2) * x - (a + 3)) * x * x + 1, ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
    return np.where(x <= 1, near, np.where(x < 2, far, 0))


ROUNDED: dict[str, Callable[[Floats], Floats]] = {
    "round_prefer_floor": lambda x: np.ceil(x - 0.5),
    "round_prefer_ceil": lambda x: np.floor(x + 0.5),
    "floor": np.floor,
    "ceil": np.ceil,
}


@dataclass(frozen=True)
class Along:
    """How one axis is resized: `size` elements become `count`. roi: start and end, as shares of the axis."""

    size: int
    count: int
    scale: float
    roi: tuple[float, float]

    @property
    def plain(self) -> bool:
        """Nothing changes."""
        return self.size == self.count and self.scale == 1 and self.roi == (0, 1)

    def coordinates(self, mode: str) -> Floats:
        """Where each element of the result is among those of the axis."""
        at, real = np.arange(self.count, dtype=np.float64), self.size * self.scale
        if mode == "align_corners":
            return at * (self.size - 1) / (real - 1) if real != 1 else 0 * at
        if mode == "asymmetric":
            return at / self.scale
        if mode == "tf_crop_and_resize":
            start, end = (share * (self.size - 1) for share in self.roi)
            return start + at * (end - start) / (real - 1) if real != 1 else 0 * at + (start + end) / 2
        if mode == "pytorch_half_pixel" and real == 1:
            return 0 * at - 0.5
        begin = self.size / 2 * (1 - self.count / real) if mode == "half_pixel_symmetric" else 0.0
        return begin + (at + 0.5) / self.scale - 0.5

    def weights(self, at: Floats, kernel: Callable[[Floats], Floats], antialias: bool, exclude: bool) -> Floats:
        """[count, size]: of every element in every place."""
        narrow = min(self.scale, 1.0) if antialias else 1.0
        reach = int(np.ceil(2 / narrow))
        taps = np.floor(at)[:, None] + np.arange(-reach, reach + 2)
        found = kernel((taps - at[:, None]) * narrow)
        if exclude:
            found = found * ((taps >= 0) & (taps < self.size))
        if exclude or antialias:
            found = found / found.sum(1, keepdims=True)
        elements = np.clip(taps, 0, self.size - 1)[:, :, None] == np.arange(self.size)
        return np.asarray(np.einsum("ct,cts->cs", found, elements.astype(np.float64)))


def _axes_of(g: Rewriter) -> list[Along]:
    """How each axis is resized."""
    shape, out = g.shapes[g.node.input[0]], g.shapes[g.result]
    roi, scales, sizes = ([] if not name else list(g.index.constants[name].ravel()) for name in map(g.input, (1, 2, 3)))
    axes = [axis % len(shape) for axis in g.given.get("axes", range(len(shape)))]
    if len(sizes):
        ratios = [float(size) / shape[axis] for size, axis in zip(sizes, axes, strict=True)]
        policy = g.given.get("keep_aspect_ratio_policy", b"stretch")
        if policy != b"stretch":
            ratios = [(min if policy == b"not_larger" else max)(ratios)] * len(ratios)
        scales = ratios
    found = [Along(size, count, 1.0, (0.0, 1.0)) for size, count in zip(shape, out, strict=True)]
    crop = g.given.get("coordinate_transformation_mode") == b"tf_crop_and_resize"
    for number, axis in enumerate(axes):
        part = (float(roi[number]), float(roi[number + len(axes)])) if crop and len(roi) else (0.0, 1.0)
        found[axis] = Along(shape[axis], out[axis], float(scales[number]), part)
    return found


@rule("Resize")
def resize(g: Rewriter) -> str | bool:
    """Resize to a size, or by scales, that are known."""
    if not g.is_known(1, 2, 3) or not g.is_float(g.result):
        return False
    axes, how = _axes_of(g), g.given.get("coordinate_transformation_mode", b"half_pixel").decode()
    mode, value, beyond = g.given.get("mode", b"nearest"), g.node.input[0], np.zeros([1] * len(axes), bool)
    for number, axis in enumerate(axes):
        if axis.plain:
            continue
        at = axis.coordinates(how)
        if how == "tf_crop_and_resize":
            outside = (at < 0) | (at > axis.size - 1)
            beyond = beyond | outside.reshape([-1 if k == number else 1 for k in range(len(axes))])
        if mode == b"nearest":
            places = ROUNDED[g.given.get("nearest_mode", b"round_prefer_floor").decode()](at)
            numbers = g.constant(np.clip(places, 0, axis.size - 1).astype(np.int64), "places")
            value = g.op("Gather", value, numbers, part=f"axis_{number}", axis=number)
            continue
        a = float(g.given.get("cubic_coeff_a", CUBIC))
        kernel = linear_kernel if mode == b"linear" else lambda x, a=a: cubic_kernel(x, a)
        flags = bool(g.given.get("antialias", 0)), bool(g.given.get("exclude_outside", 0))
        weights = g.constant(axis.weights(at, kernel, *flags).astype(g.dtypes[g.result]), "weights")
        value = g.times(value, weights, number, len(axes), part=f"axis_{number}")
    if beyond.any():
        other = g.number(g.given.get("extrapolation_value", 0.0), g.result)
        value = g.op("Where", g.constant(beyond, "beyond"), other, value, part="inside")
    return g.op("Identity", value)


@rule("GridSample")
def grid_sample(g: Rewriter) -> str | bool:
    """GridSample of images of any number of axes."""
    return _Sampler(g).write()


class _Sampler:
    """node's inputs: x [n, c, …], grid [n, …, axes], whose last axis names places from -1 to 1, the last axis first."""

    def __init__(self, g: Rewriter) -> None:
        self.g = g
        self.mode = g.given.get("mode", b"linear").decode().removeprefix("bi")
        self.padding = g.given.get("padding_mode", b"zeros")
        self.corners = bool(g.given.get("align_corners", 0))

    def write(self) -> str:
        """Axis by axis from the last one: the others stay, the places of the grid are a last axis."""
        g, (x, grid) = self.g, self.g.node.input
        rank, count = len(g.shapes[x]) - 2, int(np.prod(g.shapes[grid][1:-1]))
        flat = g.shaped(grid, [g.shapes[x][0], count, rank], part="flat")
        value, letters = x, "xyzuvw"[:rank]
        for axis in range(rank)[::-1]:
            ends = [g.ints([k], "number") for k in (rank - 1 - axis, rank - axis, 2)]
            weights = self._weights(g.op("Slice", flat, *ends, part="column"), g.shapes[x][2 + axis])
            before = f"nc{letters[: axis + 1]}" + ("" if axis == rank - 1 else "p")
            equation = f"{before},np{letters[axis]}->nc{letters[:axis]}p"
            value = g.op("Einsum", value, weights, part=f"axis_{axis}", equation=equation)
        return g.shaped(value, g.shapes[g.result])

    def _weights(self, places: str, size: int) -> str:
        """[n, p, size]: of every element of an axis at each place [n, p, 1]."""
        g, shift = self.g, (size - 1) / 2
        ends, scale = ((0.0, size - 1.0), shift) if self.corners else ((-0.5, size - 0.5), size / 2)
        at = g.op("Add", g.op("Mul", places, g.number(scale), part="scaled"), g.number(shift), part="at")
        if self.mode == "nearest":
            return self._one(self._inside(g.op("Round", at, part="round"), size, ends), size)
        at = self._inside(at, size, ends) if self.padding != b"zeros" else at
        floor, total = g.op("Floor", at, part="floor"), ""
        for tap in (-1, 0, 1, 2) if self.mode == "cubic" else (0, 1):
            place = g.op("Add", floor, g.number(tap), part="tap")
            distance = g.op("Abs", g.op("Sub", at, place, part="from"), part="distance")
            linear = self.mode != "cubic"
            weight = g.op("Sub", g.number(1.0), distance, part="weight") if linear else self._cubic(distance)
            part = g.op("Mul", self._one(self._inside(place, size, ends), size), weight, part="weighted")
            total = g.op("Add", total, part, part="weights") if total else part
        return total

    def _inside(self, at: str, size: int, ends: tuple[float, float]) -> str:
        """Places beyond the borders where the padding mode says that they are."""
        g = self.g
        if self.padding == b"reflection" and ends[1] > ends[0]:
            first, period = g.number(ends[0]), g.number(2 * (ends[1] - ends[0]))
            moved = g.op("Sub", at, first, part="moved")
            turns = g.op("Floor", g.op("Div", moved, period, part="over"), part="turns")
            rest = g.op("Sub", moved, g.op("Mul", turns, period, part="whole"), part="rest")
            back = g.op("Sub", period, rest, part="back")
            return g.op("Add", g.op("Min", rest, back, part="near"), first, part="reflected")
        if self.padding == b"zeros":
            return at
        return g.op("Clip", at, g.number(0.0), g.number(size - 1.0), part="clipped")

    def _cubic(self, x: str) -> str:
        """The weight of an element at a distance; see `cubic_kernel`."""
        near = self._polynomial(x, (CUBIC + 2, -(CUBIC + 3), 0.0, 1.0))
        far = self._polynomial(x, (CUBIC, -5 * CUBIC, 8 * CUBIC, -4 * CUBIC))
        is_near = self.g.op("LessOrEqual", x, self.g.number(1.0), part="is_near")
        return self.g.op("Where", is_near, near, far, part="cubic")

    def _polynomial(self, x: str, factors: Sequence[float]) -> str:
        g, total = self.g, self.g.number(factors[0])
        for factor in factors[1:]:
            total = g.op("Add", g.op("Mul", total, x, part="power"), g.number(factor), part="sum")
        return total

    def _one(self, places: str, size: int) -> str:
        """1 for the element at a place."""
        numbers = self.g.builder.constant(np.arange(size, dtype=np.float32), f"floats_{size}")
        return self.g.cast(self.g.op("Equal", places, numbers, part="equal"), np.float32, part="one")


@rule("AffineGrid")
def affine_grid(g: Rewriter) -> str | bool:
    """AffineGrid of a size that is known."""
    theta, size = g.node.input
    if not g.is_known(1):
        return False
    _, _, *sizes = (int(number) for number in g.index.constants[size])
    ends = [1.0 if g.given.get("align_corners", 0) else 1 - 1 / count for count in sizes]
    lines = [np.linspace(-end, end, count) for end, count in zip(ends, sizes, strict=True)]
    parts = [*np.meshgrid(*lines, indexing="ij")][::-1]
    places = np.stack([*parts, np.ones(sizes)], -1).reshape(-1, len(sizes) + 1)
    constant = g.constant(places.astype(g.dtypes[theta]), "places")
    return g.shaped(g.op("Einsum", theta, constant, part="rows", equation="nrc,pc->npr"), g.shapes[g.result])
