"""Modules of flax (`nnx`) and optimisers of optax under `mnjit`, unchanged: twenty steps equal `jax.jit`'s."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

jax = pytest.importorskip("jax")
nnx = pytest.importorskip("flax.nnx", reason="flax is not installed: the extra jax has it")
optax = pytest.importorskip("optax", reason="optax is not installed: the extra jax has it")
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402

from haribote.jax import mnjit  # noqa: E402

STEPS = 20


class MLP(nnx.Module):
    def __init__(self, rngs: Any) -> None:
        self.first, self.norm = nnx.Linear(6, 16, rngs=rngs), nnx.LayerNorm(16, rngs=rngs)
        self.second = nnx.Linear(16, 4, rngs=rngs)

    def __call__(self, x: Any) -> Any:
        return self.second(nnx.gelu(self.norm(self.first(x))))


class CNN(nnx.Module):
    """Two convolutions, the second depthwise, and pooling of both kinds; BatchNorm keeps its averages."""

    def __init__(self, rngs: Any) -> None:
        self.first, self.norm = nnx.Conv(1, 4, (3, 3), rngs=rngs), nnx.BatchNorm(4, rngs=rngs)
        self.second = nnx.Conv(4, 8, (3, 3), feature_group_count=4, rngs=rngs)
        self.out = nnx.Linear(8, 4, rngs=rngs)

    def __call__(self, x: Any) -> Any:
        x = nnx.max_pool(nnx.relu(self.norm(self.first(x))), (2, 2), strides=(2, 2))
        return self.out(nnx.avg_pool(nnx.silu(self.second(x)), (4, 4)).reshape(x.shape[0], -1))


class Block(nnx.Module):
    """A block of a transformer between an embedding and the logits."""

    def __init__(self, rngs: Any) -> None:
        self.embed = nnx.Embed(12, 16, rngs=rngs)
        self.before, self.between = nnx.RMSNorm(16, rngs=rngs), nnx.LayerNorm(16, rngs=rngs)
        # the loss does not depend on the bias of a key: Adam would follow rounding there
        self.attention = nnx.MultiHeadAttention(2, 16, decode=False, use_bias=False, rngs=rngs)
        self.up, self.down = nnx.Linear(16, 32, rngs=rngs), nnx.Linear(32, 16, rngs=rngs)

    def __call__(self, ids: Any) -> Any:
        x = self.embed(ids)
        x = x + self.attention(self.before(x), mask=nnx.make_causal_mask(ids))
        x = x + self.down(nnx.gelu(self.up(self.between(x))))
        return self.embed.attend(x)


def mlp_batch(random: Any) -> tuple[Any, Any]:
    return random.normal(size=(8, 6)).astype(np.float32), random.integers(0, 4, 8)


def cnn_batch(random: Any) -> tuple[Any, Any]:
    return random.normal(size=(4, 8, 8, 1)).astype(np.float32), random.integers(0, 4, 4)


def text_batch(random: Any) -> tuple[Any, Any]:
    ids = random.integers(0, 12, (2, 7))
    return ids[:, :-1], ids[:, 1:]


CASES: dict[str, tuple[Callable[..., Any], Callable[[Any], tuple[Any, Any]], Callable[[], Any]]] = {
    "mlp": (MLP, mlp_batch, lambda: optax.adam(optax.cosine_decay_schedule(0.01, STEPS))),
    "cnn": (CNN, cnn_batch, lambda: optax.sgd(0.05, momentum=0.9, nesterov=True)),
    "transformer": (Block, text_batch, lambda: optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(0.01))),
}


def step_of(graph: Any, optimizer: Any) -> Callable[..., Any]:
    """A pure step of (parameters, other state, the optimiser's state, a batch)."""

    def step(parameters: Any, rest: Any, state: Any, x: Any, labels: Any) -> Any:
        def loss_of(parameters: Any) -> Any:
            model = nnx.merge(graph, parameters, rest, copy=True)  # of its own: BatchNorm writes to it
            loss = optax.softmax_cross_entropy_with_integer_labels(model(x), labels).mean()
            return loss, nnx.state(model, nnx.Not(nnx.Param))

        (loss, rest), gradients = jax.value_and_grad(loss_of, has_aux=True)(parameters)
        updates, state = optimizer.update(gradients, state, parameters)
        return optax.apply_updates(parameters, updates), rest, state, loss

    return step


SLOW = [pytest.param(name, marks=pytest.mark.slow) for name in CASES if name != "mlp"]


@pytest.mark.parametrize("name", ["mlp", *SLOW])
@pytest.mark.parametrize("device", ["host", pytest.param("chip", marks=pytest.mark.slow)])
def test_training_is_that_of_jax_jit(name: str, device: Any) -> None:
    make, batch, optimiser = CASES[name]
    graph, parameters, rest = nnx.split(make(nnx.Rngs(0)), nnx.Param, ...)
    optimizer, random = optimiser(), np.random.default_rng(0)
    step = step_of(graph, optimizer)
    ours, theirs = mnjit(step, donate_argnums=(0, 1, 2), device=device), jax.jit(step)
    mine = wanted = (parameters, rest, optimizer.init(parameters))
    for _ in range(STEPS):
        x, labels = batch(random)
        *mine, loss = ours(*mine, jnp.asarray(x), jnp.asarray(labels))
        *wanted, truth = theirs(*wanted, jnp.asarray(x), jnp.asarray(labels))
        assert float(loss) == pytest.approx(float(truth), rel=1e-5, abs=1e-5)
    for one, other in zip(jax.tree.leaves(mine), jax.tree.leaves(wanted), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)
