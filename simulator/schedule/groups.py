"""Groups: nodes that keep their distances, and what is left of the edges between them.

Whatever depends on each other in both directions keeps the distances that it has in the program.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace

from simulator.schedule.dependences import edges
from simulator.schedule.forwarding import forwarding
from simulator.schedule.nodes import Edge, Group, Node
from simulator.schedule.webs import MatrixWeb


def groups_of(
    nodes: Sequence[Node],
    webs: Sequence[MatrixWeb] = (),
    near: Container[tuple[Node, Node]] = (),
    known: Iterable[Edge] | None = None,
) -> list[Group]:
    """The groups of a program, in its order, and how they depend on each other.

    webs: as in `edges`. near: nodes of which the second may come in the step after the first, whatever the waits are.
    known: what `edges` would give, found in another way.
    """
    sealed: dict[Node, set[int]] = defaultdict(set)
    found = [*(edges(nodes, webs) if known is None else known), *forwarding(nodes, sealed)]
    if near:
        found = [replace(e, least=min(e.least, 1)) if (e.first, e.second) in near else e for e in found]
    following: dict[Node, list[Node]] = defaultdict(list)
    for edge in found:
        following[edge.first].append(edge.second)
    groups: dict[Node, Group] = {}
    for component in _components(nodes, following):
        members = sorted(component, key=lambda node: node.number)
        start = min(node.time for node in members)
        closed = frozenset(time - start for node in members for time in sealed[node])
        group = Group(start, {node: node.time - start for node in members}, closed)
        groups |= dict.fromkeys(members, group)
    for edge in found:
        first, second = groups[edge.first], groups[edge.second]
        first.edges.append(edge)
        if first is not second:
            least = first.times[edge.first] + edge.least - second.times[edge.second]
            first.after[second] = max(least, first.after.get(second, least))
            second.before[first] = first.after[second]
    return list(dict.fromkeys(groups[node] for node in nodes))


def _components(nodes: Sequence[Node], following: dict[Node, list[Node]]) -> Iterator[list[Node]]:
    """Strongly connected components (Tarjan's algorithm, without recursion)."""
    number: dict[Node, int] = {}
    lowest: dict[Node, int] = {}
    stack: list[Node] = []
    open_nodes: set[Node] = set()
    for root in nodes:
        if root in number:
            continue
        path = [(root, iter(following[root]))]
        number[root] = lowest[root] = len(number)
        stack.append(root)
        open_nodes.add(root)
        while path:
            node, rest = path[-1]
            for other in rest:
                if other not in number:
                    number[other] = lowest[other] = len(number)
                    stack.append(other)
                    open_nodes.add(other)
                    path.append((other, iter(following[other])))
                    break
                if other in open_nodes:
                    lowest[node] = min(lowest[node], number[other])
            else:
                path.pop()
                if path:
                    lowest[path[-1][0]] = min(lowest[path[-1][0]], lowest[node])
                if lowest[node] == number[node]:
                    yield _popped(stack, open_nodes, node)


def _popped(stack: list[Node], open_nodes: set[Node], last: Node) -> list[Node]:
    place = stack.index(last)
    component = stack[place:]
    del stack[place:]
    open_nodes -= set(component)
    return component
