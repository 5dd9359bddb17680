"""Images at other places: Resize, whose places are known, and GridSample, whose places are computed.

Resize(x)            ->  along each axis a Gather (nearest), or a product with the weights of the elements
GridSample(x, grid)  ->  the same with weights that are made of the grid
AffineGrid(theta)    ->  a product with the places of a grid
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray

from haribote.core.from_onnx.rules import rule
from haribote.graph import Builder, Index, attributes

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


def _axes_of(index: Index, node: onnx.NodeProto) -> list[Along] | None:
    """How each axis is resized; None where that is computed."""
    shape, out, given = index.shape[node.input[0]], index.shape[node.output[0]], attributes(node)
    names = [*node.input[1:], "", "", ""][:3]
    if any(name and name not in index.constants for name in names):
        return None
    roi, scales, sizes = ([] if not name else list(index.constants[name].ravel()) for name in names)
    axes = [axis % len(shape) for axis in given.get("axes", range(len(shape)))]
    if len(sizes):
        ratios = [float(size) / shape[axis] for size, axis in zip(sizes, axes, strict=True)]
        policy = given.get("keep_aspect_ratio_policy", b"stretch")
        if policy != b"stretch":
            ratios = [(min if policy == b"not_larger" else max)(ratios)] * len(ratios)
        scales = ratios
    found = [Along(size, count, 1.0, (0.0, 1.0)) for size, count in zip(shape, out, strict=True)]
    crop = given.get("coordinate_transformation_mode") == b"tf_crop_and_resize"
    for number, axis in enumerate(axes):
        part = (float(roi[number]), float(roi[number + len(axes)])) if crop and len(roi) else (0.0, 1.0)
        found[axis] = Along(shape[axis], out[axis], float(scales[number]), part)
    return found


@rule("Resize")
def resize(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """Resize to a size, or by scales, that are known."""
    axes, given, result = _axes_of(index, node), attributes(node), node.output[0]
    if axes is None or index.dtype[result].kind != "f":
        return False
    how = given.get("coordinate_transformation_mode", b"half_pixel").decode()
    mode, value, beyond = given.get("mode", b"nearest"), node.input[0], np.zeros([1] * len(axes), bool)
    for number, axis in enumerate(axes):
        if axis.plain:
            continue
        at = axis.coordinates(how)
        if how == "tf_crop_and_resize":
            outside = (at < 0) | (at > axis.size - 1)
            beyond = beyond | outside.reshape([-1 if k == number else 1 for k in range(len(axes))])
        if mode == b"nearest":
            places = ROUNDED[given.get("nearest_mode", b"round_prefer_floor").decode()](at)
            numbers = builder.constant(np.clip(places, 0, axis.size - 1).astype(np.int64), f"{result}.places")
            value = builder.op("Gather", value, numbers, name=f"{result}.axis_{number}", axis=number)
            continue
        a = float(given.get("cubic_coeff_a", CUBIC))
        kernel = linear_kernel if mode == b"linear" else lambda x, a=a: cubic_kernel(x, a)
        flags = bool(given.get("antialias", 0)), bool(given.get("exclude_outside", 0))
        weights = builder.constant(axis.weights(at, kernel, *flags).astype(index.dtype[result]), f"{result}.weights")
        letters = "abcdefgh"[: len(axes)]
        equation = f"{letters},z{letters[number]}->{letters.replace(letters[number], 'z')}"
        value = builder.op("Einsum", value, weights, name=f"{result}.axis_{number}", equation=equation)
    if beyond.any():
        other = builder.scalar(given.get("extrapolation_value", 0.0), index.dtype[result])
        value = builder.op("Where", builder.constant(beyond, f"{result}.beyond"), other, value, name=f"{result}.inside")
    builder.op("Identity", value, name=result, reserved=True)
    return True


@rule("GridSample")
def grid_sample(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """GridSample of images of any number of axes."""
    _Sampler(builder, index, node).write()
    return True


@dataclass
class _Sampler:
    """node's inputs: x [n, c, …], grid [n, …, axes], whose last axis names places from -1 to 1, the last axis first."""

    builder: Builder
    index: Index
    node: onnx.NodeProto

    def __post_init__(self) -> None:
        given = attributes(self.node)
        self.mode = given.get("mode", b"linear").decode().removeprefix("bi")
        self.padding = given.get("padding_mode", b"zeros")
        self.corners = bool(given.get("align_corners", 0))
        self.name = self.node.output[0]

    def write(self) -> None:
        """Axis by axis from the last one: the others stay, the places of the grid are a last axis."""
        x, grid = self.node.input
        shape, out = self.index.shape[x], self.index.shape[self.name]
        rank, count = len(shape) - 2, int(np.prod(self.index.shape[grid][1:-1]))
        flat = self._shaped(grid, [shape[0], count, rank], "flat")
        value, letters = x, "xyzuvw"[:rank]
        for axis in range(rank)[::-1]:
            weights = self._weights(self._column(flat, rank - 1 - axis), shape[2 + axis])
            before = f"nc{letters[: axis + 1]}" + ("" if axis == rank - 1 else "p")
            equation = f"{before},np{letters[axis]}->nc{letters[:axis]}p"
            value = self._op("Einsum", value, weights, part=f"axis_{axis}", equation=equation)
        sizes = self.builder.constant(np.array(out, np.int64), f"{self.name}.shape")
        self.builder.op("Reshape", value, sizes, name=self.name, reserved=True)

    def _weights(self, places: str, size: int) -> str:
        """[n, p, size]: of every element of an axis at each place [n, p, 1]."""
        ends = (0.0, size - 1.0) if self.corners else (-0.5, size - 0.5)
        scale, shift = ((size - 1) / 2, (size - 1) / 2) if self.corners else (size / 2, (size - 1) / 2)
        at = self._op(
            "Add", self._op("Mul", places, self._number(scale), part="scaled"), self._number(shift), part="at"
        )
        if self.mode == "nearest":
            return self._one(self._inside(self._op("Round", at, part="round"), size, ends), size)
        at = self._inside(at, size, ends) if self.padding != b"zeros" else at
        floor, total = self._op("Floor", at, part="floor"), ""
        for tap in (-1, 0, 1, 2) if self.mode == "cubic" else (0, 1):
            place = self._op("Add", floor, self._number(tap), part="tap")
            distance = self._op("Abs", self._op("Sub", at, place, part="from"), part="distance")
            weight = self._cubic(distance) if self.mode == "cubic" else self._linear(distance)
            part = self._op("Mul", self._one(self._inside(place, size, ends), size), weight, part="weighted")
            total = self._op("Add", total, part, part="weights") if total else part
        return total

    def _inside(self, at: str, size: int, ends: tuple[float, float]) -> str:
        """Places beyond the borders where the padding mode says that they are."""
        if self.padding == b"reflection" and ends[1] > ends[0]:
            first, period = self._number(ends[0]), self._number(2 * (ends[1] - ends[0]))
            moved = self._op("Sub", at, first, part="moved")
            turns = self._op("Floor", self._op("Div", moved, period, part="over"), part="turns")
            rest = self._op("Sub", moved, self._op("Mul", turns, period, part="whole"), part="rest")
            back = self._op("Sub", period, rest, part="back")
            at = self._op("Add", self._op("Min", rest, back, part="near"), first, part="reflected")
            return at
        if self.padding == b"zeros":
            return at
        return self._op("Clip", at, self._number(0.0), self._number(size - 1.0), part="clipped")

    def _linear(self, distance: str) -> str:
        return self._op("Sub", self._number(1.0), distance, part="weight")

    def _cubic(self, x: str) -> str:
        a = CUBIC
        near = self._horner(x, (a + 2, -(a + 3), 0.0, 1.0))
        far = self._horner(x, (a, -5 * a, 8 * a, -4 * a))
        return self._op("Where", self._op("LessOrEqual", x, self._number(1.0), part="is_near"), near, far, part="cubic")

    def _horner(self, x: str, factors: Sequence[float]) -> str:
        total = self._number(factors[0])
        for factor in factors[1:]:
            product = self._op("Mul", total, x, part="power")
            total = self._op("Add", product, self._number(factor), part="sum")
        return total

    def _one(self, places: str, size: int) -> str:
        """1 for the element at a place."""
        numbers = self.builder.constant(np.arange(size, dtype=np.float32), f"floats_{size}")
        equal = self._op("Equal", places, numbers, part="equal")
        return self._op("Cast", equal, part="one", to=onnx.TensorProto.FLOAT)

    def _column(self, flat: str, number: int) -> str:
        ends = [self.builder.constant(np.array([k], np.int64), f"number_{k}") for k in (number, number + 1, 2)]
        return self._op("Slice", flat, *ends, part="column")

    def _shaped(self, value: str, shape: Sequence[int], part: str) -> str:
        return self._op("Reshape", value, self.builder.constant(np.array(shape, np.int64), self.name), part=part)

    def _number(self, value: float) -> str:
        return self.builder.scalar(value)

    def _op(self, op_type: str, *inputs: str, part: str, **given: Any) -> str:
        return self.builder.op(op_type, *inputs, name=f"{self.name}.{part}", **given)


@rule("AffineGrid")
def affine_grid(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """AffineGrid of a size that is known."""
    theta, size, result = node.input[0], node.input[1], node.output[0]
    if size not in index.constants:
        return False
    _, _, *sizes = (int(number) for number in index.constants[size])
    ends = [1.0 if attributes(node).get("align_corners", 0) else 1 - 1 / count for count in sizes]
    lines = [np.linspace(-end, end, count) for end, count in zip(ends, sizes, strict=True)]
    parts = [*np.meshgrid(*lines, indexing="ij")][::-1]
    places = np.stack([*parts, np.ones(sizes)], -1).reshape(-1, len(sizes) + 1)
    constant = builder.constant(places.astype(index.dtype[theta]), f"{result}.places")
    found = builder.op("Einsum", theta, constant, name=f"{result}.rows", equation="nrc,pc->npr")
    shape = builder.constant(np.array(index.shape[result], np.int64), f"{result}.shape")
    builder.op("Reshape", found, shape, name=result, reserved=True)
    return True
