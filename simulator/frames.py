"""Room for Python's frames, so that a hot loop does not happen to call across the end of a piece of memory.

From 3.11 on Python keeps the frames of functions in pieces of 16 KiB, and gives a piece back as soon as the last frame
in it ends. Where a loop calls functions just where a piece ends, each call asks the system for memory, which takes some
hundred times as long as a call does elsewhere: a compilation that took 9 CPU seconds took 15, only since its caller
stood one function deeper. One frame of half a mebibyte makes Python take a piece of twice that, whose other half all
that is called from there has to itself.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
WORDS = (1 << 16) + 64
"""Pointers in the frame: a little more than half of a mebibyte, so that a whole one is taken. Only pages that are
touched count as memory."""


def with_room(function: Callable[P, R]) -> Callable[P, R]:
    """The same function, called with room for some 2,000 frames below it."""

    def call(*given: P.args, **named: P.kwargs) -> R:
        return function(*given, **named)

    call.__code__ = call.__code__.replace(co_stacksize=WORDS)
    return wraps(function)(call)
