"""Run one command of a command line: messages and options that `haribote` and `grader` share."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence

from haribote.answers.blame import blame
from haribote.commands.completion import completions, is_asked
from simulator.console import FINE, run_guarded, user_error
from simulator.messages import shown

MakeParser = Callable[[], argparse.ArgumentParser]


def run_command(parser: argparse.ArgumentParser | MakeParser, arguments: Sequence[str] | None = None) -> int:
    """Parse the arguments and call `options.run(options)`; the exit status, as `run_guarded` says.

    A parser that takes a moment, since it imports much, is given as the function that makes it: Ctrl-C may come then.

    A mistake in what the user gave us, a learner's file included, is a message that begins with the command's name.
    """
    name = ""

    def run() -> int:
        nonlocal name
        made = parser if isinstance(parser, argparse.ArgumentParser) else parser()
        name = made.prog
        if is_asked():
            print("\n".join(completions(made)))
            return FINE
        options = made.parse_args(arguments)
        name = f"{made.prog} {getattr(options, 'command', '')}".strip()
        status: int = options.run(options)
        return status

    def explain(error: BaseException) -> str | None:
        message = user_error(error) or blame(error)
        return message and (f"{name}: {shown(message)}" if name else shown(message))

    return run_guarded(run, explain)
