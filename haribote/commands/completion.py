"""Completion in the shell, without a package: bash asks the command itself what may stand where the cursor is.

    complete -o default -C grader grader; complete -o default -C haribote haribote

zsh takes the same lines after `autoload -U bashcompinit && bashcompinit`. Bash calls the command with the line so far
in COMP_LINE and the cursor in COMP_POINT, and offers what it prints.
"""

from __future__ import annotations

import argparse
import os

LINE, POINT = "COMP_LINE", "COMP_POINT"


def is_asked() -> bool:
    """Whether bash asks for completions instead of running a command."""
    return LINE in os.environ and POINT in os.environ


def completions(parser: argparse.ArgumentParser) -> list[str]:
    """What may stand where the cursor is: commands, options, choices, ids of tasks, names of kernels."""
    line, point = os.environ[LINE], os.environ[POINT]
    words = line[: int(point) if point.isdecimal() else None].split(" ")
    known = [word for word in words[1:-1] if word]
    for word in known:
        parser = _commands(parser).get(word, parser)
    return sorted(text for text in _candidates(parser, words[-1], known) if text.startswith(words[-1]))


def _candidates(parser: argparse.ArgumentParser, begun: str, known: list[str]) -> list[str]:
    actions = parser._actions
    if begun.startswith("-"):
        return [option for action in actions for option in action.option_strings if option.startswith("--")]
    asked = [action for action in actions if known and known[-1] in action.option_strings and action.nargs != 0]
    found = list(_commands(parser))
    for action in asked or [action for action in actions if not action.option_strings]:
        if action.choices is not None and not isinstance(action, argparse._SubParsersAction):
            found += map(str, action.choices)
        found += _names(str(action.metavar or action.dest).upper())
    return found


def _commands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The commands of a command line, by name; none where it has no further ones."""
    groups = [action.choices for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    return {name: command for group in groups for name, command in group.items()}


def _names(metavar: str) -> list[str]:
    """What a place of this name stands for."""
    from haribote.answers.tasks import all_tasks
    from haribote.kernel_table import BY_NAME

    tasks = [task.id for task in all_tasks()]
    kernels = [*BY_NAME, *(task.id for task in all_tasks() if task.is_kernel)]
    return {"TASK": tasks, "NAME": kernels}.get(metavar, [])
