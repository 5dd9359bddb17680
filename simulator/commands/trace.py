"""`trace`: who wrote a word last and from what, back to the inputs."""

from __future__ import annotations

import argparse
from pathlib import Path

from simulator.assembly.assembler import assemble
from simulator.errors import SimulatorError
from simulator.files import read
from simulator.messages import tr
from simulator.trace.chain import DEPTH, WIDTH, describe, trace


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser("trace", help=tr("say who wrote a word last and from what, back to the inputs"))
    parser.add_argument("file", metavar="FILE", type=Path)
    parser.add_argument("word", metavar="WORD", help=tr("e.g. '$ln4n0c0b3m2p1'; unit fields left out are 0"))
    parser.add_argument(
        "--depth", type=_count, default=DEPTH, help=tr("how many writers to go back (default {depth})", DEPTH)
    )
    parser.add_argument(
        "--width", type=_count, default=WIDTH, help=tr("inputs followed per writer (default {width})", WIDTH)
    )
    parser.add_argument("--before", metavar="LINE", type=int, help=tr("the word as it is before this line"))
    parser.set_defaults(command=_command)


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(tr("{text} is not a number from 0 on", text))
    return int(text)


def _command(options: argparse.Namespace) -> int:
    program = assemble(read(options.file), str(options.file))
    if options.before is not None and options.before < 1:
        raise SimulatorError(tr("--before {before} is not a line", options.before), tr("a line number from 1 on"))
    for origin in trace(program, None, options.word, options.depth, options.width, options.before):
        print("\n".join(describe(origin)))
    return 0
