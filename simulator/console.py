"""What all commands have in common: an output that may show little, be full or closed, and exit statuses.

Exit status: 0 fine, 1 a negative verdict, 2 a mistake in what was given or in the surroundings (a message, never a
traceback), 130 stopped by Ctrl-C.

Help and mistakes are shown in the language of the moment (simulator/messages.py).
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from difflib import get_close_matches
from importlib.metadata import PackageNotFoundError, version
from typing import Any, NoReturn, TextIO

from simulator.columns import full, visible
from simulator.errors import UserError, advised
from simulator.language import language
from simulator.lines import wrapped
from simulator.messages import shown, told

MOST_SEED = 2**63 - 1  # what torch takes
FINE, NEGATIVE, MISTAKE, STOPPED = 0, 1, 2, 130


OF_ARGPARSE = (
    "positional arguments",
    "options",
    "show this help message and exit",
    "show program's version number and exit",
    "argument {name}: {problem}",
    "the following arguments are required: {names}",
    "one of the arguments {names} is required",
    "unrecognized arguments: {arguments}",
    "not allowed with argument {other}",
    "ambiguous option: {option} could match {matches}",
    "expected one argument",
    "expected at most one argument",
    "expected at least one argument",
    "expected {count} arguments",
    "ignored explicit argument {value}",
    "invalid choice: {value} (choose from {choices})",
    "invalid {kind} value: {value}",
)
"""What Python itself says in help and errors, so that the catalogue has it."""
OF_THE_SYSTEM = (
    "No such file or directory",
    "Permission denied",
    "Is a directory",
    "Not a directory",
    "File exists",
    "No space left on device",
    "Read-only file system",
    "File name too long",
)
"""And what the system says about files."""


class Formatter(argparse.HelpFormatter):
    """Help in the language of the moment; lines with full-width characters are broken where such lines are."""

    def add_usage(
        self, usage: str | None, actions: Iterable[argparse.Action], groups: Iterable[Any], prefix: str | None = None
    ) -> None:
        """The usage, behind a word in the language of the moment."""
        super().add_usage(usage, actions, groups, shown("usage: ") if prefix is None else prefix)

    def start_section(self, heading: str | None) -> None:
        """A group of arguments."""
        super().start_section(heading and shown(heading))

    def add_text(self, text: str | None) -> None:
        """What stands before and behind the arguments."""
        super().add_text(text and shown(text))

    def _get_help_string(self, action: argparse.Action) -> str | None:
        return action.help and shown(action.help)

    def _split_lines(self, text: str, width: int) -> list[str]:
        return wrapped(text, width) if full(text) else super()._split_lines(text, width)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if not full(text):
            return super()._fill_text(text, width, indent)
        return "\n".join(indent + line for line in wrapped(text, width - len(indent)))


class Parser(argparse.ArgumentParser):
    """An argument parser that says which command was probably meant, in the language of the moment; so do those of its
    commands.
    """

    def __init__(self, prog: str | None = None, **options: Any) -> None:
        super().__init__(prog, **{"formatter_class": Formatter, **options})

    def error(self, message: str) -> NoReturn:
        """The message with a command that is spelled nearly so; the exit status is 2."""
        wrong = re.search(r"invalid choice: '([^']*)'", message)
        groups = [action.choices for action in self._actions if isinstance(action, argparse._SubParsersAction)]
        near = get_close_matches(wrong[1], [name for group in groups for name in group], n=1) if wrong else []
        message = advised(message, f"did you mean `{self.prog} {near[0]}`?" if near else "")
        self.print_usage(sys.stderr)
        self.exit(MISTAKE, f"{self.prog}: {shown('error:')} {shown(message)}\n")


def add_version(parser: argparse.ArgumentParser) -> None:
    """`--version`: that of the installed package, for all its commands."""
    parser.add_argument("--version", action="version", version=f"%(prog)s, of haribote {_version()}")


def _version() -> str:
    try:
        return version("haribote")
    except PackageNotFoundError:
        return "(not installed)"


_NO_MEMORY = "DefaultCPUAllocator"
"""In what torch raises where there is not enough."""


def user_error(error: BaseException) -> str | None:
    """The message for a user's mistake, or for sizes that no memory holds; None for any other error."""
    if isinstance(error, MemoryError) or (isinstance(error, RuntimeError) and _NO_MEMORY in str(error)):
        return advised("this takes more memory than there is", "a smaller model, or a smaller batch")
    return str(error) if isinstance(error, UserError) else None


def run_guarded(command: Callable[[], int], explain: Callable[[BaseException], str | None] = user_error) -> int:
    """Run a command and return its exit status; whatever it prints reaches the output or is an error.

    Characters that the output cannot show (its encoding has few, as on Windows) are replaced. A reader that leaves
    early, such as `head`, is no error; a full disk or a closed output is one.

    Args:
        explain: the message for an error that is the user's; None for one that is ours, which is raised.
    """
    if sys.stderr is None:  # closed; printing to it would print to the standard output
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - for the rest of the process
    if sys.stdout is None:
        return _mistake(advised("the standard output is closed", "> FILE, or > /dev/null"))
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    try:
        try:
            language()  # a wrong one is a mistake before anything is done
            return command()
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        _silence(sys.stdout)
        return FINE
    except KeyboardInterrupt:
        _tell("\nstopped")
        return STOPPED
    except BaseException as error:
        message = explain(error) or (_of_the_system(error) if isinstance(error, OSError) else None)
        if message is None:
            raise
        return _mistake(message)


def seed(text: str) -> int:
    """The seed of random values, for argparse: a whole number, not negative."""
    number = int(text)
    if not 0 <= number <= MOST_SEED:
        raise argparse.ArgumentTypeError(f"must be from 0 to {MOST_SEED}, received {number}")
    return number


def _of_the_system(error: OSError) -> str:
    """The message for trouble with a file or, where no file is named, with our output."""
    reason = error.strerror or str(error)
    if error.filename is not None:
        return advised(f"cannot use {error.filename}: {reason}", "another place, or another user's rights")
    _silence(sys.stdout)
    return advised(f"cannot write the output: {reason}", "free some space, or another place for it")


def _mistake(message: str) -> int:
    _tell(message)
    return MISTAKE


def _tell(message: str) -> None:
    try:
        print(visible(told(message)), file=sys.stderr, flush=True)
    except OSError:  # there is nobody to tell
        _silence(sys.stderr)


def _silence(stream: TextIO) -> None:
    """Let what is still to be written vanish: Python writes it when it ends, and would fail once more."""
    with suppress(OSError), open(os.devnull, "w") as nothing:
        os.dup2(nothing.fileno(), stream.fileno())
