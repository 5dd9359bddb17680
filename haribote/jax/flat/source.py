"""The line of the user's program that an equation comes from."""

from __future__ import annotations

import linecache
import site
import sysconfig
from pathlib import Path
from typing import Any

import jax
from jax._src import source_info_util
from jax.extend.core import ClosedJaxpr

LIBRARIES = (sysconfig.get_paths()["purelib"], sysconfig.get_paths()["platlib"], *site.getsitepackages())


JAX = str(Path(jax.__file__).parent)


def of_jax(jaxpr: ClosedJaxpr) -> bool:
    """Whether a program is a function of JAX itself, which knows the line of its first caller only."""
    return JAX in str(getattr(jaxpr.jaxpr.debug_info, "func_src_info", ""))


def where(equation: Any) -> str:
    """`file:line: code` of the user's own line; beside it the line of a library that was called there, if any.

    Empty where the equation does not know it.
    """
    frames = list(source_info_util.user_frames(equation.source_info.traceback))
    if not frames:
        return ""
    own = next((frame for frame in frames if not frame.file_name.startswith(LIBRARIES)), frames[0])
    inner = "" if own is frames[0] else f" (inside {frames[0].file_name}:{frames[0].start_line})"
    code = linecache.getline(own.file_name, own.start_line).strip()
    return f"{own.file_name}:{own.start_line}{f': {code}' if code else ''}{inner}"
