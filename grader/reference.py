"""What a kernel must give, and how far off it may be: the accuracy that the contracts in the stubs ask for."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from haribote.kernel import Op
from haribote.kernel_table import KernelRow

Array = NDArray[Any]

# Below this there is only zero on the machine (isa.md, sections 11.1 and 11.2).
SMALLEST = 2.0**-126
# Largest relative error of a result; of a reduction, relative to the sum of the sizes of what is summed.
RELATIVE = {"Add": 2.0**-23, "Sub": 2.0**-23, "Mul": 2.0**-22, "Exp": 2.0**-20, "Div": 2.0**-21}
SUM_OF_ROWS, SUM_OF_COLUMNS = 2.0**-20, 2.0**-18
GEMM, GEMM_SPLIT = 2.0**-19, 2.0**-32


def expected(row: KernelRow, op: Op, arrays: tuple[Array, ...]) -> tuple[Array, Array]:
    """The right result, in double precision, and the largest error allowed of each element; 0 = exact.

    A result of DL and UL is compared by its bits, so here it is the input itself.
    """
    if row.op in ("DL", "UL"):
        return arrays[0], np.zeros(arrays[0].shape)
    if row.op == "OneHot":
        return (arrays[0][:, None] == np.arange(16)).astype(np.float64), np.zeros((len(arrays[0]), 16))
    values = tuple(_flush(array) for array in arrays)
    if row.op == "Gemm":
        return _gemm(row, values)
    if row.op == "ReduceSum":
        axis, share = (1, SUM_OF_ROWS) if row.variant == "rows" else (0, SUM_OF_COLUMNS)
        return values[0].sum(axis), share * np.abs(values[0]).sum(axis) + 16 * SMALLEST
    result = _element_wise(row, op, values)
    tolerance = RELATIVE.get(row.op, 0.0) * np.where(np.isfinite(result), np.abs(result), 0)
    return result, tolerance + (2 * SMALLEST if row.op in RELATIVE else 0)


def _element_wise(row: KernelRow, op: Op, values: tuple[Array, ...]) -> Array:
    x = values[0]
    if row.op == "Relu":
        return np.maximum(x, 0)
    if row.op == "GreaterCast":
        return (x > 0).astype(np.float64)
    if row.op == "ReduceMax":
        largest: Array = x.max(axis=1)
        return largest
    if row.op == "Exp":
        return np.exp(x)
    y = np.float64(np.float32(op.attributes["constant"])) if row.variant == "constant" else values[1]
    if row.variant == "rows":
        y = np.expand_dims(y, 1)
    operation = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide}[row.op]
    result: Array = operation(x, y)
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
