"""What all commands have in common: an output that may show little, be full or closed, and exit statuses.

Exit status: 0 fine, 1 a negative verdict, 2 a mistake in what was given or in the surroundings (a message, never a
traceback), 130 stopped by Ctrl-C.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from typing import TextIO

from simulator.errors import UserError, advised

MOST_SEED = 2**63 - 1  # what torch takes
FINE, NEGATIVE, MISTAKE, STOPPED = 0, 1, 2, 130


def add_version(parser: argparse.ArgumentParser) -> None:
    """`--version`: that of the installed package, for all its commands."""
    parser.add_argument("--version", action="version", version=f"%(prog)s, of haribote {_version()}")


def _version() -> str:
    try:
        return version("haribote")
    except PackageNotFoundError:
        return "(not installed)"


def user_error(error: BaseException) -> str | None:
    """The message for a user's mistake; None for any other error."""
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
        print(message, file=sys.stderr, flush=True)
    except OSError:  # there is nobody to tell
        _silence(sys.stderr)


def _silence(stream: TextIO) -> None:
    """Let what is still to be written vanish: Python writes it when it ends, and would fail once more."""
    with suppress(OSError), open(os.devnull, "w") as nothing:
        os.dup2(nothing.fileno(), stream.fileno())
