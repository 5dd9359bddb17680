"""ATen operations without a rule, in operations that have one: torch's own decompositions, and a few of ours."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import torch
from torch import Tensor
from torch._decomp import _core_aten_decompositions_post_autograd, get_decompositions

from haribote.frontend.aten_cnn import max_pool_backward
from haribote.frontend.decomposed.bags import BAGS
from haribote.frontend.decomposed.gradients import GRADIENTS
from haribote.frontend.decomposed.order import ORDER
from haribote.frontend.decomposed.places import PLACES
from haribote.frontend.decomposed.pools import POOLS, by_places
from haribote.frontend.decomposed.resizing import RESIZING
from haribote.frontend.decomposed.sampling import SAMPLING
from haribote.frontend.decomposed.segments import SEGMENTS
from haribote.frontend.decomposed.special import SPECIAL
from haribote.frontend.decomposed.windows import WINDOWS
from haribote.frontend.lowering import RULES

aten = torch.ops.aten

MORE = [
    aten._native_batch_norm_legit,
    aten._native_batch_norm_legit_functional,
    aten._native_batch_norm_legit_no_training,
    aten._batch_norm_with_update_functional,
    aten.batch_norm_backward,
    aten._log_softmax_backward_data,
    aten._adaptive_avg_pool2d,
    aten._upsample_nearest_exact1d,
    aten._upsample_nearest_exact2d,
    aten._upsample_nearest_exact3d,
    aten.linalg_vector_norm,
    aten.mish,
    aten.native_batch_norm,
    aten.native_group_norm,
    aten.native_layer_norm,
    aten.softplus,
    aten.softplus_backward,
    aten.upsample_nearest1d,
    aten.upsample_nearest2d,
    aten.upsample_nearest3d,
    aten._fused_rms_norm,
]
"""What torch decomposes only where it is asked to."""

KEPT = (aten.bernoulli.p, aten.bernoulli.default, aten.native_dropout)
"""Random numbers stay torch's own: decomposed, they would be others than without the compiler."""


def embedding_dense_backward(
    grad: Tensor, indices: Tensor, num_weights: int, padding_idx: int, scale_grad_by_freq: bool
) -> Any:
    """The gradient of a table: a product with ones where a row was read."""
    if scale_grad_by_freq:
        return NotImplemented
    flat = indices.reshape(1, -1)
    rows = torch.arange(num_weights, dtype=indices.dtype).unsqueeze(1)
    read = (rows == flat) & (flat != padding_idx)
    return read.to(grad.dtype) @ grad.reshape(flat.shape[1], -1)


def avg_pool2d_backward(
    grad: Tensor,
    x: Tensor,
    kernel: list[int],
    stride: list[int],
    padding: list[int],
    ceil_mode: bool,
    count_include_pad: bool,
    divisor: int | None,
) -> Any:
    """Every element of a window gets its share; of windows beside each other as a view."""
    high, wide = kernel[0], kernel[-1]
    if list(stride or kernel) != list(kernel) or any(padding) or ceil_mode or divisor is not None or x.dim() != 4:
        found: Any = WINDOWS[aten.avg_pool2d_backward.default](
            grad, x, kernel, stride, padding, ceil_mode, count_include_pad, divisor
        )
        return found
    count, channels, rows, columns = grad.shape
    spread = (grad / (high * wide)).reshape(count, channels, rows, 1, columns, 1)
    shares = spread.expand(-1, -1, -1, high, -1, wide).reshape(count, channels, rows * high, columns * wide)
    beyond = x.shape[3] - columns * wide, x.shape[2] - rows * high
    return torch.nn.functional.pad(shares, (0, beyond[0], 0, beyond[1])) if any(beyond) else shares


def _hits(target: Tensor, classes: int, ignore_index: int) -> tuple[Tensor, Tensor]:
    """Where the labels are, [N, classes], and which count, [N, 1]."""
    counts = (target != ignore_index).unsqueeze(1)
    numbers = torch.arange(classes, dtype=target.dtype)
    return (target.unsqueeze(1) == numbers) & counts, counts


def _weighted(
    target: Tensor, classes: int, weight: Tensor | None, ignore_index: int, dtype: torch.dtype
) -> tuple[Tensor, Tensor]:
    """What each class of each label counts, [N, classes], and the sum of that."""
    hits, counts = _hits(target, classes, ignore_index)
    if weight is None:
        return hits.to(dtype), counts.to(dtype).sum()
    found = torch.where(hits, weight, 0.0)
    return found, found.sum()


def nll_loss_forward(log_p: Tensor, target: Tensor, weight: Tensor | None, reduction: int, ignore_index: int) -> Any:
    """As torch, weights of classes and labels that do not count included; of one example, or of several."""
    if log_p.dim() == 1:
        losses, number = nll_loss_forward(log_p.unsqueeze(0), target.reshape(1), weight, reduction, ignore_index)
        return losses.reshape(()), number
    counts, number = _weighted(target, log_p.shape[1], weight, ignore_index, log_p.dtype)
    losses = -torch.where(counts != 0, log_p * counts, 0.0).sum(1)
    if reduction == 0:
        return losses, torch.zeros((), dtype=log_p.dtype)
    return (losses.sum() / number if reduction == 1 else losses.sum()), number


def nll_loss_backward(
    grad: Tensor,
    log_p: Tensor,
    target: Tensor,
    weight: Tensor | None,
    reduction: int,
    ignore_index: int,
    total_weight: Tensor,
) -> Any:
    """The loss's gradient at the labels that count, 0 elsewhere."""
    if log_p.dim() == 1:
        rows = log_p.unsqueeze(0), target.reshape(1)
        return nll_loss_backward(grad, *rows, weight, reduction, ignore_index, total_weight).reshape(log_p.shape)
    counts, _ = _weighted(target, log_p.shape[1], weight, ignore_index, log_p.dtype)
    scale = grad / total_weight if reduction == 1 else grad
    scale = scale.reshape(-1, 1) if reduction == 0 else scale
    return torch.where(counts != 0, -scale * counts, 0.0)


def _as_rows(target: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
    """Images as one row a pixel."""
    return x.movedim(1, -1).reshape(-1, x.shape[1]), target.reshape(-1)


def nll_loss2d_forward(log_p: Tensor, target: Tensor, weight: Tensor | None, reduction: int, ignore_index: int) -> Any:
    """A label for each pixel."""
    rows, labels = _as_rows(target, log_p)
    losses, number = nll_loss_forward(rows, labels, weight, reduction, ignore_index)
    return (losses.reshape(target.shape) if reduction == 0 else losses), number


def nll_loss2d_backward(
    grad: Tensor, log_p: Tensor, target: Tensor, weight: Tensor | None, reduction: int, *more: Any
) -> Any:
    """Its gradient. more: as `nll_loss_backward` takes it."""
    rows, labels = _as_rows(target, log_p)
    flat = grad.reshape(-1) if reduction == 0 else grad
    found = nll_loss_backward(flat, rows, labels, weight, reduction, *more)
    return found.reshape(*target.shape, log_p.shape[1]).movedim(-1, 1).contiguous()


def _max_pool_backward(
    grad: Tensor,
    x: Tensor,
    kernel: list[int],
    stride: list[int],
    padding: list[int],
    dilation: list[int],
    ceil: bool,
    places: Tensor,
) -> Any:
    """By finding the maxima again, or where that has no rule by where they are."""
    steps = [*(stride or kernel)]
    if max(steps) == 1 or ceil or any(step != 1 for step in dilation):
        return by_places(2)(grad, x, places)
    found: Tensor = max_pool_backward(grad, x, kernel, stride or kernel, padding, dilation, ceil)
    return found


OWN: dict[Any, Callable[..., Any]] = {
    aten.embedding_dense_backward.default: embedding_dense_backward,
    **SPECIAL,
    **BAGS,
    **GRADIENTS,
    **ORDER,
    **PLACES,
    **POOLS,
    **RESIZING,
    **SAMPLING,
    **SEGMENTS,
    **WINDOWS,
    aten.avg_pool2d_backward.default: avg_pool2d_backward,
}
COMPILED: dict[Any, Callable[..., Any]] = {
    aten.nll_loss_forward.default: nll_loss_forward,
    aten.nll_loss_backward.default: nll_loss_backward,
    aten.nll_loss2d_forward.default: nll_loss2d_forward,
    aten.nll_loss2d_backward.default: nll_loss2d_backward,
    aten.max_pool2d_with_indices_backward.default: _max_pool_backward,
}
"""Only for `torch.compile`, where labels may be left out and forward and backward are graphs of their own."""


@cache
def decompositions() -> dict[Any, Callable[..., Any]]:
    """By operation; what has a rule is not decomposed."""
    table = _core_aten_decompositions_post_autograd() | get_decompositions(MORE)
    kept = {overload for packet in KEPT for overload in _overloads(packet)}
    return {target: how for target, how in table.items() if target not in RULES and target not in kept} | OWN


def _overloads(target: Any) -> list[Any]:
    return [getattr(target, name) for name in target.overloads()] if hasattr(target, "overloads") else [target]
