"""A schedule as a program text: each step with the numbers of the lines that its instructions come from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from simulator.assembly.assembler import WORD
from simulator.isa import CYCLE_MASKS
from simulator.isa.program import Instruction, Step, WriteMask
from simulator.schedule.nodes import Node


def written(times: Mapping[Node, int], changed: Mapping[Node, Instruction]) -> str:
    """The text of a program in which every node has its time. `mask` statements are gone, their masks written out.

    changed: instructions that take the place of those of their nodes.
    """
    steps: dict[int, list[Node]] = defaultdict(list)
    between: dict[int, list[Node]] = defaultdict(list)
    for node in sorted(times, key=lambda node: node.number):
        (between if node.instruction is None else steps)[times[node]].append(node)
    lines: list[str] = []
    nops = 0
    for time in range(max(times.values(), default=-1) + 1):
        if nops and (between.get(time) or steps.get(time)):
            lines.append("nop" if nops == 1 else f"nop/{nops}")
            nops = 0
        lines += [node.line.text for node in between.get(time, ())]
        if time in steps:
            lines.append(_step([(node, changed.get(node, node.instruction)) for node in steps[time]]))
        else:
            nops += 1
    return "".join(f"{line}\n" for line in lines)


def _step(found: list[tuple[Node, Instruction | None]]) -> str:
    """One line of instructions; a `wait` is not left alone."""
    instructions = [instruction for _, instruction in found if instruction is not None]
    parts = [text_of(instruction) for instruction in instructions]
    if all(instruction.op == "wait" for instruction in instructions):
        parts.insert(0, "nop")
    numbers = dict.fromkeys(node.line.line for node, _ in found if isinstance(node.line, Step))
    return f"{'; '.join(parts)}  # {' '.join(map(str, numbers))}"


def text_of(instruction: Instruction) -> str:
    """An instruction with all its masks written at their destinations."""
    return " ".join(_words(instruction))


def words_of(instruction: Instruction) -> list[str]:
    """The opcode, the sources and the destinations, as they are written."""
    return [match[0] for match in WORD.finditer(instruction.text) if match[0] != ";"]


def _words(instruction: Instruction) -> Iterator[str]:
    words = words_of(instruction)
    first = len(words) - len(instruction.destinations)
    yield from words[:first]
    for word, destination in zip(words[first:], instruction.destinations, strict=True):
        mask = destination.mask
        yield word if mask is None or mask.explicit else f"{word}/{_mask(mask)}"


def _mask(mask: WriteMask) -> str:
    length = "l" * (mask.words.bit_length() - 1)
    if mask.entry < CYCLE_MASKS:
        return f"${length}imr{mask.entry}"
    return f"{length}{mask.entry - CYCLE_MASKS:04b}"
