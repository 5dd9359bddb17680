"""The simulator's commands: `python -m simulator run | check | judge | explain | profile | trace | compare | view |
schedule`.

Exit status: 0 fine, 1 a negative verdict, 2 a mistake in what was given (a message, never a traceback).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from simulator.commands import check, compare, explain, judge, profile, run, schedule, trace, view
from simulator.console import Parser, add_version, run_guarded

COMMANDS = (run, check, judge, explain, profile, trace, compare, view, schedule)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""

    def command() -> int:
        options = _parser().parse_args(arguments)
        status: int = options.command(options)
        return status

    return run_guarded(command)


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="python -m simulator", description="A simulated MN-Core 2.")
    add_version(parser)
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    for module in COMMANDS:
        module.register(commands)
    return parser


if __name__ == "__main__":
    sys.exit(main())
