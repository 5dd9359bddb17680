"""A small program for every primitive: what the table of primitives and the tests run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from haribote.jax.flat.values import Array


@dataclass(frozen=True)
class Sample:
    """A program that has the primitive in it, and arguments for it."""

    primitive: str
    function: Callable[..., Any]
    arguments: tuple[Array, ...]


def _numbers(*shape: int, low: float = -2.0, high: float = 2.0) -> Array:
    """Numbers of float32 that are not sorted, each another one."""
    count = int(np.prod(shape))
    order = np.random.default_rng(count).permutation(count)
    return (low + (high - low) * (order + 0.5) / count).astype(np.float32).reshape(shape)


def _whole(*shape: int, low: int = -9, high: int = 9) -> Array:
    return np.random.default_rng(7).integers(low, high, shape).astype(np.int32)


def _pooled(x: Any) -> Any:
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")


X = _numbers(6, 8)
Y = _numbers(6, 8)[::-1].copy()
POSITIVE = _numbers(6, 8, low=0.1, high=4.0)
INSIDE = _numbers(6, 8, low=-0.95, high=0.95)
ABOVE = _numbers(6, 8, low=1.05, high=4.0)
WHOLE, SMALL = _whole(6, 8), _whole(6, 8, low=1, high=5)
TRUE, OTHER = WHOLE > 0, SMALL > 2
IMAGE = _numbers(1, 2, 6, 6)
KERNEL = _numbers(3, 2, 3, 3)

UNARY: dict[str, tuple[Callable[..., Any], Array]] = {
    "abs": (lax.abs, X),
    "acos": (lax.acos, INSIDE),
    "acosh": (lax.acosh, ABOVE),
    "asin": (lax.asin, INSIDE),
    "asinh": (lax.asinh, X),
    "atan": (lax.atan, X),
    "atanh": (lax.atanh, INSIDE),
    "bessel_i0e": (lax.bessel_i0e, X),
    "bessel_i1e": (lax.bessel_i1e, X),
    "cbrt": (lax.cbrt, X),
    "ceil": (lax.ceil, X),
    "cos": (lax.cos, X),
    "cosh": (lax.cosh, X),
    "digamma": (lax.digamma, POSITIVE),
    "erf": (lax.erf, X),
    "erf_inv": (lax.erf_inv, INSIDE),
    "erfc": (lax.erfc, INSIDE),
    "exp": (lax.exp, X),
    "exp2": (lax.exp2, X),
    "expm1": (lax.expm1, X),
    "floor": (lax.floor, X),
    "is_finite": (lax.is_finite, X),
    "lgamma": (lax.lgamma, X),
    "log": (lax.log, POSITIVE),
    "log1p": (lax.log1p, POSITIVE),
    "logistic": (lax.logistic, X),
    "neg": (lax.neg, X),
    "not": (lax.bitwise_not, WHOLE),
    "round": (lambda x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN), X),
    "rsqrt": (lax.rsqrt, POSITIVE),
    "sign": (lax.sign, X),
    "sin": (lax.sin, X),
    "sinh": (lax.sinh, X),
    "sqrt": (lax.sqrt, POSITIVE),
    "square": (lax.square, X),
    "tan": (lax.tan, INSIDE),
    "tanh": (lax.tanh, X),
}
BINARY: dict[str, tuple[Callable[..., Any], Array, Array]] = {
    "add": (lax.add, X, Y),
    "add_any": (lambda x, y: jax.vjp(lambda z: z * x + jnp.sin(z), y)[1](x)[0], X, Y),
    "and": (lax.bitwise_and, WHOLE, SMALL),
    "atan2": (lax.atan2, X, Y),
    "div": (lax.div, X, POSITIVE),
    "eq": (lax.eq, WHOLE, SMALL),
    "ge": (lax.ge, X, Y),
    "gt": (lax.gt, X, Y),
    "le": (lax.le, WHOLE, SMALL),
    "lt": (lax.lt, X, Y),
    "max": (lax.max, X, Y),
    "min": (lax.min, X, Y),
    "mul": (lax.mul, X, Y),
    "ne": (lax.ne, TRUE, OTHER),
    "or": (lax.bitwise_or, TRUE, OTHER),
    "polygamma": (lambda x: lax.polygamma(2.0, x), POSITIVE),
    "pow": (lax.pow, POSITIVE, X),
    "rem": (lax.rem, X, POSITIVE),
    "shift_left": (lax.shift_left, WHOLE, SMALL),
    "shift_right_arithmetic": (lambda x, y: lax.shift_right_arithmetic(x, y * 11), WHOLE, SMALL),
    "shift_right_logical": (lambda x, y: lax.shift_right_logical(x, y * 11), WHOLE, SMALL),
    "sub": (lax.sub, X, Y),
    "xor": (lax.bitwise_xor, WHOLE, SMALL),
    "zeta": (lambda x, q: lax.zeta(x + 1, q), ABOVE, POSITIVE),
}
OTHERS: dict[str, tuple[Any, ...]] = {
    "approx_top_k": (lambda x: lax.approx_min_k(x, 3), X),
    "argmax": (lambda x: lax.argmax(x, 1, np.int32), X),
    "argmin": (lambda x: lax.argmin(x, 0, np.int32), X),
    "bitcast_convert_type": (lambda x: lax.bitcast_convert_type(x, np.uint32), WHOLE),
    "broadcast_in_dim": (lambda x: lax.broadcast_in_dim(x[0], (3, 8, 2), (1,)), X),
    "clamp": (lambda x: lax.clamp(-0.5, x, 0.5), X),
    "concatenate": (lambda x, y: lax.concatenate([x, y], 0), X, Y),
    "conv_general_dilated": (lambda x, w: lax.conv(x, w, (1, 1), "SAME"), IMAGE, KERNEL),
    "convert_element_type": (lambda x: x.astype(np.int32), 4 * X),
    "cumlogsumexp": (lambda x: lax.cumlogsumexp(x, 1), X),
    "cummax": (lambda x: lax.cummax(x, 1), X),
    "cummin": (lambda x: lax.cummin(x, 0, reverse=True), X),
    "cumprod": (lambda x: lax.cumprod(x, 1), POSITIVE),
    "cumsum": (lambda x: lax.cumsum(x, 1), X),
    "dot_general": (lambda x, y: x @ y.T, X, Y),
    "dynamic_slice": (lambda x, i: lax.dynamic_slice(x, (i[0, 0], i[0, 1]), (2, 3)), X, SMALL),
    "dynamic_update_slice": (lambda x, i: lax.dynamic_update_slice(x, x[:2, :3], (i[0, 0], i[0, 1])), X, SMALL),
    "gather": (lambda x, i: x[i[:, 0]], X, SMALL),
    "integer_pow": (lambda x: x**3, X),
    "iota": (lambda x: x + lax.iota(np.float32, 8), X),
    "pad": (lambda x: lax.pad(x, 1.5, [(1, 2, 0), (-1, 2, 1)]), X),
    "random_bits": (lambda k: jax.random.bits(jax.random.wrap_key_data(k), (8,)), np.array([1, 2], np.uint32)),
    "random_fold_in": (
        lambda k: jax.random.key_data(jax.random.fold_in(jax.random.wrap_key_data(k), 3)),
        np.array([1, 2], np.uint32),
    ),
    "random_seed": (lambda i: jax.random.key_data(jax.random.key(i[0, 0])), SMALL),
    "random_split": (
        lambda k: jax.random.key_data(jax.random.split(jax.random.wrap_key_data(k))),
        np.array([1, 2], np.uint32),
    ),
    "reduce_and": (lambda x: jnp.all(x, 0), TRUE),
    "reduce_max": (lambda x: x.max(1), X),
    "reduce_min": (lambda x: x.min(), X),
    "reduce_or": (lambda x: jnp.any(x, 1), TRUE),
    "reduce_precision": (lambda x: lax.reduce_precision(x, 8, 23), X),
    "reduce_prod": (lambda x: jnp.prod(x, 1), X),
    "reduce_xor": (lambda x: lax.reduce_xor(x, (1,)), TRUE),
    "reduce_sum": (lambda x: x.sum(0), X),
    "reduce_window_max": (_pooled, IMAGE),
    "reduce_window_min": (lambda x: lax.reduce_window(x, jnp.inf, lax.min, (1, 1, 3, 3), (1, 1, 1, 1), "SAME"), IMAGE),
    "reduce_window_sum": (lambda x: lax.reduce_window(x, 0.0, lax.add, (1, 1, 2, 2), (1, 1, 2, 2), "VALID"), IMAGE),
    "reshape": (lambda x: x.reshape(4, 12) + 1, X),
    "rev": (lambda x: lax.rev(x, (0, 1)), X),
    "scatter": (lambda x, i: x.at[i[0, :2], 1].set(7.0, unique_indices=True), X, np.array([[5, 2]], np.int32)),
    "scatter-add": (lambda x, i: x.at[i[:, 0]].add(x[:6]), X, SMALL),
    "scatter-max": (lambda x, i: x.at[i[:, 0]].max(x[:6]), X, SMALL),
    "scatter-min": (lambda x, i: x.at[i[:, 0]].min(x[:6]), X, SMALL),
    "scatter-mul": (lambda x, i: x.at[i[:, 0]].multiply(x[:6]), X, SMALL),
    "scatter-sub": (lambda x, i: x.at[i[:, 0]].subtract(x[:6]), X, SMALL),
    "select_and_scatter_add": (
        jax.grad(lambda x: (_pooled(x) ** 2).sum()),
        IMAGE,
    ),
    "select_n": (lambda b, x, y: jnp.where(b, x, y), TRUE, X, Y),
    "slice": (lambda x: x[1:5, ::2], X),
    "sort": (lambda x, y: lax.sort((x, y), dimension=1, num_keys=1), X, Y),
    "split": (lambda x: lax.split(x, (2, 4), 0), X),
    "squeeze": (lambda x: lax.squeeze(x[:, :1], (1,)), X),
    "threefry2x32": (lambda k: jax.random.bits(jax.random.wrap_key_data(k), (4, 2)), np.array([3, 4], np.uint32)),
    "stack": (lambda x, y: jnp.stack([x, y], 1), X, Y),
    "tile": (lambda x: jnp.tile(x, (2, 1)), X),
    "top_k": (lambda x: lax.top_k(x, 3), X),
    "transpose": (lambda x: x.T + 1, X),
    "cond": (lambda x: lax.cond(x[0, 0] > 0, lambda v: v * 2, lambda v: v - 1, x), X),
    "scan": (lambda x: lax.scan(lambda c, row: (c + row, c.sum()), x[0], x), X),
    "while": (lambda x: lax.fori_loop(0, 3, lambda i, c: c * 0.5 + i, x), X),
    "custom_jvp_call": (jax.nn.relu, X),
    "custom_vjp_call": (jax.nn.silu, X),
    "unstack": (lambda x: jnp.unstack(x, axis=1)[2:4], X),
    "remat2": (jax.grad(lambda x: jax.checkpoint(jnp.sin)(x).sum()), X),
}


def samples() -> list[Sample]:
    """One for every primitive, by name."""
    groups: Sequence[dict[str, Any]] = (UNARY, BINARY, OTHERS)
    found = {name: Sample(name, entry[0], tuple(entry[1:])) for group in groups for name, entry in group.items()}
    return [found[name] for name in sorted(found)]
