"""`explain`: a line of assembly, or a file, in words."""

from __future__ import annotations

import argparse
from pathlib import Path

from simulator.assembly.assembler import assemble
from simulator.errors import SimulatorError
from simulator.explain.line import explain
from simulator.files import read
from simulator.messages import tr


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser("explain", help=tr("say in words and index formulas what a line or a file does"))
    parser.add_argument("what", metavar="LINE|FILE", help=tr("a line of assembly in quotes, or a .vsm file"))
    parser.set_defaults(command=_command)


def _command(options: argparse.Namespace) -> int:
    what: str = options.what
    path = Path(what)
    if len(what) < 256 and (path.is_file() or (path.suffix == ".vsm" and " " not in what)):
        program = assemble(read(path), what)
    else:
        program = assemble(what, "line")
    if not program.lines:
        raise SimulatorError(tr("`{what}` contains no instruction", what), "explain 'fvadd $lm0v $lr0v $ln0v'")
    print(explain(program))
    return 0
