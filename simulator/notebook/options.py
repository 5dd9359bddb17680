"""What may stand behind `%%vsm`."""

from __future__ import annotations

import argparse
import shlex
from dataclasses import dataclass
from typing import NoReturn

from simulator.console import Formatter, Parser
from simulator.errors import SimulatorError
from simulator.messages import Text, tr
from simulator.notebook.places import MemoryPart, parse

PICTURES = ("auto", "move", "motion", "timeline", "traffic", "none")
_EPILOG = Text("""\
A part of a memory is its name with an index for each axis, `lm0[0:8,0:4]`: words 0 to 7 of PEs 0 to 3. `:i` behind it
shows integers, `:x` hexadecimal, `:f` single precision. Axes that are left out are whole. Memories: lm0, lm1, grf0,
grf1 [word, PE]; t [cycle, word, PE]; omr [entry, cycle, flag, PE]; mx, my [row, MAB, word]; l1bm [L2B, L1B, long word];
l2bm [L2B, long word]; pdm, dram [group, long word].

    %%vsm --set lm0[0:8]=range(8) --dump lm1[0:8,0:4]:i
    lpassa $lm0v $ln0v
""")


@dataclass(frozen=True)
class CellOptions:
    """machine: the name of a variable that holds the machine, "" for a new one. sets: a place and an expression each.

    picture: one of PICTURES. view: step through the run. help: what to print instead of running, or "".
    """

    machine: str = ""
    sets: tuple[tuple[MemoryPart, str], ...] = ()
    dumps: tuple[MemoryPart, ...] = ()
    picture: str = "auto"
    view: bool = False
    help: str = ""


class _Formatter(argparse.RawDescriptionHelpFormatter, Formatter):
    """Keeps the lines of the epilog as they are."""


class _Parser(Parser):
    def error(self, message: str) -> NoReturn:
        """A mistake is told like any other: nothing exits."""
        raise SimulatorError(tr("%%vsm: {message}", message), "%%vsm --help")


def parse_options(line: str) -> CellOptions:
    """The options of a cell's first line. Raises SimulatorError."""
    parser = _parser()
    try:
        found = parser.parse_args(shlex.split(line))
    except ValueError as error:  # a quote that does not end
        raise SimulatorError(
            tr("%%vsm: {error}", error), tr("quotes around the whole of --set, as in 'lm0[0:8]=x * 2'")
        ) from error
    if found.machine and not found.machine.isidentifier():
        raise SimulatorError(tr("%%vsm: {machine!r} is no name of a variable", found.machine), "--machine m")
    sets, dumps = tuple(map(_assignment, found.set)), tuple(map(parse, found.dump))
    return CellOptions(
        found.machine, sets, dumps, found.picture, found.view, parser.format_help() if found.help else ""
    )


def _assignment(text: str) -> tuple[MemoryPart, str]:
    place, equals, expression = text.partition("=")
    if not equals or not expression.strip():
        raise SimulatorError(
            tr("%%vsm: --set {text!r} gives no value", text), tr("--set lm0[0:8]=x, with a variable x")
        )
    return parse(place), expression.strip()


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="%%vsm",
        usage="%%%%vsm [--machine NAME] [--set PLACE=VALUE] [--dump PLACE] [--picture KIND] [--view]",
        description=tr("Run the assembly of this cell on a machine: findings, cost, dumps and a picture."),
        epilog=_EPILOG,
        formatter_class=_Formatter,
        add_help=False,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("--help", action="store_true", help=tr("print this"))
    add("--machine", default="", metavar="NAME", help=tr("a machine that is kept in this variable; else a new one"))
    add("--set", action="append", default=[], metavar="PLACE=VALUE", help=tr("before the run; VALUE is Python"))
    add("--dump", action="append", default=[], metavar="PLACE", help=tr("show a part of a memory after the run"))
    add(
        "--picture",
        default="auto",
        choices=PICTURES,
        help=tr("auto: move (what a line moves) or, of more lines, timeline"),
    )
    add("--view", action="store_true", help=tr("step through the run, forward and back"))
    return parser
