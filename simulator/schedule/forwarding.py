"""Forwarding paths and the turnaround register: what must stand right after what.

A forwarding path is read by the step after the one that fills it, so writer and reader are tied, and nothing can come
between. Only where a register is read later than that, it matters in which order all others fill it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from simulator.isa import program as p
from simulator.schedule.nodes import Edge, Node, steps_of, tie

TURNAROUND = "turnaround"


def forwarding(nodes: Sequence[Node], sealed: dict[Node, set[int]]) -> Iterator[Edge]:
    """All edges of forwarding paths. Fills in what is sealed: steps that must stay empty, of the node that asks."""
    late: set[str] = set()
    yield from _ties(nodes, sealed, late)
    registers = {name: _Register() for name in late}
    for step in steps_of(nodes):
        for node in step:
            for name in late.intersection(reads_registers(node)):
                yield from registers[name].read(node)
        for node in step:
            for name in late.intersection(writes_registers(node)):
                yield from registers[name].write(node)


def _ties(nodes: Sequence[Node], sealed: dict[Node, set[int]], late: set[str]) -> Iterator[Edge]:
    """What reads a forwarding path in time, what reads `$lbi`, and steps with `noforward`. Fills in what is sealed, and
    the registers that are read late."""
    filled: dict[str, Node] = {}
    silent: list[Node] = []  # since then, in steps that fill nothing
    for step in steps_of(nodes):
        line = step[0].line
        for node in step:
            for name in reads_registers(node):
                if name not in filled or (name == TURNAROUND and node.time - filled[name].time > 1):
                    late.add(name)
                if name not in filled:
                    continue
                yield from tie(filled[name], node)
                if name != TURNAROUND:
                    yield from (edge for other in silent for edge in tie(node, other))
                    sealed[node] |= set(range(filled[name].time + 1, node.time))
            if node.alone:
                yield from tie(step[0], node)
                sealed[node].add(node.time)
        if not isinstance(line, p.Step):
            continue
        if line.is_nop or step[0].alone:
            silent += step
        else:
            sent = filled.get(TURNAROUND)
            filled = {TURNAROUND: sent} if sent is not None else {}
            filled |= {name: node for node in step for name in writes_registers(node)}
            silent = []


def reads_registers(node: Node) -> list[str]:
    """The forwarding paths that an instruction reads, and the turnaround register."""
    if node.instruction is None:
        return []
    operands = [source.operand for source in node.instruction.sources]
    found: list[str] = [operand.name for operand in operands if isinstance(operand, p.Path)]
    return found + [TURNAROUND] * any(isinstance(operand, p.Turnaround) for operand in operands)


def writes_registers(node: Node) -> list[str]:
    """The forwarding path or turnaround register that an instruction fills; none beside `noforward`."""
    if node.instruction is None or node.alone:
        return []
    return [*filter(None, [node.instruction.path]), *[TURNAROUND] * node.instruction.form.from_pes]


class _Register:
    """Filled by every instruction of its unit, and read by few: what nobody reads may be filled in any order.

    Only no other value may come between one that is read and its readers.
    """

    def __init__(self) -> None:
        self._unread: list[Node] = []  # filled since the last reader, the value of now last
        self._value: Node | None = None
        self._readers: list[Node] = []

    def read(self, node: Node) -> Iterator[Edge]:
        if self._unread:
            *others, value = self._unread
            yield from (Edge(other, value, 1) for other in others if other.line is not value.line)
            self._value = value
            self._unread, self._readers = [], []
        if self._value is not None:
            yield Edge(self._value, node, 1)
        self._readers.append(node)

    def write(self, node: Node) -> Iterator[Edge]:
        yield from (Edge(reader, node, 0) for reader in self._readers if reader is not node)
        if self._unread and self._unread[-1].line is node.line:
            yield from tie(self._unread[-1], node)
        self._unread.append(node)
