"""What a plan may ask of all layouts: that they cut values in one way, so that these fit each other."""

from __future__ import annotations

from typing import Protocol

from haribote.stack.plan import Version
from haribote.stack.planner.families import Layout


class Cut(Protocol):
    """One way to cut all values of a graph."""

    def __hash__(self) -> int:
        """What is known of versions is kept for each cut."""

    def admits(self, version: Version) -> bool:
        """Whether a version is cut in this way."""

    def layouts(self, name: str, shape: tuple[int, ...]) -> tuple[Layout, ...]:
        """The layouts of a value from which a search begins; none where those of the families will do."""
