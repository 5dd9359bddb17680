"""A program with other addresses: the text of each operand changed, all else as it was."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from simulator.assembly.assembler import WORD, assemble
from simulator.isa.program import Program, Step
from simulator.schedule.nodes import Node, steps_of
from simulator.schedule.text import text_of

Moved = Mapping[tuple[Node, int], int]
"""By how much the address of an operand grows: node, and number among its sources and then its destinations."""

_ADDRESS = re.compile(r"(-?\$l*[a-z])(\d+|\[[\d,]+\])(.*)")
_NUMBER = re.compile(r"\d+")


def readdressed(program: Program, nodes: Sequence[Node], moved: Moved) -> Program:
    """The program with these addresses. nodes: its own."""
    by_node: dict[Node, dict[int, int]] = {}
    for (node, operand), more in moved.items():
        if more:
            by_node.setdefault(node, {})[operand] = more
    lines = [""] * (program.source.count("\n") + 1)
    at_line = {id(step[0].line): step for step in steps_of(nodes)}
    for line in program.lines:
        here = at_line.get(id(line), [])
        if not isinstance(line, Step):
            lines[line.line - 1] = _text(line.text, by_node.get(here[0], {}))
            continue
        parts = [_text(text_of(node.instruction), by_node.get(node, {})) for node in here if node.instruction]
        if line.is_nop:
            parts.insert(0, "nop" if line.count == 1 else f"nop/{line.count}")
        lines[line.line - 1] = "; ".join(parts)
    return assemble("\n".join(lines), program.filename)


def _text(text: str, changes: Mapping[int, int]) -> str:
    """The text of an instruction, its operands moved."""
    if not changes:
        return text
    words = [match[0] for match in WORD.finditer(text)]
    for operand, more in changes.items():
        match = _ADDRESS.fullmatch(words[1 + operand])
        assert match is not None, words[1 + operand]
        head, addresses, tail = match.groups()
        words[1 + operand] = head + _NUMBER.sub(lambda number, more=more: str(int(number[0]) + more), addresses) + tail
    return " ".join(words)
