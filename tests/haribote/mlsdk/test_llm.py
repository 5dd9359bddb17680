"""`mlsdk.experimental.llm`: the mask against a loop over its meaning, the cache there and back."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor

from haribote.errors import HariboteError
from haribote.mlsdk.experimental.llm import attention_mask, kv_cache
from tests.haribote.mlsdk.steps import context

prepare = attention_mask.prepare_4d_causal_attention_mask_with_cache_position


def meaning(mask: list[list[int]], positions: list[list[int]]) -> Tensor:
    """1 where a query may look: a token that is not later than the query, by counting tokens."""
    rows = []
    for ones, numbers in zip(mask, positions, strict=True):
        rank = [sum(ones[: place + 1]) - 1 for place in range(len(ones))]
        rows.append([[float(one and rank[key] <= number) for key, one in enumerate(ones)] for number in numbers])
    return torch.tensor(rows)[:, None]


@pytest.mark.parametrize(
    ("mask", "positions"),
    [
        ([[1, 1, 1, 1]], [[0, 1, 2, 3]]),  # a prompt that fills it
        ([[0, 0, 1, 1, 1], [1, 1, 1, 1, 1]], [[-1, -1, 0, 1, 2], [0, 1, 2, 3, 4]]),  # padded on the left
        ([[0, 0, 1, 1, 1], [0, 1, 1, 1, 1]], [[2], [3]]),  # one token, its oldest place cut off
        ([[1, 1, 1, 0, 0]], [[2]]),  # a cache that is not full
        ([[1, 1, 1, 1, 0, 0]], [[2, 3]]),
    ],
)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_a_query_sees_what_is_there_and_not_later(
    mask: list[list[int]], positions: list[list[int]], dtype: torch.dtype
) -> None:
    found = prepare(torch.tensor(mask), torch.tensor(positions), dtype)
    wanted = meaning(mask, positions)
    real = wanted.any(-1, keepdim=True)  # what a query in the padding sees does not matter
    assert found.dtype == dtype and found.shape == wanted.shape
    assert torch.equal(torch.where(real, found == 0, True), torch.where(real, wanted == 1, True))
    assert set(found.unique().tolist()) <= {0.0, torch.finfo(dtype).min}


def test_places_of_a_prompt_are_as_good_as_its_running_sum() -> None:
    mask = torch.tensor([[0, 0, 1, 1, 1]])
    by_place = prepare(mask, torch.arange(5), torch.float32)
    assert torch.equal(by_place, prepare(mask, (mask.cumsum(-1) - 1).clamp(0), torch.float32))
    assert torch.equal(by_place, prepare(mask.bool(), torch.arange(5), torch.float32))


@pytest.mark.parametrize(
    ("mask", "position", "dtype", "message"),
    [
        (torch.ones(2, 4), torch.zeros(3, 1), torch.float32, r"a mask \[2, 4\], positions \[3, 1\]"),
        (torch.ones(4), torch.zeros(1, 1), torch.float32, r"a mask \[batch, length\]"),
        (torch.ones(1, 4), torch.zeros(1, 1), torch.int64, r"dtype torch\.int64"),
    ],
)
def test_what_makes_no_mask(mask: Tensor, position: Tensor, dtype: torch.dtype, message: str) -> None:
    with pytest.raises(HariboteError, match=message):
        prepare(mask, position, dtype)


def layers(count: int = 3) -> list[tuple[Tensor, Tensor]]:
    return [(torch.randn(1, 2, 5, 4), torch.randn(1, 2, 5, 4)) for _ in range(count)]


def test_caches_of_every_kind_are_one_tensor() -> None:
    pairs = layers()
    wanted = torch.stack([torch.stack(pair) for pair in pairs])
    new = SimpleNamespace(layers=[SimpleNamespace(keys=key, values=value) for key, value in pairs])
    old = SimpleNamespace(key_cache=[key for key, _ in pairs], value_cache=[value for _, value in pairs])
    for cache in (tuple(pairs), [(*pair, None) for pair in pairs], new, old):
        assert torch.equal(kv_cache.kv_cache_to_tensor(cache), wanted)


def test_a_tensor_is_a_cache_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "transformers", None)
    tensor = torch.randn(2, 2, 1, 2, 5, 4)
    for back in (kv_cache.kv_cache_to_legacy, kv_cache.kv_cache_to_plamo):
        assert [len(layer) for layer in back(tensor)] == [2, 2]
        assert torch.equal(kv_cache.kv_cache_to_tensor(back(tensor)), tensor)


def test_a_transformers_that_takes_no_tuples_gets_its_object(monkeypatch: pytest.MonkeyPatch) -> None:
    class DynamicCache:
        def __init__(self) -> None:
            self.layers: list[Any] = []

        def update(self, key: Tensor, value: Tensor, number: int) -> None:
            assert number == len(self.layers)
            self.layers.append(SimpleNamespace(keys=torch.cat([torch.tensor([]), key], -2), values=value))

    module = ModuleType("transformers")
    module.DynamicCache = DynamicCache  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "transformers", module)
    tensor = torch.randn(2, 2, 1, 2, 5, 4)
    found = kv_cache.kv_cache_to_legacy(tensor)
    assert isinstance(found, DynamicCache) and torch.equal(kv_cache.kv_cache_to_tensor(found), tensor)
    assert isinstance(kv_cache.kv_cache_to_plamo(tensor), tuple)
    monkeypatch.setattr(DynamicCache, "from_legacy_cache", None, raising=False)
    assert isinstance(kv_cache.kv_cache_to_legacy(tensor), tuple)


@pytest.mark.parametrize(
    ("cache", "message"),
    [
        (None, "received NoneType, no keys and values"),
        ((), "received tuple, no keys and values"),
        (SimpleNamespace(layers=[SimpleNamespace(keys=None, values=None)]), "no keys and values"),
        ([(torch.zeros(1, 2, 5, 4), torch.zeros(1, 2, 6, 4))], r"layers of shapes \[1, 2, 5, 4\], \[1, 2, 6, 4\]"),
        (SimpleNamespace(self_attention_cache=None), "its self_attention_cache"),
    ],
)
def test_what_is_no_cache(cache: Any, message: str) -> None:
    with pytest.raises(HariboteError, match=message):
        kv_cache.kv_cache_to_tensor(cache)


@pytest.mark.parametrize("tensor", [torch.zeros(2, 3, 1, 2, 5, 4), torch.zeros(2, 2), None])
def test_what_is_no_tensor_of_a_cache(tensor: Any) -> None:
    with pytest.raises(HariboteError, match=r"a tensor \[layers, 2, batch, heads, length, head size"):
        kv_cache.kv_cache_to_legacy(tensor)


@pytest.mark.parametrize("device", ["pfvm:cpu", "mncore2:auto"])
@pytest.mark.filterwarnings("error:the chip takes")
def test_mask_and_cache_inside_a_compiled_function(device: str) -> None:
    def attend(given: dict[str, Tensor]) -> dict[str, Tensor]:
        mask = prepare(given["mask"], given["position"], torch.float32)
        rolled = [(key[..., 1:, :], value[..., 1:, :]) for key, value in kv_cache.kv_cache_to_plamo(given["cache"])]
        return {"mask": mask, "cache": kv_cache.kv_cache_to_tensor(rolled)}

    inputs = {
        "mask": torch.tensor([[0, 0, 1, 1, 1]]),
        "position": torch.tensor([[2]]),
        "cache": torch.randn(2, 2, 1, 2, 5, 4),
    }
    compiled = context(device).compile(attend, inputs)
    found, wanted = compiled(inputs), attend(inputs)
    assert all(torch.equal(found[name].cpu(), wanted[name]) for name in wanted)
