"""Attention, and the window of what it has seen: the two parts of the model that are tasks of the course."""

from __future__ import annotations

from torch import Tensor

from haribote.answers.ownership import exercise


@exercise("9.1")
def attention(queries: Tensor, keys: Tensor, values: Tensor, added: Tensor) -> Tensor:
    """What each query makes of the values: [batch, heads, queries, size].

    queries: [batch, heads, queries, size]; keys, values: [batch, heads, keys, size]; added: [.., queries, keys], to the
    scores.
    """
    raise NotImplementedError


@exercise("9.2")
def slid(kept: Tensor, new: Tensor) -> Tensor:
    """A window [batch, heads, places, size] once new tokens [batch, heads, n, size] are in it; the oldest are gone."""
    raise NotImplementedError
