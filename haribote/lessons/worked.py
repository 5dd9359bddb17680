"""Kernels that a notebook works through: written in a cell, run on the machine, shown with their lines and their cost.

    run(larger, example("Max", ("256x16.A", "256x16.A"), "256x16.A"), a, b)

Nothing of it counts: tasks are checked by `grader.check`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from haribote.chip.codegen import run_kernel
from haribote.chip.operands import read_operand, write_operand
from haribote.errors import HariboteError
from haribote.kernel import Kernel, KernelFunction, Memory, Op, Operand
from haribote.layout import LAYOUTS, Layout, dram_layout
from simulator import Machine, SimulatorError, assemble
from simulator.assembly.checks import check
from simulator.isa.program import Program
from simulator.messages import tr
from simulator.pictures import Picture, timeline

MOST_LINES = 24


@dataclass(frozen=True, eq=False)
class WorkedRun:
    """A kernel that has run. lines: of assembly. program: what they became. y: the result, of the output's shape."""

    lines: tuple[str, ...]
    program: Program
    y: NDArray[Any]

    @property
    def picture(self) -> Picture:
        """Which unit works in which cycle."""
        return timeline(self.program)

    def __str__(self) -> str:
        lines = list(self.lines)
        if len(lines) > MOST_LINES:
            left_out = tr("… {value} more lines", len(lines) - MOST_LINES + 1)
            lines = [*lines[: MOST_LINES - 1], left_out]
        moves = f" and {self.program.moves} MV" if self.program.moves else ""
        return "\n".join([*lines, tr("cost: {steps} steps{moves}", self.program.steps, moves)])

    __repr__ = __str__


def example(kind: str, inputs: Sequence[str], output: str, *, source: Memory = "LM0", target: Memory = "LM1") -> Op:
    """An operator on tensors of these layouts (a name such as "256x16.A", or the notation), one behind the other.

    source: where the inputs are. target: where the output goes. Addresses begin at 0, as in the problem set.
    Raises LayoutError.
    """
    address, operands = 0, []
    for number, layout in enumerate(inputs):
        operands.append(_operand(f"in{number}", layout, source, address))
        address += operands[-1].words
    return Op(kind, tuple(operands), _operand("out", output, target, 0))


def run(kernel: KernelFunction, op: Op, *arrays: NDArray[Any]) -> WorkedRun:
    """Run a kernel on arrays of 32-bit elements, one for each input.

    Raises HariboteError for another number of arrays, SimulatorError for lines that cannot be right.
    """
    if len(arrays) != len(op.inputs):
        raise HariboteError(
            tr("{kind} takes {inputs} arrays, received {arrays}", op.kind, len(op.inputs), len(arrays)),
            tr("one for each input"),
        )
    lines = tuple(run_kernel(Kernel("", op.kind, kernel), op))
    program = assemble("\n".join(lines))
    for finding in check(program):
        if finding.severity == "error":
            raise SimulatorError(tr("line {line}: {message}", finding.line, finding.message))
    machine = Machine()
    for operand, array in zip(op.inputs, arrays, strict=True):
        write_operand(machine, operand, array)
    machine.run(program)
    return WorkedRun(lines, program, read_operand(machine, op.y))


def _operand(name: str, layout: str, memory: Memory, address: int) -> Operand:
    found = LAYOUTS.get(layout) or Layout.parse(layout)
    return Operand(
        name, found.shape, "float32", dram_layout(found.shape) if memory == "DRAM" else found, memory, address
    )
