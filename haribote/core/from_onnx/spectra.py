"""Fourier transforms as products with cosines and sines.

DFT(x)         ->  Einsum(x, matrix), where real and imaginary parts are two places of the last axis
STFT(signal)   ->  the same of windows that are picked
"""

from __future__ import annotations

import numpy as np
import onnx
from numpy.typing import NDArray

from haribote.core.from_onnx.indexing import pick
from haribote.core.from_onnx.rules import rule
from haribote.graph import Builder, Index, attributes

Floats = NDArray[np.float32]


def transform(size: int, length: int, bins: int, parts: tuple[int, int], inverse: bool) -> Floats:
    """What a place of the signal adds to a bin: [size, parts in, bins, parts out], where a part is real or imaginary.

    size: of the signal, cut or filled up with zeros to `length`.
    """
    angles = 2 * np.pi * np.outer(np.arange(size), np.arange(bins)) / length * (1 if inverse else -1)
    real, imaginary = np.cos(angles), np.sin(angles)
    if inverse:
        real, imaginary = real / length, imaginary / length
    found = np.stack([np.stack([real, imaginary], -1), np.stack([-imaginary, real], -1)], 1)
    return np.asarray(found[:, : parts[0], :, : parts[1]] * (np.arange(size) < length)[:, None, None, None], np.float32)


@rule("DFT")
def fourier(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """DFT along an axis, and to a length, that are known."""
    x, result, given = node.input[0], node.output[0], attributes(node)
    wanted = [node.input[number] if len(node.input) > number else "" for number in (1, 2)]
    if any(name and name not in index.constants for name in wanted):
        return False
    shape, target = index.shape[x], index.shape[result]
    axis = int(index.constants[wanted[1]].item()) if wanted[1] else given.get("axis", -2)
    axis %= len(shape)
    inverse, half = bool(given.get("inverse", 0)), bool(given.get("onesided", 0))
    length = target[axis] if inverse and half else shape[axis]
    if wanted[0]:
        length = int(index.constants[wanted[0]].item())
    matrix = transform(shape[axis], length, target[axis], (shape[-1], target[-1]), inverse)
    if inverse and half:  # a bin stands for its conjugate too, which is left out
        bins = np.arange(shape[axis])
        twice = np.where((bins > 0) & (2 * bins < length), 2, 1) * (2 * bins <= length)
        matrix = matrix * twice[:, None, None, None].astype(np.float32)
    letters = "abcdefgh"[: len(shape) - 1]
    after = letters.replace(letters[axis], "z")
    constant = builder.constant(matrix.astype(index.dtype[x]), f"{result}.matrix")
    equation = f"{letters}r,{letters[axis]}rzs->{after}s"
    builder.op("Einsum", x, constant, name=result, reserved=True, equation=equation)
    return True


@rule("STFT")
def short_time(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """STFT with steps and window that are known or computed before it runs."""
    names = [*node.input, *[""] * (4 - len(node.input))]
    x, step, window, length = names[:4]
    if any(name and name not in index.constants for name in (step, length)):
        return False
    (batch, size, parts), result = index.shape[x], node.output[0]
    taps = index.shape[window][0] if window else int(index.constants[length].item())
    _, frames, bins, _ = index.shape[result]
    places = np.arange(frames)[:, None] * int(index.constants[step].item()) + np.arange(taps)[None]
    rows = np.arange(batch)[:, None, None, None] * size + places[None, :, :, None]
    framed = builder.fresh(f"{result}.frames")
    pick(builder, x, rows * parts + np.arange(parts), framed)
    if window:
        sizes = builder.constant(np.array([1, 1, taps, 1], np.int64), f"{result}.sizes")
        wide = builder.op("Reshape", window, sizes, name=f"{result}.window")
        framed = builder.op("Mul", framed, wide, name=f"{result}.windowed")
    matrix = transform(taps, taps, bins, (parts, 2), False)
    constant = builder.constant(matrix.astype(index.dtype[x]), f"{result}.matrix")
    builder.op("Einsum", framed, constant, name=result, reserved=True, equation="nfkr,krzs->nfzs")
    return True
