"""Outputs of a padded or tiled graph as they were before it, for comparing whole graphs."""

from __future__ import annotations

from collections.abc import Mapping

import onnx

from haribote.graph import Array
from haribote.passes import pad, tile


def cropped(model: onnx.ModelProto, outputs: Mapping[str, Array]) -> dict[str, Array]:
    """The outputs of a padded graph, cut to the shapes they had before."""
    entries = pad.padding(model)
    return {name: pad.crop_one(array, entries.get(name)) for name, array in outputs.items()}


def joined(model: onnx.ModelProto, outputs: Mapping[str, Array]) -> dict[str, Array]:
    """The outputs of a tiled graph, joined as they were before."""
    left = dict(outputs)
    for name, cut in tile.tiles(model).items():
        parts = tile.part_names(name, cut)
        if all(part in left for part in parts):
            left[name] = tile.join([left.pop(part) for part in parts], cut)
    return left
