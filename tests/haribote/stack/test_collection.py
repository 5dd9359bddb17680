"""Every copy of the collection is looked at."""

from __future__ import annotations

from haribote.stack.collection import collection, pairs
from haribote.stack.maps import COPY

MAPS = collection()


DL = ["16", "256", "16x16", "256x16.A", "256x16.P", "256x16.B", "1024x16"]


def test_every_copy_of_the_collection_is_looked_at() -> None:
    assert len(MAPS) >= 40 and len(list(pairs())) > 100
    assert {name for name, found in MAPS.items() if any(carry == COPY for _, carry in found.carries)} >= set(DL)
