"""Values for programs of one operation each, and the programs that compute element by element, and reduce."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

aten, prims = torch.ops.aten, torch.ops.prims
GENERATOR = torch.Generator().manual_seed(1)
X = torch.randn(4, 6, generator=GENERATOR)
Y = torch.randn(4, 6, generator=GENERATOR)
POSITIVE = X.abs() + 0.5
WITHIN = X / 4
N = torch.randint(-9, 9, (4, 6), generator=GENERATOR)
M = torch.randint(1, 5, (4, 6), generator=GENERATOR)
TRUE = X > 0
OTHER = Y > 0
ROWS = torch.tensor([3, 0, 2])
IMAGES = torch.randn(2, 3, 8, 8, generator=GENERATOR)
KERNEL = torch.randn(4, 3, 3, 3, generator=GENERATOR)
A, B = torch.randn(2, 3, 4, generator=GENERATOR), torch.randn(2, 4, 5, generator=GENERATOR)
C = torch.randn(2, 3, 5, generator=GENERATOR)
LABELS = torch.tensor([0, 5, 2, 2])
SPECIAL = torch.tensor([1.0, torch.inf, -torch.inf, torch.nan, 0.0])


@dataclass(frozen=True)
class Case:
    """A program and its arguments."""

    name: str
    function: Callable[..., Any]
    args: tuple[Tensor, ...]


def cases(**found: tuple[Any, ...]) -> list[Case]:
    return [Case(name, function, args) for name, (function, *args) in found.items()]


ELEMENTWISE = cases(
    **{
        name: (getattr(torch, name), X)
        for name in (
            "abs",
            "neg",
            "ceil",
            "floor",
            "round",
            "trunc",
            "sign",
            "exp",
            "exp2",
            "sigmoid",
            "tanh",
            "sin",
            "cos",
            "sinh",
            "cosh",
            "asinh",
            "atan",
            "erf",
            "expm1",
            "relu",
        )
    },
    **{
        name: (getattr(torch, name), POSITIVE)
        for name in ("log", "log2", "log10", "log1p", "sqrt", "rsqrt", "reciprocal")
    },
    **{name: (getattr(torch, name), WITHIN) for name in ("asin", "acos", "atanh", "tan")},
    acosh=(torch.acosh, POSITIVE + 1),
    arithmetic=(
        lambda x, y: (x + y, x - y, x * y, x / (y.abs() + 1), torch.add(x, y, alpha=-2), 3 - x, x + 2, x / 4),
        X,
        Y,
    ),
    integers=(
        lambda n, m: (
            n + m,
            n - m,
            n * m,
            n // m,
            n % m,
            -n,
            n.abs(),
            n / m,
            n + 0.5,
            torch.div(n, m, rounding_mode="trunc"),
        ),
        N,
        M,
    ),
    integer_functions=(lambda n: (torch.exp(n / 4), torch.sqrt(n.abs()), torch.floor(n), torch.trunc(n), n.sign()), N),
    mixed=(lambda x, n, t: (x + n, x * t, t + n, t.float() - x, t + t, t * t), X, N, TRUE),
    quotients=(
        lambda x, y: (
            x // y,
            x % y,
            torch.div(x, y, rounding_mode="trunc"),
            torch.fmod(x, 0.75),
            x % 0.5,
            torch.fmod(x, y),
        ),
        X,
        POSITIVE,
    ),
    large=(lambda x: torch.hypot(x * 1e38, x.flip(0) * 1e38), WITHIN.sign() + WITHIN / 4),
    powers=(lambda x, p: (x**2, x**3, x**4, p**0.5, p**-0.5, x**-1, p**1.7, x**1, x**0), X, POSITIVE),
    computed_powers=(lambda x, p: (p**x, 2.0**x), X, POSITIVE),
    overloads=(
        lambda x: (
            aten.add.Scalar(x, 2),
            aten.sub.Scalar(x, 2),
            aten.mul.Scalar(x, 2),
            aten.div.Scalar(x, 2),
            aten.div.Scalar_mode(x, 0.3, rounding_mode="floor"),
            aten.div.Tensor_mode(x, x.abs() + 1, rounding_mode=None),
        ),
        X,
    ),
    in_place=(lambda x: x.clone().add_(1).mul_(2).sub_(3).div_(4).relu_().sigmoid_().tanh_().clamp_(0.1), X),
    gelu=(lambda x: (F.gelu(x), F.gelu(x, approximate="tanh")), X),
    activations=(
        lambda x: (
            F.silu(x),
            F.leaky_relu(x),
            F.elu(x),
            F.selu(x),
            F.hardtanh(x),
            F.softplus(x),
            F.mish(x),
            F.hardswish(x),
            F.relu6(x),
        ),
        X,
    ),
)
COMPARISON = cases(
    comparisons=(
        lambda x, y: (x == y, x != y, x < y, x <= y, x > y, x >= y, x == 0.0, x != 1, x < 0, x <= 0, x > 0, x >= 0),
        X,
        Y,
    ),
    integer_comparisons=(lambda n, m: (n == m, n != m, n < m, n >= 3, n > 0.5), N, M),
    logic=(
        lambda t, o: (
            t & o,
            t | o,
            t ^ o,
            ~t,
            t == o,
            torch.logical_and(t, o),
            torch.logical_or(t, o),
            torch.logical_xor(t, o),
            torch.logical_not(t),
        ),
        TRUE,
        OTHER,
    ),
    bits=(
        lambda n, m: (
            n & m,
            n | m,
            n ^ m,
            ~n,
            aten.bitwise_and.Scalar(n, 3),
            aten.bitwise_or.Scalar(n, 3),
            aten.bitwise_xor.Scalar(n, 3),
        ),
        N,
        M,
    ),
    not_numbers=(lambda x: (torch.isnan(x), torch.isinf(x)), SPECIAL),
    where=(
        lambda t, x, y: (
            torch.where(t, x, y),
            torch.where(t, x, 0.0),
            torch.where(t, 1.0, y),
            torch.where(t, 1.0, 2.0),
        ),
        TRUE,
        X,
        Y,
    ),
    masked=(lambda x, t: (x.masked_fill(t, -5.0), x.masked_fill(t, torch.tensor(7.0))), X, TRUE),
    limits=(
        lambda x, y: (
            torch.maximum(x, y),
            torch.minimum(x, y),
            x.clamp(-0.5, 0.5),
            x.clamp(min=0.1),
            x.clamp(max=0.1),
            torch.clamp(x, y, y + 1),
            x.clamp_min(0.2),
            x.clamp_max(0.2),
            aten.clamp_min.Tensor(x, y),
            aten.clamp_max.Tensor(x, y),
        ),
        X,
        Y,
    ),
    hardtanh=(lambda x: aten.hardtanh.default(x), X),
)
REDUCTION = cases(
    sums=(
        lambda x: (
            x.sum(),
            x.sum(1),
            x.sum((0, 1), keepdim=True),
            x.sum(-1, keepdim=True),
            x.mean(),
            x.mean(0),
            x.mean((0, 1)),
        ),
        X,
    ),
    integer_sums=(lambda n, t: (n.sum(), t.sum(1), n.sum(0), t.float().mean()), N, TRUE),
    extremes=(lambda x: (x.amax(), x.amax(1), x.amin((0, 1)), x.max(), x.min(), x.amin(0, keepdim=True)), X),
    places=(
        lambda x: (*x.max(1), *x.min(0, keepdim=True), x.argmax(1), x.argmin(0), x.argmax(), x.argmin(1, keepdim=True)),
        X,
    ),
    truths=(
        lambda t, x: (
            t.any(),
            t.all(),
            t.any(1),
            t.all(0),
            torch.any(x, 1, keepdim=True),
            aten.any.dims(t, [0, 1]),
            aten.all.dims(t, [0, 1]),
        ),
        TRUE,
        X,
    ),
    products=(lambda x: (x.prod(), x.prod(1)), X),
    variance=(
        lambda x: (
            x.var(),
            x.var(1),
            x.var(0, correction=0, keepdim=True),
            x.std(1),
            *torch.var_mean(x, 1),
            *torch.var_mean(x, 0, keepdim=True),
        ),
        X,
    ),
    running=(lambda x: (x.cumsum(0), x.cumsum(1)), X),
    running_products=(lambda x: (x.cumprod(0), x.cumprod(-1)), X),
    softmax=(lambda x, c: (x.softmax(1), x.softmax(0), x.log_softmax(1), c.log_softmax(1), c.softmax(-1)), X, C),
    norms=(lambda x: (x.norm(), torch.linalg.vector_norm(x, dim=1), torch.logsumexp(x, 1)), X),
)
