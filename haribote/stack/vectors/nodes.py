"""The instructions of an expression: one node for each value, masked writes and targets attached."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from haribote.core.chip.values import MAU, Arg, Value, ordered


class Target(NamedTuple):
    """Place `number` of those that output `name` is written to."""

    name: str
    number: int
    bank: str


@dataclass(eq=False)
class VectorNode:
    """An instruction. args: of what is computed, the node; else the value.

    flush: gives the flags of a zero-flush. cover: the node whose flags mask the write, and the node that has written
    the rest before, in the same places. after: nodes that must have read before this one writes.
    """

    op: str
    args: list[tuple[VectorNode | Value, bool]]
    flush: VectorNode | None = None
    cover: tuple[VectorNode, VectorNode] | None = None
    targets: list[Target] = field(default_factory=list)
    after: list[VectorNode] = field(default_factory=list)
    gives_flags: bool = False

    @property
    def unit(self) -> str:
        """`mau` or `alu`."""
        return "mau" if self.op in MAU else "alu"

    @property
    def needs(self) -> list[VectorNode]:
        """The nodes that must be in earlier lines."""
        computed = [source for source, _ in self.args if isinstance(source, VectorNode)]
        return computed + ([self.flush] if self.flush else []) + list(self.cover or ())

    def reads(self, name: str) -> bool:
        """True where an operand is the input of that name."""
        return any(isinstance(s, Value) and s.op == "read" and s.key == name for s, _ in self.args)


def copy_of(source: VectorNode | Value) -> VectorNode:
    """The same bits once more."""
    return VectorNode("ipassa", [(source, False)])


def nodes_of(
    outputs: Mapping[str, Value], banks: Mapping[str, Sequence[str]], overwritten: Mapping[Target, Sequence[str]]
) -> list[VectorNode]:
    """The nodes in topological order.

    banks: of the targets of every output. overwritten: the inputs that lie where a target is; all that read one of
    them must have done so before the target is written.
    """
    graph = _Graph(outputs.values())
    for value in outputs.values():
        if value not in graph.of:
            graph.of[value] = graph.add(copy_of(value))
    for name, value in outputs.items():
        for number, bank in enumerate(banks[name]):
            graph.write(value, Target(name, number, bank), overwritten)
    return graph.nodes


class _Graph:
    def __init__(self, outputs: Iterable[Value]) -> None:
        wanted = list(outputs)
        values = ordered(wanted)
        self.uses = Counter(arg.value for value in values for arg in value.args)
        self.uses.update(wanted)
        self.nodes: list[VectorNode] = []
        self.of: dict[Value, VectorNode] = {}
        for value in values:
            if value.op == "flags":
                self.of[value] = self.of[value.args[0].value]
                self.of[value].gives_flags = True
            elif value.is_operation:
                self.of[value] = self._node(value)

    def add(self, node: VectorNode) -> VectorNode:
        """A node at the end."""
        self.nodes.append(node)
        return node

    def _source(self, arg: Arg) -> tuple[VectorNode | Value, bool]:
        return self.of.get(arg.value, arg.value), arg.negated

    def _own(self, value: Value) -> VectorNode | None:
        """The node of a value that has no other use, so that it may be changed."""
        node = self.of.get(value)
        return node if node and value.op != "merge" and self.uses[value] == 1 and not node.gives_flags else None

    def _node(self, value: Value) -> VectorNode:
        flag = self.of[value.mask] if value.mask else None
        first = value.args[0].value if value.args else None
        own = self._own(first) if first else None
        if value.op == "merge":
            assert flag is not None
            base = self._own(value.args[1].value) or self.add(copy_of(self._source(value.args[1])[0]))
            if own is None or own.flush is not None or own is base:
                own = self.add(copy_of(self._source(value.args[0])[0]))
            self._last(own).cover = flag, base
            return own
        if value.op == "ipassa" and flag and own and own.flush is None:
            self._last(own).flush = flag
            return own
        return self.add(VectorNode(value.op, [self._source(arg) for arg in value.args], flag))

    def _last(self, node: VectorNode) -> VectorNode:
        """Move a node to the end, after the flags that it now needs."""
        self.nodes.remove(node)
        return self.add(node)

    def write(self, value: Value, target: Target, overwritten: Mapping[Target, Sequence[str]]) -> None:
        """Let the node of a value write a target, or a copy of it where that would be too early or a second write."""
        node = self.of[value]
        readers = [n for n in self.nodes if any(n.reads(name) for name in overwritten.get(target, ()))]
        early = bool(readers) and (node.cover is not None or not set(readers) <= {node, *_ancestors(node)})
        if early or any(other.bank == target.bank for other in node.targets):
            node = self.add(copy_of(node))
            node.after = readers
        node.targets.append(target)


def _ancestors(node: VectorNode) -> set[VectorNode]:
    found: set[VectorNode] = set()
    stack = [node]
    while stack:
        for other in stack.pop().needs:
            if other not in found:
                found.add(other)
                stack.append(other)
    return found
