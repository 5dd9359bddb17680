"""A Python without the packages that we need: told in words, since it is what one meets first."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from simulator.console import MISTAKE, STOPPED
from simulator.errors import advised
from simulator.messages import say, tr

OURS = ("benchmarks", "grader", "haribote", "notebooks", "simulator", "solutions", "tests")


@contextmanager
def missing_packages_told() -> Iterator[None]:
    """Inside, a package that is not installed is a message, and the end with status 2; a module of ours is a bug.

    Ctrl-C while packages are loaded, which takes a moment, is no traceback either.
    """
    try:
        yield
    except KeyboardInterrupt:
        say(tr("\nstopped"), file=sys.stderr)
        sys.exit(STOPPED)
    except ModuleNotFoundError as error:
        name = (error.name or "").partition(".")[0]
        if not name or name in OURS or name in sys.stdlib_module_names:
            raise
        what = tr("the package {name} is not there for this Python, {python}", name, sys.executable)
        advice = tr("`make setup` once, then `source .venv/bin/activate` in every new terminal")
        say(advised(what, advice), file=sys.stderr)
        sys.exit(MISTAKE)
