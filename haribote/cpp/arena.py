"""Where the values between the nodes lie: one block of memory in which a place is used again once nothing reads it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import onnx

from haribote.answers.ownership import exercise
from haribote.core.operators import SAME_ORDER
from haribote.errors import HariboteError
from haribote.graph import Index
from simulator.messages import tr

ALIGNMENT = 64
"""Bytes: a cache line, and the widest vector register."""


@dataclass(frozen=True)
class Arena:
    """Byte offset of every value that needs memory of its own, and the size in bytes."""

    offsets: dict[str, int]
    size: int


@dataclass(frozen=True)
class Buffer:
    """A value that needs memory: its bytes, the node that writes it, and the last node that reads it, by number."""

    size: int
    first: int
    last: int


def plan(model: onnx.ModelProto) -> Arena:
    """Place each value where no other one lies while it is needed.

    Raises:
        HariboteError: two values that are needed at the same time have been given the same memory.
    """
    buffers = buffers_of(model)
    offsets = dict(zip(buffers, place(list(buffers.values())), strict=True))
    _check(buffers, offsets)
    return Arena(offsets, max((offsets[name] + buffer.size for name, buffer in buffers.items()), default=0))


def aliases_of(model: onnx.ModelProto) -> dict[str, str]:
    """What is another value under another shape, and of which it is: it lies where that lies."""
    outputs = {info.name for info in model.graph.output}
    found: dict[str, str] = {}
    for node in model.graph.node:
        if node.op_type in SAME_ORDER and node.output[0] not in outputs:
            found[node.output[0]] = found.get(node.input[0], node.input[0])
    return found


def buffers_of(model: onnx.ModelProto) -> dict[str, Buffer]:
    """Every value that needs memory of its own, by name, in the order of the nodes: neither input, constant nor output
    of the graph, nor another value under another shape.
    """
    index, aliases = Index(model), aliases_of(model)
    elsewhere = {*index.outputs, *aliases, ""}
    numbered = [(name, i) for i, node in enumerate(model.graph.node) for name in [*node.output, *node.input]]
    last_use = {aliases.get(name, name): i for name, i in numbered}
    buffers: dict[str, Buffer] = {}
    for position, node in enumerate(model.graph.node):
        for name in node.output:
            if name not in elsewhere:
                size = int(np.prod(index.shape[name], dtype=np.int64)) * index.dtype[name].itemsize
                buffers[name] = Buffer(_aligned(size), position, last_use[name])
    return buffers


@exercise("8.6")
def place(buffers: Sequence[Buffer]) -> list[int]:
    """The offset of each buffer: in their order, each at the lowest place that is free as long as it is needed."""
    raise NotImplementedError


def _check(buffers: Mapping[str, Buffer], offsets: Mapping[str, int]) -> None:
    """Refuse a plan that would let one value overwrite another."""
    alive: list[str] = []
    for name, buffer in buffers.items():
        alive = [other for other in alive if buffers[other].last >= buffer.first]
        start, end = offsets[name], offsets[name] + buffer.size
        clash = next((o for o in alive if offsets[o] < end and start < offsets[o] + buffers[o].size), None)
        if clash is not None or start < 0 or start % ALIGNMENT:
            raise HariboteError(
                tr("value {name!r} cannot share memory with {clash!r}, which is still needed", name, clash)
                if clash
                else tr("value {name!r} cannot lie at {start}", name, start),
                tr("`grader check 8.6` shows where"),
            )
        alive.append(name)


def _aligned(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT
