"""Whose mistake an error is: a learner's file where it failed in one."""

from __future__ import annotations

import re
import traceback
from pathlib import Path

ANSWERS = re.compile(r"haribote/(kernels|exercises|generators)/t\d[^/]*\.py$")  # files in which learners write


def blame(error: BaseException) -> str | None:
    """File, line and kind of an error that a learner's file raised; None for one that comes from elsewhere."""
    frames = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    if isinstance(error, SyntaxError) and error.filename:
        frames.append((error.filename, error.lineno or 1))
    for name, line in reversed(frames):
        if ANSWERS.search(name.replace("\\", "/")):
            message = error.msg if isinstance(error, SyntaxError) else error
            return f"{'/'.join(Path(name).parts[-3:])}:{line}: {type(error).__name__}: {message}"
    return None
