"""What the rules share: the layouts of a value, and the error of a node that cannot be planned."""

from __future__ import annotations

from functools import lru_cache

from haribote.errors import HariboteError
from haribote.stack.plan import Version
from haribote.stack.planner.families import candidates


class NotPlanned(HariboteError):
    """A node that the stack cannot do."""


@lru_cache(maxsize=1 << 14)
def versions(name: str, shape: tuple[int, ...]) -> list[Version]:
    """A value in the layouts of the families."""
    return [Version(name, found, split) for split, found in candidates(shape)]
