"""The keys and values of a language model as one tensor, which has a fixed shape and can be an input and an output."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from haribote.errors import HariboteError
from simulator.messages import tr

__all__ = ["kv_cache_to_legacy", "kv_cache_to_plamo", "kv_cache_to_tensor"]

Pairs = tuple[tuple[Tensor, Tensor], ...]


def kv_cache_to_tensor(cache: Any) -> Tensor:
    """All keys and values, [layers, 2, batch, heads, length, head size].

    Args:
        cache: what a model of `transformers` returns as `past_key_values`, its cache object or tuples.

    Raises:
        HariboteError: another object, a layer without values, or layers of different shapes.
    """
    pairs = list(_pairs(cache))
    shapes = sorted({tuple(tensor.shape) for pair in pairs for tensor in pair})
    if len(shapes) != 1 or len(shapes[0]) != 4:
        raise HariboteError(
            tr("kv_cache_to_tensor: layers of shapes {shapes}", ", ".join(str(list(one)) for one in shapes)),
            tr("keys and values [batch, heads, length, head size], alike in all layers"),
        )
    return torch.stack([torch.stack(pair) for pair in pairs])


def kv_cache_to_legacy(tensor: Tensor) -> Any:
    """The inverse of `kv_cache_to_tensor`, for `past_key_values=`.

    Returns:
        (key, value) of each layer; the cache object of `transformers` where it is in use and takes no tuples any more.
    """
    pairs = _split("kv_cache_to_legacy", tensor)
    cache = getattr(sys.modules.get("transformers"), "DynamicCache", None)
    if cache is None or hasattr(cache, "from_legacy_cache"):
        return pairs
    found = cache()
    for number, (key, value) in enumerate(pairs):
        found.update(key, value, number)
    for layer, (key, value) in zip(found.layers, pairs, strict=True):
        layer.keys, layer.values = key, value  # without the empty tensor that they were joined to
    return found


def kv_cache_to_plamo(tensor: Tensor) -> Pairs:
    """The inverse of `kv_cache_to_tensor` for the PLaMo models, whose own code takes (key, value) of each layer."""
    return _split("kv_cache_to_plamo", tensor)


def _split(name: str, tensor: Any) -> Pairs:
    if not isinstance(tensor, Tensor) or tensor.ndim != 6 or tensor.shape[1] != 2:
        received = list(tensor.shape) if isinstance(tensor, Tensor) else type(tensor).__name__
        raise HariboteError(
            tr("{name}: received {received}", name, received),
            tr("a tensor [layers, 2, batch, heads, length, head size]"),
        )
    return tuple((layer[0], layer[1]) for layer in tensor)


def _pairs(cache: Any) -> Iterator[tuple[Tensor, Tensor]]:
    """Key and value of each layer, whichever way a version of transformers keeps them."""
    if hasattr(cache, "self_attention_cache"):
        raise HariboteError(
            tr("kv_cache_to_tensor: a cache of a decoder and of what it attends to in its encoder"),
            tr("its self_attention_cache and its cross_attention_cache, one after the other"),
        )
    if hasattr(cache, "layers"):
        found = [(layer.keys, layer.values) for layer in cache.layers]
    elif hasattr(cache, "key_cache"):
        found = list(zip(cache.key_cache, cache.value_cache, strict=True))
    elif isinstance(cache, tuple | list):
        found = [tuple(layer)[:2] for layer in cache if isinstance(layer, tuple | list)]
    else:
        found = []
    if not found or not all(isinstance(one, Tensor) for pair in found for one in pair):
        raise HariboteError(
            tr("kv_cache_to_tensor: received {name}, no keys and values", type(cache).__name__),
            tr("past_key_values as a model gives it with use_cache=True"),
        )
    yield from found
