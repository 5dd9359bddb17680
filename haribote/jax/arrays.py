"""Arrays between JAX and NumPy, the memory shared where both can."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from haribote.jax.flat.values import Array


def to_numpy(value: Any, aval: Any) -> Array:
    """A leaf of the arguments as the array that the program reads; of a jax.Array on the CPU it is the same memory."""
    if jax.dtypes.issubdtype(aval.dtype, jax.dtypes.extended):
        value = jax.random.key_data(value)
        return np.asarray(value, np.uint32)
    return np.asarray(value, aval.dtype)


def to_jax(array: Array, aval: Any) -> jax.Array:
    """A result as a jax.Array of that type; the same memory where it is aligned as JAX needs it."""
    if jax.dtypes.issubdtype(aval.dtype, jax.dtypes.extended):
        return jax.random.wrap_key_data(jnp.asarray(array), impl=aval.dtype._impl.name)
    if aval.weak_type:
        return weak(shared(array))
    return shared(array)


def shared(array: Array) -> jax.Array:
    """A jax.Array of the same memory, where that begins at a multiple of 64 bytes; else of a copy."""
    result: jax.Array = jax.device_put(array, may_alias=True)
    return result


def weak(array: jax.Array) -> jax.Array:
    """The array with a type that gives way, as that of a Python number."""
    from jax._src.lax.lax import _convert_element_type

    return _convert_element_type(array, weak_type=True)
