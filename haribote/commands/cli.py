"""The commands: `haribote export | compile | test | kernel | train | mine | infer | plan | board | cut | deploy |
share | view | gpt | data | demo | language`.

Exit status: 0 fine, 1 a negative verdict, 2 a mistake in the input (a message, no traceback).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from haribote.commands import gpt, graph_commands, step_commands, training_commands
from haribote.commands.command import run_command
from haribote.commands.options import Commands, command
from haribote.progress import aloud
from simulator.console import Parser, add_version
from simulator.language import LANGUAGES
from simulator.messages import say, tr


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit status."""
    with aloud():
        return run_command(_parser, arguments)


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="haribote", description=tr("A graph compiler that trains MNIST on a simulated MN-Core 2."))
    add_version(parser)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for add in (
        step_commands.add_export,
        step_commands.add_compile,
        step_commands.add_test,
        step_commands.add_kernel,
        training_commands.add_train,
        training_commands.add_mine,
        training_commands.add_infer,
        step_commands.add_plan,
        step_commands.add_board,
        graph_commands.add_cut,
        graph_commands.add_deploy,
        training_commands.add_share,
        graph_commands.add_view,
        gpt.add_commands,
        training_commands.add_data,
        training_commands.add_demo,
        _add_language,
    ):
        add(commands)
    return parser


def _add_language(commands: Commands) -> None:
    parser = command(commands, "language", tr("the language of all tools, kept for you: en or ja"))
    parser.add_argument("language", nargs="?", choices=LANGUAGES, metavar="en|ja")

    def run(options: argparse.Namespace) -> int:
        from haribote.commands.language_command import language_command

        say(language_command(options.language))
        return 0

    parser.set_defaults(run=run)


if __name__ == "__main__":
    sys.exit(main())
