"""Random graphs that -O2 must be able to run, of everything that it promises, with inputs; each by its seed.

A graph grows node by node, and every node is computed as it is added: what gives too large numbers, or too many, is
left out again. Operators that jump (Floor, comparisons, ArgMax) read only values that are exact in single precision,
so that a rounding error on the way stays one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import onnx

from benchmarks.growing import Array, Grower
from benchmarks.kinds import KINDS
from haribote.errors import GraphError
from haribote.graph import remove_unused_constants

__all__ = ["KINDS", "Array", "Case", "random_graph"]


@dataclass(frozen=True)
class Case:
    """A graph, and the inputs on which it is tried."""

    model: onnx.ModelProto
    feeds: dict[str, Array]


def random_graph(seed: int, nodes: tuple[int, int] = (2, 8), kinds: Sequence[str] = ()) -> Case:
    """The graph of a seed, of nodes of these kinds, or of all."""
    random = Random(seed)
    grower = Grower(random)
    wanted = random.randint(*nodes)
    names = list(kinds or KINDS)
    while len(grower.builder.model.graph.node) < wanted:
        kind = KINDS[random.choice(names)]
        try:
            kind(grower)
        except GraphError:
            continue
    made = [name for node in grower.builder.model.graph.node for name in node.output if name]
    for name in made:
        if name not in grower.read or random.random() < 0.1:
            grower.builder.output(name)
    graph = grower.builder.model.graph
    used = {name for node in graph.node for name in node.input}
    for name in [name for name in grower.feeds if name in used and random.random() < 0.02]:
        grower.builder.output(name)
    for info in [info for info in graph.input if info.name not in used]:
        graph.input.remove(info)
    remove_unused_constants(graph)
    return Case(grower.builder.finish(), {name: value for name, value in grower.feeds.items() if name in used})
