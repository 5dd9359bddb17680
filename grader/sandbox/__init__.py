"""Run code that nobody vouches for: its own process, no network, no files but those it is given, limits on all it uses.

`find_sandbox()` gives a `Sandbox` that has been tried out, or raises SandboxMissing; `Sandbox.run` runs one command in
a fresh one; `warm.Warm` keeps Python with the course loaded in one and forks a fresh one inside for every answer.
"""

from grader.sandbox.command import Sandbox
from grader.sandbox.limits import MIB, Limits, Outcome
from grader.sandbox.probe import SandboxMissing, find_sandbox

__all__ = ["MIB", "Limits", "Outcome", "Sandbox", "SandboxMissing", "find_sandbox"]
