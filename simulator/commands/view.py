"""`view`: write the page for a program."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from simulator.assembly.assembler import assemble
from simulator.engine.machine import Machine
from simulator.engine.state.snapshot import restore
from simulator.errors import SimulatorError
from simulator.files import read, write_file
from simulator.judge.verdict import read_testcase
from simulator.messages import say, tr
from simulator.shell import command_line
from simulator.view import View
from simulator.view.browser import open_page

HOST = "# host:"
STEP = "step.vsm"
"""The program that `haribote compile` writes into a folder; beside it `step.npz`, what the memories hold before it."""


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    view = commands.add_parser("view", help=tr("write a page to step through a program, forward and back"))
    text = tr(
        "a program, or a folder that `haribote compile` wrote; with its operands where FILE.npz lies beside FILE.vsm"
    )
    view.add_argument("file", metavar="FILE", type=Path, help=text)
    view.add_argument("-o", dest="output", metavar="PAGE", type=Path, help=tr("the HTML file to write (FILE.html)"))
    view.add_argument("--open", action="store_true", help=tr("show it in a browser"))
    view.add_argument("--from", dest="start", metavar="LINE", type=int, help=tr("run the lines before this one unseen"))
    view.add_argument("--until", metavar="LINE", type=int, help=tr("stop after this line of the file"))
    view.add_argument(
        "--unit",
        dest="units",
        metavar="UNIT",
        action="append",
        default=[],
        help=tr("record this part of the chip only, e.g. n0c0b0m0p0, or n0c0 for an L2B; may be repeated"),
    )
    view.add_argument(
        "--testcase", metavar="CASE", type=Path, help=tr("start with the operands of this judge's test case")
    )
    view.add_argument(
        "--zeros", action="store_true", help=tr("start with empty memories, whatever lies beside the file")
    )
    view.set_defaults(command=_command)


def _command(options: argparse.Namespace) -> int:
    file = options.file
    if file.is_dir():
        file = file / STEP
        if not file.is_file():
            fix = command_line("haribote", "compile", options.file, "--backend", "sim")
            raise SimulatorError(tr("{file} has no {step}", options.file, STEP), tr("`{fix}`, or a file .vsm", fix))
    program = assemble(read(file), str(file))
    machine = Machine()
    notes = [*_prepare(machine, file, options), *_left_out(program.source)]
    view = View(program, machine, start=options.start, until=options.until, units=options.units, notes=notes)
    output = options.output or file.with_suffix(".html")
    write_file(output, view.page)
    part = (
        tr("values of {recorded} only", ", ".join(view.recorded)) if view.recorded else tr("values of the whole chip")
    )
    size = len(view.page.encode()) / 1e6
    say(
        tr("{output}: {frames} steps, {part}, {size:.1f} MB; open it in a browser", output, view.frames, part, size),
        file=sys.stderr,
    )
    if options.open:
        open_page(output)
    return 0


def _left_out(source: str) -> list[str]:
    """What is to be said about lines such as `# host: Exp …`, which `haribote compile` writes between programs."""
    pieces = sum(line.startswith(HOST) for line in source.split("\n"))
    if not pieces:
        return []
    return [
        tr(
            "The host computes {pieces} pieces between these lines. What they give is missing here: "
            "see `{host}` lines.",
            pieces,
            HOST,
        )
    ]


def _prepare(machine: Machine, file: Path, options: argparse.Namespace) -> list[str]:
    """Put the operands into the machine; what the page says about them."""
    if options.testcase is not None:
        machine.run(read_testcase(read(options.testcase), str(options.testcase)).prefix)
        return [tr("The operands are those of {name}.", options.testcase.name)]
    operands = file.with_suffix(".npz")
    if options.zeros or not operands.is_file():
        return []
    restore(machine, operands)
    return [tr("The operands are those of {name}, which lies beside the program.", operands.name)]
