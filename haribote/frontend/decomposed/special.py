"""Functions of numbers for which neither ONNX nor the chip has an operator."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

aten = torch.ops.aten


def copysign(x: Tensor, y: Tensor | float) -> Any:
    """The size of x with the sign of y."""
    if not x.is_floating_point():
        return NotImplemented
    if not isinstance(y, Tensor):
        return x.abs() if math.copysign(1, y) > 0 else -x.abs()
    return torch.where((y < 0) | ((y == 0) & (1 / y < 0)), -x.abs(), x.abs())


def addmv(x: Tensor, matrix: Tensor, vector: Tensor, beta: float = 1, alpha: float = 1) -> Tensor:
    """beta x + alpha matrix vector."""
    return _added(x, beta, torch.mv(matrix, vector), alpha)


def addmm(x: Tensor, a: Tensor, b: Tensor, beta: float = 1, alpha: float = 1) -> Any:
    """beta x + alpha a b; the product with a bias has a rule."""
    return NotImplemented if beta == alpha == 1 else _added(x, beta, torch.mm(a, b), alpha)


def addbmm(x: Tensor, a: Tensor, b: Tensor, beta: float = 1, alpha: float = 1) -> Tensor:
    """beta x + alpha times the sum of products a[k] b[k]."""
    return _added(x, beta, torch.bmm(a, b).sum(0), alpha)


def addr(x: Tensor, a: Tensor, b: Tensor, beta: float = 1, alpha: float = 1) -> Any:
    """beta x + alpha times the outer product of a and b."""
    return _added(x, beta, a.unsqueeze(1) * b.unsqueeze(0), alpha) if x.is_floating_point() else NotImplemented


def _added(x: Tensor, beta: float, product: Tensor, alpha: float) -> Tensor:
    """beta x + alpha product; what is in x does not count where beta is 0, as torch says."""
    scaled = product if alpha == 1 else product * alpha
    if beta == 0:
        return scaled + torch.zeros_like(x)
    return (x if beta == 1 else x * beta) + scaled


def angle(x: Tensor) -> Any:
    """0 or pi, by the sign; NaN stays."""
    return torch.where(x < 0, math.pi, torch.where(x == x, 0.0, x)) if x.is_floating_point() else NotImplemented


def round_decimals(x: Tensor, *, decimals: int) -> Tensor:
    """Rounded to so many digits behind the point, or before it."""
    scale = 10.0 ** abs(decimals)
    return torch.round(x * scale) / scale if decimals > 0 else torch.round(x / scale) * scale


def cdist(a: Tensor, b: Tensor, p: float, compute_mode: int | None) -> Any:
    """The distance of every row of a from every row of b."""
    if not a.shape[-1]:
        return NotImplemented
    apart = (a.unsqueeze(-2) - b.unsqueeze(-3)).abs()
    if p == 0:
        return (apart != 0).to(a.dtype).sum(-1)
    if p == float("inf"):
        return apart.amax(-1)
    if p == 1:
        return apart.sum(-1)
    return torch.sqrt((apart * apart).sum(-1)) if p == 2 else (apart**p).sum(-1) ** (1 / p)


def fmax(x: Tensor, y: Tensor) -> Tensor:
    """The larger one; a number where the other is NaN."""
    return torch.where(x != x, y, torch.where(y != y, x, torch.maximum(x, y)))


def fmin(x: Tensor, y: Tensor) -> Tensor:
    """The smaller one; a number where the other is NaN."""
    return torch.where(x != x, y, torch.where(y != y, x, torch.minimum(x, y)))


def ldexp(x: Tensor, exponent: Tensor) -> Any:
    """X times 2 to that power, in two halves, each of which is a number where the product is."""
    if not x.is_floating_point():
        return NotImplemented
    half = torch.floor(exponent.to(x.dtype) / 2)
    return x * torch.exp2(half) * torch.exp2(exponent.to(x.dtype) - half)


def signbit(x: Tensor) -> Any:
    """Whether a number is negative, -0 too."""
    return (x < 0) | ((x == 0) & (1 / x < 0)) if x.is_floating_point() else x < 0


def frexp(x: Tensor) -> Any:
    """x as a mantissa, from 1/2 to 1, times a power of two."""
    size = torch.where(x == 0, 1.0, x.abs())
    exponent = torch.floor(torch.log2(size)) + 1
    half = torch.floor(exponent / 2)
    mantissa = size * torch.exp2(-half) * torch.exp2(half - exponent)
    over, under = mantissa >= 1, mantissa < 0.5  # the logarithm was rounded up or down
    mantissa = torch.where(over, mantissa / 2, torch.where(under, mantissa * 2, mantissa))
    exponent = exponent + over.to(x.dtype) - under.to(x.dtype)
    plain = (x != 0) & (x.abs() < float("inf"))
    found = torch.where(plain, torch.where(x < 0, -mantissa, mantissa), x)
    return found, torch.where(plain, exponent, 0.0).to(torch.int32)


def trilinear(
    a: Tensor, b: Tensor, c: Tensor, a_axes: list[int], b_axes: list[int], c_axes: list[int], summed: list[int],
    unroll_dim: int = 1,
) -> Tensor:  # fmt: skip
    """The sum over some axes of the product of three tensors, each of which lacks some axes."""
    for axis in a_axes:
        a = a.unsqueeze(axis)
    for axis in b_axes:
        b = b.unsqueeze(axis)
    for axis in c_axes:
        c = c.unsqueeze(axis)
    product = a * b * c
    return product.sum(summed) if summed else product


def pdist(x: Tensor, p: float = 2) -> Any:
    """The distance of every row from all that follow."""
    count = len(x)
    if count < 2 or not x.shape[1]:
        return NotImplemented
    first = torch.cat([torch.full((count - 1 - k,), k) for k in range(count - 1)])
    second = torch.cat([torch.arange(k + 1, count) for k in range(count - 1)])
    return torch.linalg.vector_norm(x.index_select(0, first) - x.index_select(0, second), p, -1)


def dist(x: Tensor, y: Tensor, p: float = 2) -> Tensor:
    """The norm of the difference."""
    found: Tensor = torch.linalg.vector_norm(x - y, p)
    return found


SPECIAL: dict[Any, Callable[..., Any]] = {
    aten.copysign.Tensor: copysign,
    aten.copysign.Scalar: copysign,
    aten.angle.default: angle,
    aten.signbit.default: signbit,
    aten.dist.default: dist,
    aten.frexp.Tensor: frexp,
    aten._trilinear.default: trilinear,
    aten._pdist_forward.default: pdist,
    aten.fmax.default: fmax,
    aten.fmin.default: fmin,
    aten.ldexp.Tensor: ldexp,
    aten.round.decimals: round_decimals,
    aten._cdist_forward.default: cdist,
    aten.addmv.default: addmv,
    aten.addmm.default: addmm,
    aten.addbmm.default: addbmm,
    aten.addr.default: addr,
}
