"""`run`: assemble a program, check its waits, run it, print its dump lines."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from simulator.assembly.assembler import assemble
from simulator.assembly.checks import check, check_text
from simulator.console import FINE
from simulator.engine.machine import Machine
from simulator.errors import AssemblyError
from simulator.files import read, write_file
from simulator.messages import say, tr


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    run = commands.add_parser("run", help=tr("assemble and run a .vsm file and print its dump lines"))
    run.add_argument("file", metavar="FILE", type=Path)
    run.add_argument("-d", dest="dump", metavar="DUMP", type=Path, help=tr("write the dump lines to this file"))
    run.add_argument("--no-hazards", action="store_true", help=tr("run in spite of missing waits, naming each"))
    run.add_argument("--until", metavar="LINE", type=int, help=tr("stop after this line of the file"))
    run.set_defaults(command=_run)


def _run(options: argparse.Namespace) -> int:
    text, name = read(options.file), str(options.file)
    if options.no_hazards:
        program = assemble(text, name)
        findings = check(program)
    else:
        program, findings = check_text(text, name)
        if any(finding.severity == "error" for finding in findings):
            raise AssemblyError(name, findings)
    for finding in findings:
        say(finding.render(name), file=sys.stderr)
    result = Machine().run(program, until=options.until)
    text = "".join(f"{line}\n" for line in result.dump)
    if options.dump is None:
        sys.stdout.write(text)
    else:
        write_file(options.dump, text)
    return FINE
