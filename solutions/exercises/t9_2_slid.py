"""Task 9.2: a window that slides (the newest keys or values in, as many of the oldest out)."""

from __future__ import annotations

import torch
from torch import Tensor


def slid(kept: Tensor, new: Tensor) -> Tensor:
    """A cache once new tokens are in it, as a tensor of the shape of `kept`.

    kept: [batch, heads, places, size], the keys (or values) of the latest tokens, the newest at the last place. new:
    [batch, heads, n, size], those of the next n tokens, n from 1 to places, the newest last. The tokens move to places
    before their own, the oldest n drop out, and the new ones take the last n places. `kept` and `new` must stay as they
    are.
    """
    ### BEGIN SOLUTION
    count = new.shape[2]
    return torch.cat([kept[:, :, count:], new], 2)
    ### END SOLUTION
