"""ONNX's reference, with the operators that it computes wrongly as they are meant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx.reference import ReferenceEvaluator
from onnx.reference.op_run import OpRun
from onnx.reference.ops.op_max_pool import MaxPool as OriginalPool

Array = NDArray[Any]
Sizes = Sequence[int] | None


class ConvTranspose(OpRun):
    """Every kernel element adds its share of the image; the original fails for groups, dilated kernels that are not
    square, and an output padding that is not below the stride.
    """

    op_domain = ""

    def _run(
        self, x: Array, w: Array, b: Array | None = None, auto_pad: str = "NOTSET", dilations: Sizes = None,
        group: int = 1, kernel_shape: Sizes = None, output_padding: Sizes = None, output_shape: Sizes = None,
        pads: Sizes = None, strides: Sizes = None,
    ) -> tuple[Array]:  # fmt: skip
        image, kernel = x.shape[2:], w.shape[2:]
        rank = len(image)
        steps, dilations = strides or [1] * rank, dilations or [1] * rank
        along = zip(image, kernel, steps, dilations, output_padding or [0] * rank, strict=True)
        whole = [step * (n - 1) + (k - 1) * d + 1 + more for n, k, step, d, more in along]
        before, behind = _borders(whole, image, steps, auto_pad, output_shape, pads or [0] * 2 * rank)
        found = np.zeros((len(x), w.shape[1] * group, *whole), x.dtype)
        images, kernels = np.split(x, group, 1), np.split(w, group)
        for place in np.ndindex(*kernel):
            at: Any = (..., *place)
            shares = [np.tensordot(v[at], u, (0, 1)) for u, v in zip(images, kernels, strict=True)]
            starts = [p * d for p, d in zip(place, dilations, strict=True)]
            there: Any = (slice(a, a + s * (n - 1) + 1, s) for a, n, s in zip(starts, image, steps, strict=True))
            found[(..., *there)] += np.concatenate(shares).swapaxes(0, 1)
        ends = list(zip(before, behind, strict=True))
        found = np.pad(found, [(0, 0), (0, 0), *((max(-a, 0), max(-z, 0)) for a, z in ends)])
        found = found[(..., *(slice(max(a, 0), -z if z > 0 else None) for a, z in ends))]
        return (found if b is None else found + b.reshape(-1, *[1] * rank),)


def _borders(
    whole: Sequence[int], image: Sequence[int], steps: Sequence[int], auto_pad: str, output_shape: Sizes,
    pads: Sequence[int],
) -> tuple[list[int], list[int]]:  # fmt: skip
    """What a transposed convolution's whole result loses before and behind on each axis; below 0, what it gains."""
    rank = len(whole)
    if output_shape is None and not auto_pad.startswith("SAME"):
        return (list(pads[:rank]), list(pads[rank:])) if auto_pad == "NOTSET" else ([0] * rank, [0] * rank)
    wanted = output_shape or [n * step for n, step in zip(image, steps, strict=True)]
    total = [n - want for n, want in zip(whole, wanted[-rank:], strict=True)]
    half = [n // 2 for n in total]
    rest = [n - h for n, h in zip(total, half, strict=True)]
    return (half, rest) if auto_pad == "SAME_UPPER" else (rest, half)


class MaxPool(OriginalPool):
    """By the way that the original takes where a stride is not 1; the other one gives other places, and fails for rows
    with padding.
    """

    op_domain = ""

    def _run(self, x: Array, **given: Any) -> tuple[Array, ...]:  # type: ignore[override]
        pool: Any = self._max_pool
        found: tuple[Array, ...] = pool(x, **given)
        return found


class LogSoftmax(OpRun):
    """x less the logarithm of the sum of its exponentials. The original takes the logarithm of the softmax, which is
    -inf where x is 104 or more below the largest.
    """

    op_domain = ""

    def _run(self, x: Array, axis: int = -1) -> tuple[Array]:
        less = x - x.max(axis, keepdims=True)
        return (less - np.log(np.exp(less).sum(axis, keepdims=True)),)


class LRN(OpRun):
    """By the sum of the squares of so many channels; the original has it for as many channels as there are images."""

    op_domain = ""

    def _run(self, x: Array, size: int, alpha: float = 1e-4, beta: float = 0.75, bias: float = 1.0) -> tuple[Array]:
        channels, before = x.shape[1], (size - 1) // 2
        around = [slice(max(k - before, 0), k - before + size) for k in range(channels)]
        total = np.stack([(x[:, part] ** 2).sum(1) for part in around], 1)
        return ((x / (bias + alpha / size * total) ** beta).astype(x.dtype),)


class LpNormalization(OpRun):
    """By the sum of sizes, or the root of the sum of squares; the original sums numbers, not their sizes."""

    op_domain = ""

    def _run(self, x: Array, axis: int = -1, p: int = 2) -> tuple[Array]:
        norm = (np.abs(x) ** p).sum(axis, keepdims=True) ** (1 / p)
        return (np.divide(x, norm, out=np.zeros_like(x), where=norm != 0),)


class Pad(OpRun):
    """Below 0 a width cuts elements off, which the original fails at."""

    op_domain = ""

    def _run(
        self, x: Array, pads: Sequence[int], value: Any = None, axes: Sequence[int] | None = None,
        mode: str = "constant",
    ) -> tuple[Array]:  # fmt: skip
        ends, count = [(0, 0)] * x.ndim, len(pads) // 2
        for axis, before, behind in zip(
            range(x.ndim) if axes is None else axes, pads[:count], pads[count:], strict=True
        ):
            ends[axis] = int(before), int(behind)
        left: Any = tuple(slice(max(-a, 0), max(n + min(z, 0), 0)) for n, (a, z) in zip(x.shape, ends, strict=True))
        more = [(max(a, 0), max(z, 0)) for a, z in ends]
        how: Any = {"constant_values": 0 if value is None else value} if mode == "constant" else {}
        return (np.pad(x[left], more, mode, **how).astype(x.dtype),)  # type: ignore[call-overload]


class Mul(OpRun):
    """As the machine multiplies: 0 times anything is 0, on which masks count that are products."""

    op_domain = ""

    def _run(self, x: Array, y: Array) -> tuple[Array]:
        found: Array = x * y
        return (np.where((x == 0) | (y == 0), found.dtype.type(0), found),)


_MENDED: list[type[OpRun]] = [ConvTranspose, LogSoftmax, LpNormalization, LRN, MaxPool, Pad]


class _Evaluator(ReferenceEvaluator):
    """In the bodies of functions and in inner graphs too, which it makes more of its kind for."""

    def __init__(self, proto: Any, **given: Any) -> None:
        super().__init__(proto, **{"new_ops": _MENDED, **given})


def evaluator(
    computed: onnx.ModelProto | onnx.NodeProto, opsets: Mapping[str, int] | None = None
) -> ReferenceEvaluator:
    """What computes a model, or a node of some opsets (None: as a node alone says)."""
    return _Evaluator(computed, opsets=None if opsets is None else dict(opsets))


def beside_the_machine(computed: onnx.ModelProto) -> ReferenceEvaluator:
    """What computes a node on the host between programs of the machine."""
    return _Evaluator(computed, new_ops=[*_MENDED, Mul])
