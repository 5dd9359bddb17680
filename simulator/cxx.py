"""The user's C++ compiler: what CXX names, or the first of those that systems have."""

from __future__ import annotations

import os
import shlex
import shutil

from simulator.errors import SimulatorError
from simulator.messages import tr

COMPILERS = ("c++", "g++", "clang++")


class NoCompiler(SimulatorError):
    """There is no C++ compiler; the text is part of a sentence that says why."""


def find_compiler() -> list[str]:
    """The compiler's command: the variable CXX (it may hold options), else the first of COMPILERS on the PATH.

    Raises NoCompiler.
    """
    text = os.environ.get("CXX", "")
    try:
        named = shlex.split(text, posix=os.name != "nt")  # a backslash is part of a path on Windows
        named = [word.strip('"') for word in named]  # which leaves the quotation marks there
    except ValueError as error:
        raise NoCompiler(f"CXX is {text!r}: {str(error).lower()}") from None
    for command in [named] if named else [[name] for name in COMPILERS]:
        if path := shutil.which(command[0]):
            return [path, *command[1:]]
    if named:
        raise NoCompiler(tr("CXX names {named!r}, which is not there", named[0]))
    raise NoCompiler(tr("no {compilers} on the PATH", ", ".join(COMPILERS)))
