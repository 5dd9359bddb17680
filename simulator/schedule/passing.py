"""Values that a forwarding path can pass on: what one instruction writes and another reads from memory.

Read from the path, in the step right after, it need not wait for the memory. The path must hold just what a read of the
memory would give: all words of the same operand, written without a mask, and a second long word of 0 where the operand
has none and the reader would see it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from simulator.isa import program as p
from simulator.isa.units import PathName
from simulator.isa.words import pe_spans
from simulator.schedule.dependences import gap
from simulator.schedule.nodes import Node, steps_of
from simulator.schedule.text import words_of
from simulator.schedule.touches import moved_banks

UNMASKED = 31
"""The entry of the mask register with which everything is written."""


@dataclass(frozen=True, eq=False, slots=True)
class Passing:
    """sources: numbers of the reader's sources that the path takes the place of. wait: steps from writer to reader as
    they are."""

    writer: Node
    reader: Node
    sources: tuple[int, ...]
    path: PathName
    wait: int

    def reading(self, instruction: p.Instruction) -> p.Instruction:
        """The reader's instruction, which may have paths in it already, with this one."""
        words, sources = words_of(instruction), list(instruction.sources)
        for number in self.sources:
            words[1 + number] = f"{'-' * sources[number].negate}${self.path}"
            sources[number] = replace(sources[number], operand=p.Path(self.path))
        return replace(instruction, text=" ".join(words), sources=tuple(sources))


def passings(nodes: Sequence[Node]) -> list[Passing]:
    """All that could be passed on, for each pair of writer and reader everything at once."""
    return list(_found(nodes, moved_banks(nodes)))


def _found(nodes: Sequence[Node], moved: frozenset[str]) -> Iterator[Passing]:
    holds: dict[tuple[str, int], tuple[Node, p.PeMemory | None]] = {}
    for step in steps_of(nodes):
        for node in step:
            if node.instruction is not None and not node.alone:
                yield from _read(node, node.instruction, holds)
        for node in step:
            if node.instruction is None:
                if not isinstance(node.line, p.Move):
                    holds.clear()
                continue
            for destination in node.instruction.destinations:
                operand = destination.operand
                if isinstance(operand, p.PeMemory):
                    if operand.indirect or operand.bank in moved:
                        holds.clear()
                        continue
                    whole = operand if _plain(operand, destination) and not node.alone else None
                    words = (w for cycle in pe_spans(operand) for a, b in cycle for w in range(a, b))
                    holds |= dict.fromkeys(((operand.bank, word) for word in words), (node, whole))


def _plain(operand: p.PeMemory, destination: p.Destination) -> bool:
    """True where every cycle writes words of its own, in all PEs the same ones."""
    mask = destination.mask
    if operand.j is not None or operand.words == 1 or (mask is not None and mask.entry not in (0, UNMASKED)):
        return False
    return len(set(operand.addresses)) == len(operand.addresses) and all(
        a % operand.words == 0 for a in operand.addresses
    )


def _read(
    node: Node, instruction: p.Instruction, holds: dict[tuple[str, int], tuple[Node, p.PeMemory | None]]
) -> Iterator[Passing]:
    """One for each writer of something that the node reads."""
    sources: dict[Node, list[int]] = {}
    for number, source in enumerate(instruction.sources):
        operand = source.operand
        if not isinstance(operand, p.PeMemory) or operand.indirect or source.widen or source.narrow:
            continue
        writers = {holds.get((operand.bank, w)) for cycle in pe_spans(operand) for a, b in cycle for w in range(a, b)}
        writer, written = next(iter(writers)) or (None, None)
        if len(writers) > 1 or writer is None or written != operand or writer.line is node.line:
            continue
        if operand.words == 4 or _ignores_more(instruction) or _ends_early(writer.instruction):
            sources.setdefault(writer, []).append(number)
    for writer, numbers in sources.items():
        assert writer.instruction is not None
        path = writer.instruction.path
        if not path or (path == "mreadf" and (instruction.unit != "alu" or numbers != [0])):
            continue
        found = Passing(writer, node, tuple(numbers), path, gap(writer.instruction, instruction) + 1)
        if not gap(writer.instruction, found.reading(instruction)):
            yield found


def _ignores_more(reader: p.Instruction) -> bool:
    """True where nothing depends on the second long word of what is read."""
    if reader.unit == "mau":
        return reader.precision in ("d", "f", "g")
    target = reader.destinations[0].operand
    if reader.unit == "mau-write":
        return isinstance(target, p.Matrix) and not target.double
    return reader.unit == "l1bm" and isinstance(target, p.L1bm | p.Turnaround) and target.words == 2


def _ends_early(writer: p.Instruction | None) -> bool:
    """True where the second long word of a result is 0, whatever the values are."""
    assert writer is not None
    if writer.unit in ("mau", "mau-read"):
        return writer.precision in ("d", "f", "g")
    first = writer.sources[0].operand if writer.sources else None
    if writer.unit == "l1bm":
        return isinstance(first, p.L1bm | p.Turnaround) and first.words == 2
    if writer.unit != "alu" or writer.precision == "h" or writer.op == "imm":
        return False
    return isinstance(first, p.PeMemory) and first.words <= 2
