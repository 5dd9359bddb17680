"""A value and its pieces: names, and how the host cuts and joins them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray

from haribote.graph import TILES, metadata

MERGED = "merged"
"""Metadata: the shapes of inputs and outputs some of whose axes are one (`tiling.merge`)."""
Array = NDArray[Any]
Place = tuple[int, ...]
Table = Mapping[str, Mapping[str, Sequence[int]]]
"""For every value that is cut its `shape` and the shape of its pieces, `tile`; the last ones may be smaller."""


def tile_table(model: onnx.ModelProto) -> Table:
    """What the metadata of a model say."""
    found: Table = json.loads(metadata(model).get(TILES, "{}"))
    return found


def merged_shapes(model: onnx.ModelProto) -> Mapping[str, Sequence[int]]:
    """The shapes that values had before some of their axes became one."""
    found: Mapping[str, Sequence[int]] = json.loads(metadata(model).get(f"haribote.{MERGED}", "{}"))
    return found


def grid(shape: Sequence[int], tile: Sequence[int]) -> Iterator[Place]:
    """The places of all pieces, the last axis fastest."""
    return product(*(range(-(-size // step)) for size, step in zip(shape, tile, strict=True)))


def window(place: Place, tile: Sequence[int]) -> tuple[slice, ...]:
    """The elements of a piece."""
    return tuple(slice(i * step, (i + 1) * step) for i, step in zip(place, tile, strict=True))


def piece_name(name: str, place: Place) -> str:
    """The name of a piece."""
    return f"{name}[{','.join(map(str, place))}]"


class Tiles:
    """The values of a model that are cut."""

    def __init__(self, table: Table) -> None:
        self.table = table

    def __contains__(self, name: str) -> bool:
        return name in self.table

    def names(self, name: str) -> list[str]:
        """The names of a value's pieces; its own where it is not cut."""
        if name not in self.table:
            return [name]
        return [piece_name(name, place) for place in grid(**self._sizes(name))]

    def split(self, name: str, value: Array) -> Iterator[tuple[str, Array]]:
        """The pieces of a value with their names; the value itself where it is not cut."""
        if name not in self.table:
            yield name, value
            return
        sizes = self._sizes(name)
        for place in grid(**sizes):
            yield piece_name(name, place), value[window(place, sizes["tile"])]

    def join(self, name: str, pieces: Sequence[Array]) -> Array:
        """The value of its pieces, given in the order of `names`."""
        sizes = self._sizes(name)
        whole = np.empty(tuple(sizes["shape"]), pieces[0].dtype)
        for place, piece in zip(grid(**sizes), pieces, strict=True):
            whole[window(place, sizes["tile"])] = piece
        return whole

    def joined(self, values: Mapping[str, Array]) -> dict[str, Array]:
        """The values with those whose pieces are all there joined."""
        found = dict(values)
        for name in self.table:
            if all(piece in found for piece in self.names(name)):
                found[name] = self.join(name, [found.pop(piece) for piece in self.names(name)])
        return found

    def shape(self, name: str) -> tuple[int, ...]:
        """Of the whole value."""
        return tuple(self.table[name]["shape"])

    def wholes(self, names: Sequence[str]) -> list[str]:
        """The values that these are, or are pieces of, once each."""
        owner = {piece: name for name in self.table for piece in self.names(name)}
        return list(dict.fromkeys(owner.get(name, name) for name in names))

    def _sizes(self, name: str) -> dict[str, Sequence[int]]:
        return {"shape": self.table[name]["shape"], "tile": self.table[name]["tile"]}
