"""A value and its pieces."""

from __future__ import annotations

import numpy as np

from haribote.graphs.tiles import Tiles


def test_pieces_of_a_value() -> None:
    tiles = Tiles({"v": {"shape": [5, 4], "tile": [2, 4]}})
    value = np.arange(20).reshape(5, 4)
    pieces = dict(tiles.split("v", value))
    assert list(pieces) == ["v[0,0]", "v[1,0]", "v[2,0]"] == tiles.names("v")
    assert pieces["v[2,0]"].shape == (1, 4)
    assert np.array_equal(tiles.join("v", list(pieces.values())), value)
    assert tiles.wholes(["a", "v[1,0]", "v[0,0]"]) == ["a", "v"]
    assert dict(tiles.split("a", value))["a"] is value
