"""`view`: write the page for a program."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from simulator.assembly.assembler import assemble
from simulator.engine.machine import Machine
from simulator.files import read, write_file
from simulator.judge.verdict import read_testcase
from simulator.view import View


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    view = commands.add_parser("view", help="write a page to step through a program, forward and back")
    view.add_argument("file", metavar="FILE", type=Path)
    view.add_argument("-o", dest="output", metavar="PAGE", type=Path, required=True, help="the HTML file to write")
    view.add_argument("--from", dest="start", metavar="LINE", type=int, help="run the lines before this one unseen")
    view.add_argument("--until", metavar="LINE", type=int, help="stop after this line of the file")
    view.add_argument(
        "--unit",
        dest="units",
        metavar="UNIT",
        action="append",
        default=[],
        help="record this part of the chip only, e.g. n0c0b0m0p0, or n0c0 for an L2B; may be repeated",
    )
    view.add_argument("--testcase", metavar="CASE", type=Path, help="start with the operands of this judge's test case")
    view.set_defaults(command=_command)


def _command(options: argparse.Namespace) -> int:
    program = assemble(read(options.file), str(options.file))
    machine = Machine()
    if options.testcase is not None:
        machine.run(read_testcase(read(options.testcase), str(options.testcase)).prefix)
    view = View(program, machine, start=options.start, until=options.until, units=options.units)
    write_file(options.output, view.page)
    part = f"values of {', '.join(view.recorded)} only" if view.recorded else "values of the whole chip"
    size = len(view.page.encode()) / 1e6
    print(f"{options.output}: {view.frames} steps, {part}, {size:.1f} MB; open it in a browser", file=sys.stderr)
    return 0
