"""Where the values between the nodes lie: one block of memory in which a place is used again once nothing reads it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import onnx

from haribote.graph import Index

ALIGNMENT = 64
"""Bytes: a cache line, and the widest vector register."""


@dataclass(frozen=True)
class Arena:
    """Byte offset of every value that is neither input, constant nor output of the graph, and the size in bytes."""

    offsets: dict[str, int]
    size: int


def plan(model: onnx.ModelProto) -> Arena:
    """Place each value at the lowest free offset when its node runs; free it after the last node that reads it."""
    index = Index(model)
    elsewhere = {*index.outputs, ""}
    last_use = {name: i for i, node in enumerate(model.graph.node) for name in [*node.output, *node.input]}
    offsets: dict[str, int] = {}
    live: dict[str, tuple[int, int]] = {}  # value -> first byte, end
    size = 0
    for position, node in enumerate(model.graph.node):
        for name in node.output:
            if name in elsewhere:
                continue
            needed = _aligned(int(np.prod(index.shape[name], dtype=np.int64)) * index.dtype[name].itemsize)
            start = _first_gap(sorted(live.values()), needed)
            offsets[name], live[name] = start, (start, start + needed)
            size = max(size, start + needed)
        live = {name: place for name, place in live.items() if last_use[name] > position}
    return Arena(offsets, size)


def _first_gap(taken: list[tuple[int, int]], needed: int) -> int:
    start = 0
    for first, end in taken:
        if first - start >= needed:
            break
        start = end
    return start


def _aligned(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT
