"""What a row of the kernel table computes, and how far off a kernel may be: the accuracy that the contracts ask for."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from haribote.kernel_table import TILE, KernelRow

Array = NDArray[Any]

SMALLEST = 2.0**-126
"""Below this there is only zero on the machine (isa.md, sections 11.1 and 11.2)."""
RELATIVE = {"Mul": 2.0**-22, "Exp": 2.0**-20, "Div": 2.0**-21}
"""Largest relative error of a result; sums and differences of two are rounded correctly."""
POSITIVE_ZERO = ("Add", "Sub", "Mul", "Exp")
"""A result below SMALLEST is +0."""
# Of a reduction, relative to the sum of the sizes of what is summed.
SUM_OF_ROWS, SUM_OF_COLUMNS = 2.0**-20, 2.0**-18
GEMM, GEMM_SPLIT = 2.0**-19, 2.0**-32
LARGEST = float(np.finfo(np.float32).max)


def meaning(row: KernelRow, arrays: tuple[Array, ...], constant: float = 1.0) -> tuple[Array, Array]:
    """The right result, in double precision, and the largest error allowed of each element; 0 = exact.

    constant: of a scaling. A result of DL and UL is compared by its bits, so here it is the input itself.
    """
    if row.op in ("DL", "UL"):
        return arrays[0], np.zeros(arrays[0].shape)
    if row.op == "OneHot":
        hot = arrays[0][:, None] == np.arange(TILE)
        return hot.astype(np.float64), np.zeros(hot.shape)
    values = tuple(_flush(array) for array in arrays)
    if row.op == "Gemm":
        return _gemm(row, values)
    if row.op == "ReduceSum":
        axis, share = (1, SUM_OF_ROWS) if row.variant == "rows" else (0, SUM_OF_COLUMNS)
        return values[0].sum(axis), share * np.abs(values[0]).sum(axis) + 16 * SMALLEST
    result = _element_wise(row, values, constant)
    tolerance = RELATIVE.get(row.op, 0.0) * np.where(np.isfinite(result), np.abs(result), 0)
    return result, tolerance + (2 * SMALLEST if row.op in RELATIVE else 0)


def not_meant(row: KernelRow, right: tuple[Array, Array], received: Array) -> Array:
    """Which elements of a result are not right: other bits after DL and UL, elsewhere further off than allowed. right:
    what is meant, as `meaning` gives it.
    """
    wanted, tolerance = right
    bits = np.ascontiguousarray(received).view(np.uint32)
    if row.op in ("DL", "UL"):
        return np.asarray(np.ascontiguousarray(wanted).view(np.uint32) != bits)
    with np.errstate(invalid="ignore"):
        wrong = ~((received == wanted) | (np.abs(received.astype(np.float64) - wanted) <= tolerance))
    if row.op in POSITIVE_ZERO:
        wrong |= (np.abs(wanted) < SMALLEST) & (bits == 0x80000000)
    return np.asarray(wrong)


def _element_wise(row: KernelRow, values: tuple[Array, ...], constant: float) -> Array:
    x = values[0]
    if row.op == "Relu":
        return np.maximum(x, 0)
    if row.op == "GreaterCast":
        return (x > 0).astype(np.float64)
    if row.op == "ReduceMax":
        largest: Array = x.max(axis=1)
        return largest
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        if row.op == "Exp":
            power = np.exp(x)
            return np.where(power > LARGEST, np.inf, power)
        y = np.float64(np.float32(constant)) if row.variant == "constant" else values[1]
        if row.variant == "rows":
            y = np.expand_dims(y, 1)
        if row.op in ("Add", "Sub"):
            single = np.add if row.op == "Add" else np.subtract
            return _flush(single(x.astype(np.float32), y.astype(np.float32)))
        result: Array = np.multiply(x, y) if row.op == "Mul" else np.divide(x, y)
    return result


def _gemm(row: KernelRow, values: tuple[Array, ...]) -> tuple[Array, Array]:
    a = values[0].T if row.variant == "transA" else values[0]
    b = values[1].T if row.variant == "transB" else values[1]
    sizes = np.abs(a) @ np.abs(b)
    split = GEMM_SPLIT * a.shape[1] * np.abs(a).max(initial=0) * np.abs(b).max(initial=0)
    whole = all(np.array_equal(value, np.rint(value)) for value in values) and sizes.max(initial=0) < 2**24
    return a @ b, np.zeros(sizes.shape) if whole else GEMM * sizes + split


def _flush(array: Array) -> Array:
    """Numbers below 2^-126 are zero on the machine."""
    values = array.astype(np.float64)
    return np.where(np.abs(values) < SMALLEST, 0.0, values)
