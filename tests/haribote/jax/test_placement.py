"""What the chip does not take is computed by the host, in as few parts as the order of values allows."""

from __future__ import annotations

import numpy as np
import pytest

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402

from haribote.jax import mnjit  # noqa: E402
from haribote.jax.placement import parts  # noqa: E402

X = np.linspace(-1, 1, 8, dtype=np.float32)[[3, 1, 0, 2, 7, 5, 6, 4]]


def function(x: jax.Array) -> jax.Array:
    return jnp.sort(x * 2) + jnp.exp(x) + jnp.sort(x + 1)


def test_parts_are_few() -> None:
    flat = mnjit(function).compiled(X).flat
    found = parts(flat.items, "chip")
    assert [device for _, device in found] == ["chip", "host", "chip"]
    names = [[item.name for item in part] for part, _ in found if isinstance(part, list)]
    assert names == [["mul", "exp", "add"], ["sort", "sort"], ["add", "add"]]
    assert [device for _, device in parts(flat.items, "host")] == ["host"]


def test_both_devices_take_part() -> None:
    compiled = mnjit(function)
    np.testing.assert_allclose(compiled(X), jax.jit(function)(X), rtol=1e-6)
    program = compiled.compiled(X).program
    assert program.coverage == "5 of 7" and program.cycles


def test_random_words_are_made_by_the_host() -> None:
    def noisy(key: jax.Array, x: jax.Array) -> jax.Array:
        return x + jax.random.uniform(key, x.shape)

    flat = mnjit(noisy).compiled(jax.random.PRNGKey(0), X).flat
    assert [device for _, device in parts(flat.items, "chip")] == ["host", "chip"]
