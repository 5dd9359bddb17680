"""Python's garbage collection while a program is made: nearly all that is made then is kept to the end."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

OBJECTS = 10_000_000
"""New objects after which garbage is looked for, some gigabyte; with Python's own number, 700, it would take a seventh
of the time, with 100,000 an eighth."""

MANY = 4_000_000
"""New objects of one program or several that are worth a search: a few in a hundred of them prove to be garbage."""

_unsearched = 0


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Garbage is looked for seldom until the end of the block, or of the function."""
    before = gc.get_threshold()
    gc.set_threshold(max(OBJECTS, before[0]) if before[0] else 0, *before[1:])  # 0: somebody wants none
    try:
        yield
    finally:
        if before[0] and gc.isenabled():
            _grown_old(before[0])
        gc.set_threshold(*before)


def _grown_old(usual: int) -> None:
    """What is new counts as old, as if it had been searched; Python would go through all of it three times, once for
    each generation. usual: so few new objects are left to Python."""
    global _unsearched
    _unsearched += gc.get_count()[0]
    if _unsearched > MANY:
        gc.collect()
        _unsearched = 0
    elif gc.get_count()[0] > usual and not gc.get_freeze_count():  # what somebody has frozen stays so
        gc.freeze()
        gc.unfreeze()
