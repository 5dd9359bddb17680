"""Arrays cross between JAX and NumPy without a copy where both can."""

from __future__ import annotations

import numpy as np
import pytest

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402

from haribote.jax import mnjit  # noqa: E402
from haribote.jax.arrays import shared, to_jax, to_numpy  # noqa: E402

AVAL = jax.core.ShapedArray((100_000,), np.float32)


def aligned(count: int) -> np.ndarray:
    """An array of float32 that begins at a multiple of 64 bytes."""
    room = np.zeros(4 * count + 64, np.uint8)
    start = -room.ctypes.data % 64
    return room[start : start + 4 * count].view(np.float32)


def test_an_argument_is_read_where_it_lies() -> None:
    x = jnp.arange(100_000, dtype=jnp.float32)
    assert to_numpy(x, AVAL).ctypes.data == x.unsafe_buffer_pointer()
    own = np.zeros(100_000, np.float32)
    assert to_numpy(own, AVAL) is own


def test_a_result_shares_aligned_memory() -> None:
    array = aligned(100_000)
    assert to_jax(array, AVAL).unsafe_buffer_pointer() == array.ctypes.data
    off = aligned(100_001)[1:]
    assert shared(off).unsafe_buffer_pointer() != off.ctypes.data  # JAX cannot


def test_what_a_call_passes_on_is_the_object_itself() -> None:
    x = jnp.arange(5.0)
    same, twice = mnjit(lambda x: (x, x * 2), device="host")(x)
    assert same is x and twice[1] == 2


def test_results_do_not_change_when_the_next_call_runs() -> None:
    function = mnjit(lambda x: x + 1, device="host")
    first = function(jnp.zeros(64))
    function(jnp.ones(64))
    assert (np.asarray(first) == 1).all()
