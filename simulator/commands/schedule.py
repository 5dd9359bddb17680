"""`schedule`: write an equal program with fewer steps."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from simulator.assembly.checks import check_text
from simulator.errors import AssemblyError, SimulatorError
from simulator.files import read, write_file
from simulator.messages import say, tr
from simulator.schedule import bounds, schedule


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser("schedule", help=tr("write an equal program with fewer steps"))
    parser.add_argument("file", metavar="FILE", type=Path)
    parser.add_argument("-o", dest="output", metavar="OUT", type=Path, required=True, help=tr("the .vsm file to write"))
    parser.add_argument(
        "--rename",
        action="store_true",
        help=tr("take buffers in turn, using free words of L1BM, L2BM and PDM; read from forwarding paths, not memory"),
    )
    parser.add_argument(
        "--effort", metavar="N", type=int, default=1, help=tr("look N times as long (1: some seconds for 1,000 steps)")
    )
    parser.set_defaults(command=_command)


def _command(options: argparse.Namespace) -> int:
    if options.effort < 1:
        raise SimulatorError(tr("--effort must be at least 1, received {effort}", options.effort), "--effort 1")
    name = str(options.file)
    program, findings = check_text(read(options.file), name)
    if any(finding.severity == "error" for finding in findings):
        raise AssemblyError(name, findings)
    found = schedule(program, options.rename, options.effort)
    write_file(options.output, found.source)
    least = bounds(program, options.rename)
    say(
        tr(
            "{output}: {steps} PE steps (nops {nops}), before {steps2} (nops {nops2}); "
            "the longest chain of waits takes {chain}, the busiest unit {unit}",
            output=options.output,
            steps=found.steps,
            nops=found.nops,
            steps2=program.steps,
            nops2=program.nops,
            chain=least.chain,
            unit=least.unit,
        ),
        file=sys.stderr,
    )
    return 0
