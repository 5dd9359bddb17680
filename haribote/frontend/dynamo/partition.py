"""Which operations the compiler takes, and an fx graph cut into the largest pieces of them.

Along every path an operation's level counts how often the side changes, compiler or torch. Operations of one level and
side do not need what another side makes of them, so all that the compiler takes of a level is one piece.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from torch import fx

from haribote.frontend.lowering import FREE

Taken = Callable[[fx.Node], bool]


@dataclass(frozen=True)
class Part:
    """Operations, in order, of one side."""

    nodes: tuple[fx.Node, ...]
    compiled: bool

    @property
    def inputs(self) -> list[fx.Node]:
        """What it reads of others."""
        own = set(self.nodes)
        return list(dict.fromkeys(read for node in self.nodes for read in node.all_input_nodes if read not in own))

    @property
    def outputs(self) -> list[fx.Node]:
        """What others read of it."""
        own = set(self.nodes)
        return [node for node in self.nodes if any(user not in own for user in node.users)]

    @property
    def computes(self) -> bool:
        """Whether any operation does more than to move elements."""
        return any(node.target not in FREE and not is_item(node) for node in self.nodes)

    def halves(self) -> tuple[Part, Part]:
        """The first and the second half, one behind the other; operations with several results stay whole."""
        middle = (len(self.nodes) + 1) // 2
        while middle < len(self.nodes) and is_item(self.nodes[middle]):
            middle += 1
        return Part(self.nodes[:middle], self.compiled), Part(self.nodes[middle:], self.compiled)


def is_item(node: fx.Node) -> bool:
    """Whether it is one of the results of an operation with several."""
    return node.target is operator.getitem


def operation_of(node: fx.Node) -> fx.Node:
    """The operation itself of one of its results."""
    source = node.args[0] if is_item(node) else node
    assert isinstance(source, fx.Node)
    return source


def operations(graph: fx.Graph) -> list[fx.Node]:
    """All that computes."""
    return [node for node in graph.nodes if node.op not in ("placeholder", "output", "get_attr")]


def partition(graph: fx.Graph, taken: Taken, ordered: Taken) -> list[Part]:
    """The parts in an order in which they can run.

    Args:
        graph: functional operations.
        taken: whether the compiler takes an operation.
        ordered: operations that must stay in their order, such as random numbers; none of them is taken.
    """
    nodes = operations(graph)
    side = {node: taken(operation_of(node)) for node in nodes}
    level = _levels(nodes, side, ordered)
    _sink(nodes, side, level)
    parts: list[Part] = []
    for at in sorted(set(level.values())):
        for compiled in (True, False):
            found = tuple(node for node in nodes if level[node] == at and side[node] == compiled)
            if found:
                part = Part(found, compiled)
                parts.append(part if part.computes else Part(found, False))
    return parts


def _levels(nodes: Sequence[fx.Node], side: dict[fx.Node, bool], ordered: Taken) -> dict[fx.Node, int]:
    level: dict[fx.Node, int] = {}
    last = 0
    for node in nodes:
        if is_item(node):
            level[node] = level[operation_of(node)]
            continue
        reads = [read for read in node.all_input_nodes if read in level]
        level[node] = max((level[read] + (side[read] != side[node]) for read in reads), default=0)
        if ordered(node):
            level[node] = last = max(level[node], last)
    return level


def _sink(nodes: Sequence[fx.Node], side: dict[fx.Node, bool], level: dict[fx.Node, int]) -> None:
    """What only moves elements goes to where it is read first, so that nothing crosses for it."""
    for node in reversed(nodes):
        readers = [user for user in node.users if user in level]
        same = len(readers) == len(node.users) and all(side[user] == side[node] for user in readers)
        if node.target in FREE and same and readers:
            level[node] = min(level[user] for user in readers)
