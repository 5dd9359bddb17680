"""`compare`: the first difference of two dumps."""

from __future__ import annotations

import argparse
from pathlib import Path

from simulator.files import read
from simulator.judge.compare import compare
from simulator.messages import say, tr


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser("compare", help=tr("show the first difference of two dumps (exit status 1 if any)"))
    parser.add_argument("first", metavar="A", type=Path, help=tr("dump lines, as `run -d` writes them"))
    parser.add_argument("second", metavar="B", type=Path)
    parser.set_defaults(command=_command)


def _command(options: argparse.Namespace) -> int:
    first, second = str(options.first), str(options.second)
    found = compare(read(options.first), read(options.second), first, second)
    if found is None:
        say(tr("no difference"))
        return 0
    say(found.text(first, second))
    return 1
