"""Random numbers: keys are their words, and what makes bits of them is written out as JAX's own generator says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from haribote.jax.flat.values import Value
from haribote.jax.flat.walk import Walk


def _each(function: Callable[..., Any], axes: int) -> Callable[..., Any]:
    """The function on every key of an array of keys."""
    for _ in range(axes):
        function = jax.vmap(function)
    return function


def _bits(walk: Walk, equation: Any, inputs: list[Value]) -> list[Value]:
    key, params = equation.invars[0].aval, equation.params

    def draw(words: Any) -> Any:
        return key.dtype._impl.random_bits(words, bit_width=params["bit_width"], shape=params["shape"])

    return walk.trace(_each(draw, key.ndim), *inputs)


def _split(walk: Walk, equation: Any, inputs: list[Value]) -> list[Value]:
    key, shape = equation.invars[0].aval, equation.params["shape"]
    return walk.trace(_each(lambda words: key.dtype._impl.split(words, shape), key.ndim), *inputs)


def _fold_in(walk: Walk, equation: Any, inputs: list[Value]) -> list[Value]:
    key = equation.invars[0].aval
    return walk.trace(_each(lambda words, data: key.dtype._impl.fold_in(words, data), key.ndim), *inputs)


def _seed(walk: Walk, equation: Any, inputs: list[Value]) -> list[Value]:
    impl, ndim = equation.params["impl"], equation.invars[0].aval.ndim
    return walk.trace(_each(impl.seed, ndim), *inputs)


def _threefry(walk: Walk, equation: Any, inputs: list[Value]) -> list[Value]:
    """The rounds of the generator, on 32-bit words."""
    if all(isinstance(value, np.ndarray) for value in inputs):
        return walk.folded(equation, inputs)
    return walk.trace(threefry, *inputs)


def threefry(key_0: Any, key_1: Any, x_0: Any, x_1: Any) -> tuple[Any, Any]:
    """Threefry-2x32 with 20 rounds (Salmon and others, "Parallel random numbers: as easy as 1, 2, 3", 2011)."""
    turns = ((13, 15, 26, 6), (17, 29, 16, 24))
    keys = (key_0, key_1, key_0 ^ key_1 ^ np.uint32(0x1BD11BDA))
    x_0, x_1 = x_0 + keys[0], x_1 + keys[1]
    for block in range(5):
        for turn in turns[block % 2]:
            x_0 = x_0 + x_1
            x_1 = ((x_1 << np.uint32(turn)) | (x_1 >> np.uint32(32 - turn))) ^ x_0
        x_0 = x_0 + keys[(block + 1) % 3]
        x_1 = x_1 + keys[(block + 2) % 3] + np.uint32(block + 1)
    return x_0, x_1


KEYS: dict[str, Callable[[Walk, Any, list[Value]], list[Value]]] = {
    "random_bits": _bits,
    "random_split": _split,
    "random_fold_in": _fold_in,
    "random_seed": _seed,
    "threefry2x32": _threefry,
}
