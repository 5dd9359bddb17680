"""A user's mistake in a notebook: its message in the language of the moment, and the user's lines that led to it."""

from __future__ import annotations

import linecache
import re
import traceback
from pathlib import Path

from simulator.messages import shown, tr

CELL = re.compile(r"ipython-input|ipykernel_")
OWN = re.compile(r"[\\/](kernels|exercises)[\\/]t\d[^\\/]*\.py$")
"""Files in which learners write."""
MOST = 4


def rendered(error: BaseException) -> list[str]:
    """What a notebook shows in place of a traceback: the message, then lines of cells and of the user's files."""
    return [shown(str(error)), *_places(error)[-MOST:]]


def _places(error: BaseException) -> list[str]:
    found = []
    for frame, line in traceback.walk_tb(error.__traceback__):
        name = frame.f_code.co_filename
        code = linecache.getline(name, line, frame.f_globals).strip()
        if CELL.search(name):
            found.append("  " + tr("in line {line} of a cell: {code}", line, code))
        elif OWN.search(name):
            found.append("  " + tr("in line {line} of {parts}: {code}", line, "/".join(Path(name).parts[-3:]), code))
    return found
