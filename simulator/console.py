"""What all commands have in common: an output that may show little, be full or closed, and exit statuses.

Exit status: 0 fine, 1 a negative verdict, 2 a mistake in what was given or in the surroundings (a message, never a
traceback), 130 stopped by Ctrl-C.

Help and mistakes are shown in the language of the moment (simulator/messages.py).
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from difflib import get_close_matches
from importlib.metadata import PackageNotFoundError, version
from typing import Any, NoReturn, TextIO

from simulator.columns import full, visible
from simulator.errors import UserError, advised, reason_of
from simulator.language import LANGUAGES, VARIABLE, language
from simulator.lines import wrapped
from simulator.messages import Text, shown, tr
from simulator.preferences import is_japanese_here, kept_language
from simulator.terminal import painted

MOST_SEED = 2**63 - 1  # what torch takes
FINE, NEGATIVE, MISTAKE, STOPPED = 0, 1, 2, 130


OF_ARGPARSE = (
    Text("positional arguments"),
    Text("options"),
    Text("usage: "),
    Text("show this help message and exit"),
    Text("show program's version number and exit"),
    Text("argument %(argument_name)s: %(message)s"),
    Text("the following arguments are required: %s"),
    Text("one of the arguments %s is required"),
    Text("unrecognized arguments: %s"),
    Text("not allowed with argument %s"),
    Text("ambiguous option: %(option)s could match %(matches)s"),
    Text("expected one argument"),
    Text("expected at most one argument"),
    Text("expected at least one argument"),
    Text("expected %s argument"),
    Text("expected %s arguments"),
    Text("ignored explicit argument %r"),
    Text("invalid choice: %(value)r (choose from %(choices)s)"),
    Text("invalid %(type)s value: %(value)r"),
)
"""What Python itself says in help and errors, as it asks gettext for it."""
OF_THE_SYSTEM = (
    Text("No such file or directory"),
    Text("Permission denied"),
    Text("Is a directory"),
    Text("Not a directory"),
    Text("File exists"),
    Text("No space left on device"),
    Text("Read-only file system"),
    Text("File name too long"),
)
"""And what the system says about files."""


def _in_argparse(template: str, *others: object) -> str:
    """A message of Python's own parser; of several forms of a word (others: the plural, how many) the right one."""
    return Text(template if not others or others[1] == 1 else str(others[0])).said()


argparse._ = argparse.ngettext = _in_argparse  # type: ignore[attr-defined]


class Formatter(argparse.HelpFormatter):
    """Help in the language of the moment; lines with full-width characters are broken where such lines are."""

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

    def parse_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> Any:  # type: ignore[override]
        """As Python's, but for an empty argument, which would be the current folder where a path is due."""
        given = list(sys.argv[1:] if args is None else args)
        if any(not argument or "\0" in argument for argument in given):
            self.error(tr("an argument is empty; is a variable of your shell empty?"))
        return super().parse_args(given, namespace)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:  # with a command that is spelled nearly so
            commands = list(action.choices or ()) if isinstance(action, argparse._SubParsersAction) else []
            if near := get_close_matches(str(value), commands, n=1):
                advice = tr("did you mean `{prog} {near}`?", self.prog, near[0])
                error.message = advised(str(error.message), advice)
            raise

    def _print_message(self, message: str, file: Any = None) -> None:
        """As Python's, but help and version that the output does not take are an error, buffered or not."""
        if file is sys.stdout:
            file.write(message)
        else:
            super()._print_message(message, file)

    def error(self, message: str) -> NoReturn:
        """The message, below what the command takes, without what a terminal would obey; the exit status is 2."""
        self.print_usage(sys.stderr)
        self.exit(MISTAKE, f"{self.prog}: {tr('error: {message}', visible(message))}\n")


def add_version(parser: argparse.ArgumentParser) -> None:
    """`--version`: that of the installed package, for all its commands."""
    parser.add_argument(
        "--version",
        action="version",
        help=tr("show program's version number and exit"),
        version=tr("%(prog)s, of haribote {version}", _version()),
    )


def _version() -> str:
    try:
        return version("haribote")
    except PackageNotFoundError:
        return tr("(not installed)")


_NO_MEMORY = "DefaultCPUAllocator"
"""In what torch raises where there is not enough."""


def user_error(error: BaseException) -> str | None:
    """The message for a user's mistake, or for sizes that no memory holds; None for any other error."""
    if isinstance(error, MemoryError) or (isinstance(error, RuntimeError) and _NO_MEMORY in str(error)):
        return advised(tr("this takes more memory than there is"), tr("a smaller model, or a smaller batch"))
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
        return _mistake(advised(tr("the standard output is closed"), "> FILE, or > /dev/null"))
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    try:
        try:
            language()  # a wrong one is a mistake before anything is done
            return command()
        finally:
            sys.stdout.flush()
            _offer_japanese()
    except BrokenPipeError:
        _silence(sys.stdout)
        return FINE
    except KeyboardInterrupt:
        _tell(tr("\nstopped"))
        return STOPPED
    except BaseException as error:
        message = explain(error) or (_of_the_system(error) if isinstance(error, OSError) else None)
        if message is None:
            raise
        return _mistake(message)


OFFER = Text("tools in Japanese: haribote language ja (and for ever in English: haribote language en)")


def _offer_japanese() -> None:
    """Below what a command said, one line to who sits at a Japanese system and has not chosen a language."""
    if os.environ.get(VARIABLE) or kept_language(LANGUAGES) or not is_japanese_here():
        return
    if sys.stderr.isatty() and "COMP_LINE" not in os.environ:  # what bash completes is no command
        _tell(OFFER.said("ja"), "faint")


def seed(text: str) -> int:
    """The seed of random values, for argparse: a whole number, not negative."""
    number = int(text)
    if not 0 <= number <= MOST_SEED:
        raise argparse.ArgumentTypeError(tr("must be from 0 to {most_seed}, received {number}", MOST_SEED, number))
    return number


def _of_the_system(error: OSError) -> str:
    """The message for trouble with a file or, where no file is named, with our output."""
    reason = reason_of(error)
    if error.filename is not None:
        return advised(
            tr("cannot use {filename}: {reason}", error.filename, reason), tr("another place, or another user's rights")
        )
    _silence(sys.stdout)
    return advised(tr("cannot write the output: {reason}", reason), tr("free some space, or another place for it"))


def _mistake(message: str) -> int:
    said, _, advice = message.partition("\n")
    _tell(said, "bad")
    if advice:
        _tell(advice)
    return MISTAKE


def _tell(message: str, role: str = "") -> None:
    try:
        print(painted(visible(message), role, sys.stderr), file=sys.stderr, flush=True)
    except OSError:  # there is nobody to tell
        _silence(sys.stderr)


def _silence(stream: TextIO) -> None:
    """Let what is still to be written vanish: Python writes it when it ends, and would fail once more."""
    with suppress(OSError), open(os.devnull, "w") as nothing:
        os.dup2(nothing.fileno(), stream.fileno())
