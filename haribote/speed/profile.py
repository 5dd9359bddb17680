"""What a program costs by whatever its lines belong to: nodes of the graph, kinds of work, the moves of data."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from haribote.answers.ownership import exercise
from haribote.chip.program import Compiled, ProgramPart
from simulator.columns import columns, left
from simulator.isa.program import Move, Program, Step
from simulator.messages import Text, tr

Lines = Sequence[Any]
"""Lines of a program: `Step`, `Move`, and others, which cost nothing."""
BETWEEN = Text("between kernels")
"""What lines belong to that serve no node: nops."""


@exercise("7.1")
def cycles_by_name(lines: Lines, names: Sequence[str]) -> dict[str, float]:
    """The cycles of the lines of a program, added up by name, the dearest first; names: of each line.

    A `Step` takes 4 cycles, a nop/N counts N times (`line.count`); a `Move` takes its size by its rate; others nothing.
    """
    raise NotImplementedError


def programs_of(compiled: Compiled) -> list[Program]:
    """What of a compiled step runs on the chip."""
    return [part.program for part in compiled.parts if isinstance(part, ProgramPart)]


def nodes_of_lines(program: Program) -> list[str]:
    """The node that every line of a program of -O0 serves, as its comment says; BETWEEN for what serves none."""
    texts = program.source.splitlines()
    return [texts[line.line - 1].partition("#")[2].strip() or BETWEEN for line in program.lines]


def cycles_by_node(compiled: Compiled) -> dict[str, float]:
    """The cycles of every node of a step compiled at -O0."""
    found: dict[str, float] = defaultdict(float)
    for program in programs_of(compiled):
        for name, cycles in cycles_by_name(program.lines, nodes_of_lines(program)).items():
            found[name] += cycles
    return dict(sorted(found.items(), key=lambda entry: -entry[1]))


def cycles_by_operator(compiled: Compiled) -> dict[str, float]:
    """The same by the operator of the node: DL, UL, Gemm, …"""
    operators = {node.name: node.op_type for node in compiled.model.graph.node}
    return _regrouped(cycles_by_node(compiled), operators)


def cycles_by_unit(program: Program) -> dict[str, float]:
    """The same by what works: MV, a unit (or several), or nothing but nops."""
    return cycles_by_name(program.lines, [_units(line) for line in program.lines])


def _units(line: Any) -> str:
    if isinstance(line, Move):
        return "MV"
    if not isinstance(line, Step):
        return "none"
    units = sorted({instruction.unit for instruction in line.instructions} - {"nop"})
    return " + ".join(units) or "nop"


def _regrouped(cycles: Mapping[str, float], group: Mapping[str, str]) -> dict[str, float]:
    found: dict[str, float] = defaultdict(float)
    for name, number in cycles.items():
        found[group.get(name, name)] += number
    return dict(sorted(found.items(), key=lambda entry: -entry[1]))


def table(cycles: Mapping[str, float], most: int = 12) -> str:
    """Names, cycles and shares; the dearest `most` of them."""
    total = sum(cycles.values())
    first = list(cycles.items())[:most]
    if len(first) < len(cycles):
        first.append((tr("{value} more", len(cycles) - most), total - sum(number for _, number in first)))
    width = max((columns(name) for name, _ in first), default=0)
    rows = [f"{left(name, width)}  {number:>8,.0f}  {number / total:>6.1%}" for name, number in first]
    return "\n".join([*rows, f"{left(tr('together'), width)}  {total:>8,.0f}"])
