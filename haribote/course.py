"""What every notebook uses: go on where a task is not written yet, and read the learner's files afresh."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from haribote.answers.blame import blame
from haribote.answers.ownership import learners_function, solutions_wanted
from haribote.answers.resolve import Answer, resolve
from haribote.answers.tasks import find_task
from haribote.errors import NotWritten
from haribote.kernel import Kernel
from simulator import load_ipython_extension
from simulator.errors import UserError
from simulator.language import ipython_shell
from simulator.messages import Text, say, tr

LEARNERS = re.compile(r"haribote\.(kernels|exercises|generators)\.t\d")  # modules of their answers
SKIPPED = Text("\n    the rest of this cell is skipped")


def planned(amount: int, *, short: int) -> int:
    """How many steps (epochs, images, ...) a long cell takes: `amount`; with HARIBOTE_SHORT=1, as in tests, `short`."""
    return short if os.environ.get("HARIBOTE_SHORT", "") not in ("", "0") else amount


@contextmanager
def skip_unwritten() -> Iterator[None]:
    """Run the rest of a notebook's cell with the learner's files as they are on disk now; where one is missing, go on.

    A task that is not written gives one line, "task 2.1 is not written yet: the rest of this cell is skipped"; a
    mistake in a learner's file gives file, line and message, another mistake that we can explain its message. None
    shows a traceback. With HARIBOTE_SOLUTIONS=1 nothing may be missing, so errors pass through.
    """
    reread()
    try:
        yield
    except (Exception, SystemExit) as error:
        message = _explained(error)
        if solutions_wanted() or message is None:
            raise
        say(
            tr("{message}: the rest of this cell is skipped", message)
            if isinstance(error, NotWritten)
            else message + SKIPPED
        )


def _explained(error: BaseException) -> str | None:
    """What to print instead of a traceback; None for an error that comes from the cell itself."""
    if isinstance(error, NotWritten):
        found = re.search(r"task (\d+\.\d+)", str(error))
        return tr("task {found} is not written yet", found[1]) if found else error.message
    if isinstance(error, UserError):  # the simulator's where an answer's assembly is not valid
        return str(error)
    return blame(error)


def answer(task: str) -> Callable[..., Any] | Kernel:
    """The learner's answer to a task (with HARIBOTE_SOLUTIONS=1 the reference one): a function or a kernel.

    Raises NotWritten where there is none, so that `with skip_unwritten():` can go on. Raises UnknownTask.
    """
    reread()
    known = find_task(task)
    found = resolve(task)
    if isinstance(found, Answer):
        return found.kernel
    if found is None or found.owner == "product":
        raise NotWritten(tr("task {task} ({title}) is not written yet", task, known.title), f"`grader hint {task}`")
    return found.function


def reread() -> None:
    """Forget the learner's modules, so that the next use takes the files as they are on disk now."""
    for name in [name for name in sys.modules if LEARNERS.match(name)]:
        package, _, attribute = name.rpartition(".")
        del sys.modules[name]
        if package in sys.modules:
            vars(sys.modules[package]).pop(attribute, None)
    learners_function.cache_clear()


if (_shell := ipython_shell()) is not None:  # in a notebook, `%%vsm` runs assembly in a cell
    load_ipython_extension(_shell)
