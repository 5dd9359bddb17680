"""One training step of a compiled network, recorded: what runs when, whose it is, and moments of the field of PEs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

import numpy as np

from haribote.chip.codegen import ChipPiece
from haribote.chip.program import Compiled
from haribote.chip.runtime import KernelValues
from haribote.chip.session import Session
from haribote.share.field import BRIGHTEST, Field, field, used
from haribote.speed.profile import programs_of
from simulator import Machine, assemble
from simulator.effects.running import Touch, touches_of
from simulator.isa import STEP_CYCLES
from simulator.isa.cost import move_rate
from simulator.isa.program import Line, Move, Program, Step

TICKS = 120
"""So many moments at equal distances of time, and as many evenly among the lines that do something: long transfers do
not hide how busy the rest is. A kernel that falls between all of them gets one of its own.
"""
KINDS = {"DL": "down", "UL": "up", "Gemm": "product", "ReduceMax": "reduction", "ReduceSum": "reduction"}
"""Of an operator; all others are element by element."""
NO_KERNEL = -1


@dataclass(frozen=True)
class Kernel:
    """One kernel in the step. start, cycles: its place in time, by the published rates.

    kind: "down" (from DRAM), "up", "product", "elementwise" or "reduction". task: "" for what no task is about.
    """

    node: str
    operator: str
    kind: str
    task: str
    owner: str
    start: float = 0.0
    cycles: float = 0.0


@dataclass(frozen=True)
class Moment:
    """A line while it runs. kernel: its number, NO_KERNEL for nops between two. part, line: its place in the programs.

    reads, writes: bits, as in `field.used`. field: [4096].
    """

    cycle: float
    kernel: int
    part: int
    line: int
    text: str
    reads: int
    writes: int
    field: Field


@dataclass(frozen=True)
class Recording:
    """A step on the chip. cycles: of all of it. programs: as they ran, in order."""

    cycles: float
    kernels: tuple[Kernel, ...]
    moments: tuple[Moment, ...]
    programs: tuple[Program, ...]

    @property
    def liveliest(self) -> int:
        """The moment whose PEs differ most in brightness, of equal ones the first."""
        return max(range(len(self.moments)), key=lambda number: _variety(self.moments[number].field))

    @property
    def longest(self) -> int:
        """The number of the program that has most lines."""
        return max(range(len(self.programs)), key=lambda number: len(self.programs[number].lines))


def record_step(compiled: Compiled, session: Session, inputs: Mapping[str, Any]) -> Recording:
    """Run one training step and look on. compiled: of kernels (-O0 or -O1), at least one of them on the chip."""
    timed = _Timed(compiled, programs_of(compiled))
    watcher = _Watcher(session.machine, timed)
    step_by(watcher.run, session, inputs)
    return Recording(timed.cycles, tuple(timed.kernels), tuple(watcher.moments), tuple(timed.programs))


def step_by(execute: Callable[[Program], object], session: Session, inputs: Mapping[str, Any]) -> None:
    """One training step, whose programs are run by `execute`. session: of kernels."""
    values = session.values
    assert isinstance(values, KernelValues)
    before = values.execute
    values.execute = execute
    try:
        session.step(inputs)
    finally:
        values.execute = before


def without_comments(program: Program) -> Program:
    """The same program line by line, with no comments but the names of the nodes: what a learner notes is private."""
    lines = []
    for line in program.source.split("\n"):
        code, node = line.partition("#")[0].rstrip(), _node_of(line)
        lines.append(f"{code}  # {node}" if code and node else code)
    return assemble("\n".join(lines), filename="step.vsm")


class _Timed:
    """All lines of the programs, one after another, with their time and kernel.

    lines: (part, number in its program). chosen: of these, the numbers of those to look at.
    """

    def __init__(self, compiled: Compiled, programs: list[Program]) -> None:
        self.programs = programs
        self.lines = [(part, n) for part, program in enumerate(programs) for n in range(len(program.lines))]
        costs = [_cycles(programs[part].lines[n]) for part, n in self.lines]
        self.starts = [0.0, *accumulate(costs)]
        self.cycles = self.starts[-1]
        pieces = {piece.node.name: piece for piece in compiled.pieces if isinstance(piece, ChipPiece)}
        names = list(pieces)
        comments = [[_node_of(line) for line in program.source.split("\n")] for program in programs]
        numbers = {name: number for number, name in enumerate(names)}
        self.kernel_of = [
            numbers.get(comments[part][programs[part].lines[n].line - 1], NO_KERNEL) for part, n in self.lines
        ]
        self.kernels = [_kernel(pieces[name]) for name in names]
        for number in range(len(names)):
            own = [n for n, kernel in enumerate(self.kernel_of) if kernel == number]
            if own:
                start, end = self.starts[own[0]], self.starts[own[-1] + 1]
                self.kernels[number] = replace(self.kernels[number], start=start, cycles=end - start)
        self.chosen = self._chosen()

    def _chosen(self) -> list[int]:
        """A line for each tick, which may be one for several, and one of each kernel."""
        ticks = (np.arange(TICKS) + 0.5) / TICKS
        busy = [n for n, (part, number) in enumerate(self.lines) if not _is_nop(self.programs[part].lines[number])]
        found = [int(n) for n in np.searchsorted(self.starts, ticks * self.cycles, side="right") - 1]
        found += [busy[int(tick * len(busy))] for tick in ticks] if busy else []
        met = {self.kernel_of[n] for n in found}
        left_out: dict[int, list[int]] = {}
        for n in busy:
            if self.kernel_of[n] not in met:
                left_out.setdefault(self.kernel_of[n], []).append(n)
        return sorted([*found, *(own[len(own) // 2] for own in left_out.values())])


class _Watcher:
    """Runs programs in the place of a session, and keeps the chosen moments."""

    def __init__(self, machine: Machine, timed: _Timed) -> None:
        self.machine, self.timed = machine, timed
        self.moments: list[Moment] = []
        self._wanted = Counter(timed.chosen)
        self._next = 0  # the line that is executed next, among all
        self._touches: list[Touch] = []

    def run(self, program: Program) -> None:
        """Execute a program and look at its chosen lines: what they touch before, what stands there after."""
        end = self._next + len(program.lines)
        self._look_ahead(program)

        def after(line: Line) -> None:
            if self._wanted[self._next]:
                self.moments += [self._moment(line)] * self._wanted[self._next]
            self._next += 1
            if self._next < end:
                self._look_ahead(program)

        self.machine.run(program, observer=after)

    def _look_ahead(self, program: Program) -> None:
        if self._wanted[self._next]:
            line = program.lines[self.timed.lines[self._next][1]]
            self._touches = touches_of([line], self.machine)

    def _moment(self, line: Line) -> Moment:
        timed, number = self.timed, self._next
        text = line.text.partition("#")[0].strip()  # a learner's comment is no business of others
        seen = field(self._touches, self.machine)
        place = timed.lines[number]
        return Moment(timed.starts[number], timed.kernel_of[number], *place, text, *used(self._touches), seen)


def _variety(seen: Field) -> float:
    """The entropy of the brightness, in nats."""
    shares = np.bincount(seen, minlength=BRIGHTEST + 1) / len(seen)
    return float(-(shares[shares > 0] * np.log(shares[shares > 0])).sum())


def _cycles(line: Line) -> float:
    if isinstance(line, Step):
        return float(STEP_CYCLES * line.count)
    return line.size / move_rate(line) if isinstance(line, Move) else 0.0


def _is_nop(line: Line) -> bool:
    return isinstance(line, Step) and line.is_nop


def _node_of(line: str) -> str:
    """The node in the comment that ends a line of a kernel; "" for lines between kernels."""
    return line.rpartition("  # ")[2].strip() if "  # " in line else ""


def _kernel(piece: ChipPiece) -> Kernel:
    operator = piece.node.op_type
    return Kernel(piece.node.name, operator, KINDS.get(operator, "elementwise"), piece.task, piece.owner)
