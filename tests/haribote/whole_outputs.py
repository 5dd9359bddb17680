"""Outputs of a padded or tiled graph as they were before it, for comparing whole graphs."""

from __future__ import annotations

from collections.abc import Mapping

import onnx

from haribote.graph import Array
from haribote.graphs.tiles import Tiles, tile_table
from haribote.passes import pad


def cropped(model: onnx.ModelProto, outputs: Mapping[str, Array]) -> dict[str, Array]:
    """The outputs of a padded graph, cut to the shapes they had before."""
    entries = pad.padding(model)
    return {name: pad.crop_one(array, entries.get(name)) for name, array in outputs.items()}


def joined(model: onnx.ModelProto, outputs: Mapping[str, Array]) -> dict[str, Array]:
    """The outputs of a tiled graph, joined as they were before."""
    return Tiles(tile_table(model)).joined(outputs)
