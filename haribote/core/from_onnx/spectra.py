"""Fourier transforms as products with cosines and sines.

DFT(x)         ->  Einsum(x, matrix), where real and imaginary parts are two places of the last axis
STFT(signal)   ->  the same of windows that are picked
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from haribote.core.from_onnx.rules import rule
from haribote.core.rewrite import Rewriter

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
def fourier(g: Rewriter) -> str | bool:
    """DFT along an axis, and to a length, that are known."""
    if not g.is_known(1, 2):
        return False
    x, shape, target = g.node.input[0], g.shapes[g.node.input[0]], g.shapes[g.result]
    axis = int(g.index.constants[g.input(2)].item()) if g.input(2) else g.given.get("axis", -2)
    axis %= len(shape)
    inverse, half = bool(g.given.get("inverse", 0)), bool(g.given.get("onesided", 0))
    length = target[axis] if inverse and half else shape[axis]
    if g.input(1):
        length = int(g.index.constants[g.input(1)].item())
    matrix = transform(shape[axis], length, target[axis], (shape[-1], target[-1]), inverse)
    if inverse and half:  # a bin stands for its conjugate too, which is left out
        bins = np.arange(shape[axis])
        twice = np.where((bins > 0) & (2 * bins < length), 2, 1) * (2 * bins <= length)
        matrix = matrix * twice[:, None, None, None].astype(np.float32)
    letters = "abcdefgh"[: len(shape) - 1]
    equation = f"{letters}r,{letters[axis]}rzs->{letters.replace(letters[axis], 'z')}s"
    return g.op("Einsum", x, g.constant(matrix.astype(g.dtypes[x]), "matrix"), equation=equation)


@rule("STFT")
def short_time(g: Rewriter) -> str | bool:
    """STFT with steps and window that are known or computed before it runs."""
    x, step, window, length = map(g.input, range(4))
    if not g.is_known(1, 3):
        return False
    batch, size, parts = g.shapes[x]
    taps = g.shapes[window][0] if window else int(g.index.constants[length].item())
    _, frames, bins, _ = g.shapes[g.result]
    places = np.arange(frames)[:, None] * int(g.index.constants[step].item()) + np.arange(taps)[None]
    rows = np.arange(batch)[:, None, None, None] * size + places[None, :, :, None]
    framed = g.pick(x, rows * parts + np.arange(parts), part="frames")
    if window:
        framed = g.op("Mul", framed, g.shaped(window, [1, 1, taps, 1], part="window"), part="windowed")
    matrix = transform(taps, taps, bins, (parts, 2), False)
    return g.op("Einsum", framed, g.constant(matrix.astype(g.dtypes[x]), "matrix"), equation="nfkr,krzs->nfzs")
