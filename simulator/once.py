"""What is derived from a program is derived once and kept as long as the program lives."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import wraps
from typing import TypeVar

from simulator.isa.program import Program

T = TypeVar("T")


def once_per_program(make: Callable[[Program], T]) -> Callable[[Program], T]:
    """`make` with a memory: the same program object gives the same result object.

    Programs are told apart by identity; comparing their contents would cost more than most of what is derived.
    """
    kept: dict[int, tuple[weakref.ref[Program], T]] = {}

    @wraps(make)
    def remembered(program: Program) -> T:
        key = id(program)
        known = kept.get(key)
        if known is not None and known[0]() is program:
            return known[1]
        result = make(program)
        kept[key] = (weakref.ref(program, lambda _: kept.pop(key, None)), result)
        return result

    return remembered
