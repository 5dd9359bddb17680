"""The order of the nodes: as few changes of side as possible, and little that crosses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import onnx

from haribote.answers.ownership import exercise
from haribote.errors import HariboteError
from haribote.graph import Index
from haribote.partition.costs import link_microseconds
from haribote.partition.pieces import Side, hops
from simulator.messages import tr

SIDES: tuple[Side, ...] = ("chip", "host")
Phase = tuple[Side, list[onnx.NodeProto]]


def phases(model: onnx.ModelProto, sides: Mapping[str, Side], index: Index) -> list[Phase]:
    """All nodes in an order in which each reads only what is there, in stretches of one side that alternate.

    A stretch takes every node of its side that can run, which gives the fewest stretches; then a node goes to a later
    stretch of its side where less crosses so. sides: node to its side.
    """
    stage = min(
        (_stages(model, sides, index, first) for first in SIDES), key=lambda found: max(found.values(), default=0)
    )
    _sink(model, stage, sides, index)
    count = max(stage.values(), default=-1) + 1
    groups = [[node for node in model.graph.node if stage[node.name] == number] for number in range(count)]
    return [(sides[nodes[0].name], nodes) for nodes in groups if nodes]


def _stages(model: onnx.ModelProto, sides: Mapping[str, Side], index: Index, first: Side) -> dict[str, int]:
    """The stretch of each node; even ones are of the side `first`. Raises HariboteError where they are no order."""
    reads = {
        node.name: [index.producer[name].name for name in node.input if name and name in index.producer]
        for node in model.graph.node
    }
    found = stretches(reads, sides, first)
    for node, before in reads.items():
        number = found.get(node, -1)
        fits = number >= 0 and (number % 2 == 0) == (sides[node] == first)
        if not fits or any(found.get(other, 0) > number for other in before):
            raise HariboteError(
                tr("node {node!r} cannot be in stretch {number}", node, number), tr("`grader check 8.5` says why")
            )
    return found


@exercise("8.5")
def stretches(reads: Mapping[str, Sequence[str]], sides: Mapping[str, Side], first: Side) -> dict[str, int]:
    """The earliest stretch of each node; even ones are of the side `first`. reads: node to the nodes it reads."""
    raise NotImplementedError


def _sink(model: onnx.ModelProto, stage: dict[str, int], sides: Mapping[str, Side], index: Index) -> None:
    """Move nodes to later stretches of their side, where that costs less on the link. In place."""
    for node in reversed(model.graph.node):
        readers = [stage[reader.name] for name in node.output if name for reader in index.consumers[name]]
        latest = min(readers, default=stage[node.name])
        choices = range(stage[node.name], latest + 1, 2)
        if len(choices) > 1:
            stage[node.name] = min(choices, key=lambda choice: (_price(node, choice, stage, sides, index), -choice))


def _price(
    node: onnx.NodeProto, choice: int, stage: Mapping[str, int], sides: Mapping[str, Side], index: Index
) -> float:
    """What crosses to and from a node that is in a stretch: its operands once, its results to each other stretch."""
    side, total = sides[node.name], 0.0
    for name in dict.fromkeys(node.input):
        producer = _maker(name, index)
        if producer is not None and stage[producer.name] != choice:
            others = {stage[reader.name] for reader in index.consumers[name] if reader.name != node.name}
            if choice not in others:
                total += link_microseconds(_size(name, index), hops(sides[producer.name], side))
    for name in filter(None, node.output):
        targets = {stage[reader.name]: sides[reader.name] for reader in index.consumers[name]}
        total += sum(
            link_microseconds(_size(name, index), hops(side, other)) for at, other in targets.items() if at != choice
        )
    return total


def _maker(name: str, index: Index) -> onnx.NodeProto | None:
    """The node that makes a value; None for what is given, and for an input that is left out."""
    return index.producer.get(name) if name else None


def _size(name: str, index: Index) -> int:
    return int(np.prod(index.shape[name], dtype=np.int64)) * index.dtype[name].itemsize


def between(nodes: Sequence[onnx.NodeProto], sides: Mapping[str, Side], index: Index) -> list[list[onnx.NodeProto]]:
    """The connected parts of a stretch of the chip that read from the host and are read by it."""
    group = {node.name: number for number, node in enumerate(nodes)}
    for node in nodes:
        for name in node.input:
            producer = _maker(name, index)
            if producer is not None and producer.name in group:
                old, new = group[node.name], group[producer.name]
                group = {member: new if number == old else number for member, number in group.items()}
    parts = [[node for node in nodes if group[node.name] == number] for number in dict.fromkeys(group.values())]
    return [part for part in parts if _reads_host(part, sides, index) and _read_by_host(part, sides, index)]


def _reads_host(part: Sequence[onnx.NodeProto], sides: Mapping[str, Side], index: Index) -> bool:
    makers = (_maker(name, index) for node in part for name in node.input)
    return any(sides[maker.name] == "host" for maker in makers if maker is not None)


def _read_by_host(part: Sequence[onnx.NodeProto], sides: Mapping[str, Side], index: Index) -> bool:
    readers = (reader for node in part for name in node.output if name for reader in index.consumers[name])
    return any(sides[reader.name] == "host" for reader in readers)
