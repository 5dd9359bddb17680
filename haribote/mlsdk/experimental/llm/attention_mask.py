"""Which keys a query may look at, as what is added to the scores of attention."""

from __future__ import annotations

import torch
from torch import Tensor

from haribote.errors import HariboteError
from simulator.messages import tr

__all__ = ["prepare_4d_causal_attention_mask_with_cache_position"]


def prepare_4d_causal_attention_mask_with_cache_position(mask: Tensor, position: Tensor, dtype: torch.dtype) -> Tensor:
    """The additive causal mask: 0 where a query may look, the smallest value of `dtype` elsewhere.

    A query sees what `mask` has and what does not come after it. With as many queries as places, the queries are the
    places in their order. With fewer, a key is where it stands among the ones of `mask`, from 0, as in the running sum
    from which programs make their positions; without padding before a prompt that is its place.

    Args:
        mask: [batch, length], 1 (or True) for a place that holds a token, 0 for padding and for what is not there yet.
        position: [batch, queries], or [queries] for all alike, the number of each query.
        dtype: of the result, [batch, 1, queries, length].

    Raises:
        HariboteError: other ranks, another batch, or a dtype that is no float.
    """
    position = position.unsqueeze(0) if position.ndim == 1 else position
    if mask.ndim != 2 or position.ndim != 2 or position.shape[0] not in (1, mask.shape[0]):
        raise HariboteError(
            tr(
                "prepare_4d_causal_attention_mask_with_cache_position: a mask {mask}, positions {position}",
                list(mask.shape),
                list(position.shape),
            ),
            tr("a mask [batch, length] and positions [batch, queries]"),
        )
    if not dtype.is_floating_point:
        raise HariboteError(
            tr("prepare_4d_causal_attention_mask_with_cache_position: dtype {dtype}", dtype), "torch.float32"
        )
    there = mask.to(torch.int64) != 0
    length, queries = mask.shape[1], position.shape[1]
    if queries == length:
        place = torch.arange(length, device=mask.device)
        before = (place[None, :] <= place[:, None])[None]
    else:
        keys = there.to(torch.int64).cumsum(-1) - 1
        before = keys[:, None, :] <= position.to(torch.int64)[:, :, None]
    allowed = (before & there[:, None, :])[:, None]
    zero = torch.zeros((), dtype=dtype, device=mask.device)
    return torch.where(allowed, zero, torch.full((), torch.finfo(dtype).min, dtype=dtype, device=mask.device))
