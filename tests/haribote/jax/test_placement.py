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
    """A sum in float64 between values of float32."""
    total = jnp.sum((x * 2).astype(jnp.float64) ** 2)
    return jnp.exp(x) + total.astype(jnp.float32)


def test_parts_are_few() -> None:
    with jax.enable_x64(True):
        flat = mnjit(function).compiled(X).flat
    found = parts(flat.items, "chip")
    assert [device for _, device in found] == ["chip", "host", "chip"]
    names = [[item.name for item in part] for part, _ in found if isinstance(part, list)]
    assert names[0] == ["mul", "exp"] and names[2] == ["add"]
    assert "reduce_sum" in names[1]
    assert [device for _, device in parts(flat.items, "host")] == ["host"]


def test_both_devices_take_part() -> None:
    with jax.enable_x64(True):
        compiled = mnjit(function)
        np.testing.assert_allclose(compiled(X), jax.jit(function)(X), rtol=1e-6)
        program = compiled.compiled(X).program
    on_chip, _, nodes = program.coverage.split()
    assert (on_chip, program.cycles is not None) == ("3", True) and int(nodes) > 3


def test_random_words_are_made_by_the_chip() -> None:
    def noisy(key: jax.Array, x: jax.Array) -> jax.Array:
        return x + jax.random.uniform(key, x.shape)

    flat = mnjit(noisy).compiled(jax.random.PRNGKey(0), X).flat
    assert [device for _, device in parts(flat.items, "chip")] == ["chip"]
