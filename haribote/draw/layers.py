"""Layered drawing of a directed acyclic graph, after Sugiyama: layers, order within each, positions.

Knows nothing of ONNX: boxes are numbers, a wire leads from one box to all the boxes that read its value. A wire that
spans several layers goes through bends, one per layer, which its readers share.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from haribote.draw.order import order_layers
from haribote.draw.position import place_in_layers

COLUMN_GAP = 22.0
BEND_WIDTH = 10.0


class Size(NamedTuple):
    """Width and height of a box, pixels."""

    width: float
    height: float


class Point(NamedTuple):
    """Pixels from the top left corner."""

    x: float
    y: float


class Wire(NamedTuple):
    """A value: from the box that makes it to the boxes that read it, each named once and later than the source."""

    source: int
    targets: tuple[int, ...]


@dataclass(frozen=True)
class Arrangement:
    """Where everything is.

    Attributes:
        centers: the middle of each box.
        routes: (wire, target) to the points that the wire passes between its source and that target, two per layer
            in between (where the wire enters the layer and where it leaves it).
        rows: top and bottom of each layer.
        row_of: the layer of each box.
        width, height: of the whole drawing.
    """

    centers: list[Point]
    routes: dict[tuple[int, int], list[Point]]
    rows: list[tuple[float, float]]
    row_of: list[int]
    width: float
    height: float


@dataclass
class Layered:
    """The graph with its bends: vertices after those of the boxes. `trunks`: the bends of each long wire."""

    layer: list[int]
    widths: list[float]
    above: list[list[int]]
    below: list[list[int]]
    trunks: list[list[int]] = field(default_factory=list)

    def layers(self) -> list[list[int]]:
        """The vertices of every layer, in the order in which they were made."""
        result: list[list[int]] = [[] for _ in range(max(self.layer, default=-1) + 1)]
        for vertex, layer in enumerate(self.layer):
            result[layer].append(vertex)
        return result

    def connect(self, upper: int, lower: int) -> None:
        """Join two vertices of neighbouring layers, once."""
        if lower not in self.below[upper]:
            self.below[upper].append(lower)
            self.above[lower].append(upper)

    def bend(self, layer: int) -> int:
        """A new bend."""
        self.layer.append(layer)
        self.widths.append(BEND_WIDTH)
        self.above.append([])
        self.below.append([])
        return len(self.layer) - 1


def arrange(sizes: Sequence[Size], wires: Sequence[Wire], row_gap: float) -> Arrangement:
    """Give every box a place such that no two overlap and wires lead down; row_gap: pixels between two layers."""
    row_of = assign_layers(len(sizes), wires)
    widths = [size.width for size in sizes]
    graph = Layered(list(row_of), widths, [[] for _ in sizes], [[] for _ in sizes])
    paths = {
        (number, target): vertices
        for number, wire in enumerate(wires)
        for target, vertices in _route(graph, wire).items()
    }
    layers = order_layers(graph.layers(), graph.above, graph.below)
    x = place_in_layers(layers, graph.above, graph.below, graph.trunks, graph.widths, COLUMN_GAP)
    rows = _rows(layers, sizes, row_gap)
    centers = [Point(x[box], sum(rows[row]) / 2) for box, row in enumerate(row_of)]
    routes = {
        key: [Point(x[vertex], edge) for vertex in vertices for edge in rows[graph.layer[vertex]]]
        for key, vertices in paths.items()
    }
    width = max((x[vertex] + graph.widths[vertex] / 2 for vertex in range(len(x))), default=0.0)
    return Arrangement(centers, routes, rows, row_of, width, rows[-1][1] if rows else 0.0)


def assign_layers(boxes: int, wires: Sequence[Wire]) -> list[int]:
    """The layer of every box: below all it reads, and near to what it has more wires with, so that wires are short."""
    above: list[list[int]] = [[] for _ in range(boxes)]
    below: list[list[int]] = [[] for _ in range(boxes)]
    for wire in wires:
        for target in wire.targets:
            above[target].append(wire.source)
            below[wire.source].append(target)
    layer = [0] * boxes
    for box in range(boxes):
        layer[box] = max((layer[source] + 1 for source in above[box]), default=0)
    for _ in range(boxes):
        before = list(layer)
        for box in reversed(range(boxes)):
            if len(above[box]) > len(below[box]):
                layer[box] = max(layer[source] for source in above[box]) + 1
            elif below[box]:
                layer[box] = min(layer[target] for target in below[box]) - 1
        if layer == before:
            break
    first = min(layer, default=0)
    return [number - first for number in layer]


def _route(graph: Layered, wire: Wire) -> dict[int, list[int]]:
    """Connect a wire's boxes, through bends where layers lie between; target to the bends on its way."""
    start = graph.layer[wire.source]
    last = max((graph.layer[target] for target in wire.targets), default=start)
    trunk: list[int] = []
    for layer in range(start + 1, last):
        trunk.append(graph.bend(layer))
        graph.connect(trunk[-2] if len(trunk) > 1 else wire.source, trunk[-1])
    if trunk:
        graph.trunks.append(trunk)
    result = {}
    for target in wire.targets:
        bends = trunk[: graph.layer[target] - start - 1]
        graph.connect(bends[-1] if bends else wire.source, target)
        result[target] = bends
    return result


def _rows(layers: Sequence[Sequence[int]], sizes: Sequence[Size], gap: float) -> list[tuple[float, float]]:
    rows, top = [], 0.0
    for layer in layers:
        height = max((sizes[vertex].height for vertex in layer if vertex < len(sizes)), default=0.0)
        rows.append((top, top + height))
        top += height + gap
    return rows
