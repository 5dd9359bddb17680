"""The error of a node that cannot be planned."""

from __future__ import annotations

from haribote.errors import HariboteError


class NotPlanned(HariboteError):
    """A node that the stack cannot do."""
