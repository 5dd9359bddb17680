"""Run one command of a command line: messages and options that `haribote` and `grader` share."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from haribote.answers.blame import blame
from haribote.commands.completion import completions, is_asked
from simulator.console import FINE, run_guarded, user_error
from simulator.messages import shown


def run_command(parser: argparse.ArgumentParser, arguments: Sequence[str] | None = None) -> int:
    """Parse the arguments and call `options.run(options)`; the exit status, as `run_guarded` says.

    A mistake in what the user gave us, a learner's file included, is a message that begins with the command's name.
    """
    name = parser.prog

    def run() -> int:
        nonlocal name
        if is_asked():
            print("\n".join(completions(parser)))
            return FINE
        options = parser.parse_args(arguments)
        name = f"{parser.prog} {getattr(options, 'command', '')}".strip()
        status: int = options.run(options)
        return status

    def explain(error: BaseException) -> str | None:
        message = user_error(error) or blame(error)
        return message and f"{name}: {shown(message)}"

    return run_guarded(run, explain)
