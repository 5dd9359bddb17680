"""Backward operations that torch does not decompose: written out, or the forward one traced with its gradient."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, prod
from typing import Any

import torch
from torch import Tensor
from torch.func import functionalize, vjp
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils._python_dispatch import _disable_current_modes

from haribote.frontend.decomposed.windows import along_axes

aten = torch.ops.aten
AT_REST = (torch._C._dispatch_tls_local_include_set(), torch._C._dispatch_tls_local_exclude_set())
"""How torch dispatches where nothing is being traced."""


def gradients(forward: Callable[..., Any], inputs: Sequence[Tensor], grad: Tensor) -> list[Tensor]:
    """The gradients of `forward(*inputs)`, a tensor of the shape of `grad`, by each input: forward and backward in ATen
    operations, of which what nobody needs is left out.

    They are traced apart from what is being traced now, below autograd, and then done on the inputs.
    """

    def joint(*given: Tensor) -> list[Tensor]:
        *values, tangent = given
        return list(vjp(forward, *values)[1](tangent))

    with _disable_current_modes(), torch._C._ForceDispatchKeyGuard(*AT_REST):
        like = [torch.zeros(x.shape, dtype=x.dtype) for x in (*inputs, grad)]
        traced = make_fx(functionalize(joint, remove="mutations"))(*like)
    traced.graph.eliminate_dead_code()
    traced.recompile()
    return list(traced(*inputs, grad))


def replication_pad_backward(grad: Tensor, x: Tensor, padding: list[int]) -> Tensor:
    """Elements at the edges get what their copies got: a product with ones along each axis."""
    rank = len(padding) // 2
    matrices = []
    for axis in range(rank):
        size, begin = x.shape[x.dim() - rank + axis], padding[2 * (rank - 1 - axis)]
        copied = (torch.arange(grad.shape[x.dim() - rank + axis]) - begin).clamp(0, size - 1)
        matrices.append((torch.arange(size).unsqueeze(1) == copied).to(grad.dtype))
    return along_axes(grad, matrices)


def masked_scatter_backward(grad: Tensor, mask: Tensor, sizes: list[int]) -> Tensor:
    """By the source: its elements were written in order where the mask is set."""
    set_before = mask.expand(grad.shape).reshape(-1)
    place = set_before.to(torch.int64).cumsum(0) - 1
    count = prod(sizes)
    place = torch.where(set_before & (place < count), place, count)
    return torch.zeros(count + 1, dtype=grad.dtype).scatter(0, place, grad.reshape(-1))[:count].reshape(sizes)


def _by_difference(difference: Tensor, distance: Tensor, p: float) -> Tensor:
    """The gradient of a p-norm, [..., 1], by the difference whose norm it is, [..., n]: 0 where that is 0."""
    if p == 0:
        return torch.zeros_like(difference)
    sign, size = difference.sign(), difference.abs()
    if p == 1:
        return sign
    if p == inf:
        return torch.where(size == distance, sign, 0.0)
    share = difference / distance if p == 2 else sign * size ** (p - 1) / distance ** (p - 1)
    return torch.where((distance == 0) | (size == 0), 0.0, share)


def cdist_backward(grad: Tensor, x1: Tensor, x2: Tensor, p: float, distances: Tensor) -> Tensor:
    """By the first of two sets of points, [..., points, n]."""
    difference = x1.unsqueeze(-2) - x2.unsqueeze(-3)
    return (grad.unsqueeze(-1) * _by_difference(difference, distances.unsqueeze(-1), p)).sum(-2)


def pdist_backward(grad: Tensor, x: Tensor, p: float, distances: Tensor) -> Tensor:
    """By points, [points, n], of which each pair has a distance, in the order of the rows above a diagonal."""
    count = x.shape[0]
    if count < 2:
        return torch.zeros_like(x)
    numbers = torch.arange(count)
    one, other = numbers.unsqueeze(1), numbers.unsqueeze(0)
    low, high = torch.minimum(one, other), torch.maximum(one, other)
    pair = low * (2 * count - low - 1) // 2 + high - low - 1
    pair = torch.where(one == other, 0, pair).reshape(-1)
    of_pair, apart = (each.index_select(0, pair).reshape(count, count, 1) for each in (grad, distances))
    shares = of_pair * _by_difference(x.unsqueeze(1) - x.unsqueeze(0), apart, p)
    return shares.sum(1)  # of a point with itself the difference is 0


GRADIENTS: dict[Any, Callable[..., Any]] = {
    aten.replication_pad1d_backward.default: replication_pad_backward,
    aten.replication_pad2d_backward.default: replication_pad_backward,
    aten.replication_pad3d_backward.default: replication_pad_backward,
    aten.masked_scatter_backward.default: masked_scatter_backward,
    aten._cdist_backward.default: cdist_backward,
    aten._pdist_backward.default: pdist_backward,
}
