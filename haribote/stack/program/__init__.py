"""From a plan to a program that runs: homes for every version, lines for every action; a session, and the checks."""

from haribote.stack.program.builder import Built
from haribote.stack.program.session import session_of
from haribote.stack.program.shortest import build

__all__ = ["Built", "build", "session_of"]
