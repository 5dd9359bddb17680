"""Run one command of a command line: exit statuses and messages, the same for `haribote` and `grader`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from haribote.errors import HariboteError
from simulator.errors import SimulatorError


def run_command(parser: argparse.ArgumentParser, arguments: Sequence[str] | None = None) -> int:
    """Parse the arguments and call `options.run(options)`; the exit status.

    A user's mistake is a message and status 2, Ctrl-C is status 130.
    """
    options = parser.parse_args(arguments)
    name = f"{parser.prog} {options.command}".strip()
    try:
        status: int = options.run(options)
        return status
    except (HariboteError, SimulatorError) as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"\n{name}: stopped", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader of our output (head, less) has left
        sys.stderr.close()
        return 0
