"""Errors of code that is not ours: what they say, short enough for a message."""

from __future__ import annotations

from simulator.console import user_error

LETTERS = 300


def said(error: BaseException) -> str:
    """What an error says, in at most LETTERS letters; too little memory is told as everywhere."""
    lacking = user_error(error) if isinstance(error, (MemoryError, RuntimeError)) else None
    text = lacking.partition("\n")[0] if lacking else str(error)
    return text if len(text) <= LETTERS else f"{text[:LETTERS]} …"
