"""The native engine on a program: milliseconds of a run, and of each instruction family by itself.

python -m benchmarks.engine FILE.vsm … [--rounds 20]

Processor time counts all threads and not what other work takes from them; wall time is what a user waits for.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

import numpy as np

from benchmarks.families import ENOUGH, lines_by_family, program_of
from haribote.commands.command import run_command
from simulator import Machine, assemble
from simulator.files import read
from simulator.isa.program import Program

FILLED = 1024  # words of each LM, and long words of each L1BM


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; exit status 2 for a file that cannot be read or assembled."""
    parser = argparse.ArgumentParser(prog="engine", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE.vsm")
    parser.add_argument("--rounds", type=int, default=20, metavar="R", help="timings of each (default 20)")
    parser.set_defaults(run=_run, command="")
    return run_command(parser, arguments)


def _run(options: argparse.Namespace) -> int:
    for path in options.files:
        print(report(path.name, assemble(read(path), str(path)), options.rounds), flush=True)
    return 0


def report(name: str, program: Program, rounds: int) -> str:
    """A table for one program."""
    machine = ordinary_machine()
    lines = [
        f"{name}: milliseconds",
        f"  {'':<16} {'lines':>6} {'processor':>10} {'median':>8} {'wall':>8} {'median':>8}",
    ]
    lines.append(_row("first run", len(program.lines), times(machine, program, 1), 1))
    lines.append(_row("a run", len(program.lines), times(machine, program, rounds), 1))
    for family, found in lines_by_family(program.lines).items():
        repeated = program_of(family, found, ENOUGH)
        machine.run(repeated)
        lines.append(_row(family, len(found), times(machine, repeated, rounds), len(repeated.lines) // len(found)))
    return "\n".join(lines)


def _row(name: str, lines: int, found: Sequence[tuple[float, float]], repeated: int) -> str:
    processor, wall = ([1e3 * value / repeated for value in values] for values in zip(*found, strict=True))
    least = f"{min(processor):>10.2f} {median(processor):>8.2f} {min(wall):>8.2f} {median(wall):>8.2f}"
    return f"  {name:<16} {lines:>6} {least}"


def times(machine: Machine, program: Program, rounds: int) -> list[tuple[float, float]]:
    """Seconds of some runs: processor time of all threads, and wall time."""
    found = []
    for _ in range(rounds):
        wall, processor = time.perf_counter(), time.process_time()
        machine.run(program)
        found.append((time.process_time() - processor, time.perf_counter() - wall))
    return found


def ordinary_machine() -> Machine:
    """A machine on the native engine whose memories hold ordinary singles where programs usually work."""
    rng = np.random.default_rng(0)
    machine = Machine(engine="native")

    def singles(*shape: int) -> np.typing.NDArray[np.float32]:
        return rng.standard_normal(shape, np.float32)

    for memory in (machine.lm0, machine.lm1, machine.grf0, machine.grf1):
        words = memory[:FILLED]
        words[...] = singles(*words.shape).view(np.uint32)
    for longs in (machine.l1bm[..., :FILLED], machine.l2bm):
        longs[...] = singles(*longs.shape[:-1], 2 * longs.shape[-1]).view(np.uint64)
    for dram in machine.dram:
        dram[0 : 1 << 18] = singles(1 << 19).view(np.uint64)
    return machine


if __name__ == "__main__":
    sys.exit(main())
