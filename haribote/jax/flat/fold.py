"""Operations whose arguments are all known are computed while tracing: by NumPy where that is short, else by JAX."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import numpy as np

from haribote.jax.flat.values import Array

Compute = Callable[..., Array]


def compute(primitive: Any, arrays: Sequence[Array], params: Mapping[str, Any]) -> list[Array]:
    """The results of a primitive on arrays."""
    if primitive.name in QUICK:
        with np.errstate(all="ignore"):
            return [np.asarray(QUICK[primitive.name](*arrays, **params))]
    with jax.ensure_compile_time_eval():
        results = primitive.bind(*arrays, **params)
    return [np.asarray(result) for result in (results if primitive.multiple_results else [results])]


def broadcast(x: Array, shape: Sequence[int], broadcast_dimensions: Sequence[int], **_: Any) -> Array:
    """`broadcast_in_dim`, without a copy."""
    sizes = [1] * len(shape)
    for axis, size in zip(broadcast_dimensions, x.shape, strict=True):
        sizes[axis] = size
    return np.broadcast_to(x.reshape(sizes), shape)


def iota(*, dtype: Any, shape: Sequence[int], dimension: int, **_: Any) -> Array:
    """Numbers along an axis, without a copy."""
    numbers = np.arange(shape[dimension]).astype(dtype)
    return broadcast(numbers, shape, (dimension,))


def _convert(x: Array, new_dtype: Any, **_: Any) -> Array:
    if x.dtype.kind in "biu" or np.dtype(new_dtype).kind not in "iu":
        return x.astype(new_dtype)
    with jax.ensure_compile_time_eval():  # beyond the ends of a type JAX has its ends, and NumPy other numbers
        return np.asarray(jax.lax.convert_element_type(x, new_dtype))


def _reshape(x: Array, new_sizes: Sequence[int], dimensions: Sequence[int] | None, **_: Any) -> Array:
    return (x if dimensions is None else x.transpose(dimensions)).reshape(new_sizes)


def _transpose(x: Array, permutation: Sequence[int]) -> Array:
    return x.transpose(permutation)


def _select(which: Array, *cases: Array) -> Array:
    return np.choose(which.astype(np.int64), cases).astype(cases[0].dtype)


def _binary(function: Callable[..., Any]) -> Compute:
    def apply(x: Array, y: Array, **_: Any) -> Array:
        return np.asarray(function(x, y)).astype(x.dtype, copy=False)

    return apply


def _compared(function: Callable[..., Any]) -> Compute:
    def apply(x: Array, y: Array, **_: Any) -> Array:
        return np.asarray(function(x, y))

    return apply


QUICK: dict[str, Compute] = {
    "broadcast_in_dim": broadcast,
    "iota": iota,
    "convert_element_type": _convert,
    "reshape": _reshape,
    "transpose": _transpose,
    "select_n": _select,
    "add": _binary(np.add),
    "add_any": _binary(np.add),
    "sub": _binary(np.subtract),
    "mul": _binary(np.multiply),
    "max": _binary(np.maximum),
    "min": _binary(np.minimum),
    "eq": _compared(np.equal),
    "ne": _compared(np.not_equal),
    "lt": _compared(np.less),
    "le": _compared(np.less_equal),
    "gt": _compared(np.greater),
    "ge": _compared(np.greater_equal),
}
