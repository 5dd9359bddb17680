"""What the scheduler makes of every kernel and of a whole train step, and a proof by random memories.

    python -m benchmarks.schedule [WORD …] [--effort N] [--unproved]     # the table
    python -m benchmarks.schedule --programs 10000 [--seed S] [--length N]    # random programs

In the table every text of every kernel: at the addresses of the problem set, at others, in other layouts. `steps` is
the kernel as written, `scheduled` and `renamed` without and with buffers in turn; `chain` and `unit` are lower bounds,
the longest chain of waits and the busiest unit. Every schedule is run on random memories, on both engines, and must
leave the same as the text before; of a kernel with a judge's case the judge must accept it. Only rows in which a name
contains one of the words, if there are any.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random

import numpy as np

from benchmarks.fuzz import generate
from benchmarks.fuzz.search import ARRAYS, fill
from grader.rigs.kernel_cases import kernel_cases
from haribote.commands.export import compile_folder, export
from haribote.kernel_table import KERNELS, KernelRow
from haribote.problems.judging import golden_of
from haribote.problems.problem import answer_to, emit, read_header
from simulator import Machine, SimulatorError, assemble
from simulator.assembly.checks import check
from simulator.isa.program import Instruction, Move, Operand, Program, Step, Turnaround
from simulator.isa.transfers import move_transfer, transfer_of
from simulator.judge.verdict import judge
from simulator.schedule import bounds, schedule, schedule_long

ENGINES = ("native", "numpy")
NUMPY_EVERY = 10
"""Of random programs every tenth runs on both engines, all others on the native one alone, which takes a fifth."""
RENAMING = "with buffers in turn"
RENAMED = ("l1bm", "l2bm", "pdm")
"""Memories of which a schedule with buffers in turn may use words that the program does not."""


# --- proof -----------------------------------------------------------------------------------------------------------


Ran = tuple[Machine, Sequence[str]]
"""A machine after a program, and what the program printed."""


def ran(program: Program, seed: int, engine: str) -> Ran:
    """A program, run on the random memories of a seed."""
    machine = Machine(engine)
    fill(machine, seed)
    try:
        return machine, machine.run(program).dump
    except SimulatorError as error:
        return machine, [str(error).split(": ", 1)[1]]


def difference(one: Ran, other: Ran, ends: Mapping[str, int]) -> str:
    """What two programs print or leave differently, or "". ends: of some memories, where comparing stops."""
    if one[1] != other[1]:
        return "what is printed"
    for name in ARRAYS:
        left, right = (getattr(machine, name)[..., : ends.get(name)] for machine in (one[0], other[0]))
        if not np.array_equal(left, right):
            return name
    for first, second in zip(one[0].dram, other[0].dram, strict=True):
        for page in set(first.pages()) | set(second.pages()):
            if not np.array_equal(first.page(page), second.page(page)):
                return "DRAM"
    return ""


def used(program: Program) -> Mapping[str, int]:
    """Of each memory above the PEs, the long words from which on a program uses nothing. What goes to
    the turnaround register, or comes from it, is in no memory."""
    found = dict.fromkeys(RENAMED, 0)
    for line in program.lines:
        for part in line.instructions if isinstance(line, Step) else [line] if isinstance(line, Move) else []:
            transfer = (
                move_transfer(part) if isinstance(part, Move) else transfer_of(part) if part.form.formula else None
            )
            if transfer is None or not transfer.known:
                continue
            sides = transfer.formula.destination, transfer.formula.source
            for side, points, operands in zip(sides, transfer.points(), _operands(part), strict=True):
                name = side.memory.lower()
                if name in found and not any(isinstance(operand, Turnaround) for operand in operands):
                    found[name] = max(found[name], int(points[:, -1].max()) + 1)
    return found


def _operands(part: Instruction | Move) -> tuple[list[Operand], list[Operand]]:
    """Where a transfer writes, and what it reads."""
    if isinstance(part, Instruction):
        return [d.operand for d in part.destinations], [s.operand for s in part.sources]
    assert part.source is not None and part.destination is not None, "what is no transfer has none"
    return [part.destination.operand], [part.source.operand]


def unsound(before: Program, after: Program, seed: int, renamed: bool, given: Mapping[str, Ran] | None = None) -> str:
    """What is wrong with a schedule, or "". given: the program before, run on each engine that is to be tried."""
    if after.steps > before.steps:
        return f"{after.steps} steps"
    errors = [finding for finding in check(after) if finding.severity == "error"]
    if errors:
        return str(errors[0])
    if after is before:
        return ""
    ends = used(before) if renamed else {}
    for engine, one in (given or {engine: ran(before, seed, engine) for engine in ENGINES}).items():
        found = difference(one, ran(after, seed, engine), ends)
        if found:
            return f"{engine}: {found}"
    return ""


# --- random programs -------------------------------------------------------------------------------------------------


def random_programs(count: int, first: int, length: int) -> int:
    """Schedule random programs; 1 where one of them is not equal to its schedule."""
    steps, wrong, refused, began = [0, 0], 0, 0, time.time()
    for seed in range(first, first + count):
        before = assemble(generate.program(Random(seed), length))
        if any(finding.severity == "error" for finding in check(before)):
            refused += 1
            continue
        engines = ENGINES[: 1 + (seed % NUMPY_EVERY == 0)]
        given = {engine: ran(before, seed, engine) for engine in engines}
        ways = ("as a long one", schedule_long(before)), ("", schedule(before)), (RENAMING, schedule(before, True))
        for way, after in ways:
            found = unsound(before, after, seed, way == RENAMING, given)
            if found:
                wrong += 1
                print(f"seed {seed} {way}: {found}\n{before.source}")
        steps[0] += before.steps
        steps[1] += after.steps
        if (seed - first + 1) % 100 == 0:
            print(
                f"{seed - first + 1} programs, {wrong} wrong, {time.time() - began:.0f} s", file=sys.stderr, flush=True
            )
    print(f"{count - refused} programs: {steps[0]} steps, scheduled with buffers in turn {steps[1]}; {wrong} wrong")
    return 1 if wrong else 0


# --- the table -------------------------------------------------------------------------------------------------------


def texts(row: KernelRow) -> Iterator[tuple[str, str]]:
    """The texts of a kernel, each once, with the name of the case."""
    seen: set[str] = set()
    for case in kernel_cases(row, 0):
        text = emit(case.row, case.op, solutions=True)
        if text not in seen:
            seen.add(text)
            yield case.name, text


def whole_step() -> str:
    """The train step as -O0 compiles it: batch 256, hidden 16."""
    with tempfile.TemporaryDirectory() as folder:
        export(Path(folder), None, (16,), 256, 0.01)
        compile_folder(Path(folder), None, solutions=True)
        return (Path(folder) / "step.vsm").read_text(encoding="utf-8")


def judged(row: KernelRow, effort: int) -> str:
    """What the judge says of the scheduled answer to the public test case of a row."""
    golden = golden_of(row)
    if golden is None:
        return ""
    answer = schedule(assemble(emit(row, answer_to(row, read_header(golden)), solutions=True)), effort=effort)
    return judge(golden.read_text(), answer.source).message.split(" bytes")[0]


def line(name: str, text: str, effort: int, proved: bool) -> tuple[str, str]:
    """A line of the table, and what is wrong with it."""
    before = assemble(text)
    found, wrong = [], ""
    for renamed in (False, True):
        after = schedule(before, renamed, effort)
        found.append(after.steps)
        wrong = wrong or (unsound(before, after, 1, renamed) if proved else "")
    least = bounds(before)
    return f"{name:60.60} {before.steps:6} {found[0]:9} {found[1]:7} {least.chain:6} {least.unit:6}", wrong


def table(words: list[str], effort: int, proved: bool) -> int:
    """Print the table; 1 where a schedule is wrong."""
    print(f"{'kernel':60} {'steps':>6} {'scheduled':>9} {'renamed':>7} {'chain':>6} {'unit':>6}")
    failed = 0
    for row in KERNELS:
        if words and not any(word in row.name for word in words):
            continue
        for case, text in texts(row):
            shown, wrong = line(f"{row.name}: {case}", text, effort, proved)
            failed |= bool(wrong)
            print(shown, wrong and f"WRONG: {wrong}", flush=True)
        verdict = judged(row, effort)
        failed |= not verdict.startswith("ACCEPTED") and bool(verdict)
        if verdict:
            print(f"  judge: {verdict}", flush=True)
    if not words or any(word in "whole step" for word in words):
        shown, wrong = line("whole step of -O0", whole_step(), effort, proved)
        failed |= bool(wrong)
        print(shown, wrong and f"WRONG: {wrong}", flush=True)
    return failed


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="benchmarks.schedule", description=__doc__.split("\n")[0])
    parser.add_argument("words", metavar="WORD", nargs="*")
    parser.add_argument("--effort", type=int, default=1)
    parser.add_argument("--unproved", action="store_true", help="run nothing on random memories")
    parser.add_argument("--programs", type=int, default=0, help="schedule so many random programs instead")
    parser.add_argument("--seed", type=int, default=1000)
    parser.add_argument("--length", type=int, default=40)
    options = parser.parse_args()
    if options.programs:
        return random_programs(options.programs, options.seed, options.length)
    return table(options.words, options.effort, not options.unproved)


if __name__ == "__main__":
    sys.exit(main())
