"""What is known while tracing has the value that it has in a program."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402

from tests.haribote.jax.test_mnjit import X, both  # noqa: E402


def test_axes_that_a_reshape_turns() -> None:
    both(lambda x: x[0] + jax.lax.reshape(jnp.arange(12.0).reshape(4, 3), (3, 4), (1, 0)), X)
    both(jax.jacfwd(lambda x: jnp.prod(x, 1).sum()), X)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32])
def test_floats_beyond_an_integer_type(dtype: Any) -> None:
    both(lambda x: (jnp.array([3e9, -3e9, 1e20, jnp.inf, -jnp.inf, 2.7]).astype(dtype), x), X)


def test_whether_any_of_none() -> None:
    both(lambda x: (x.any(), x.any(0), x.any(1, keepdims=True), x.all(), x.all(1)), np.zeros((3, 0), np.bool_))
