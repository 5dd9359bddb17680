"""Python's garbage collection while a program is made: nearly all that is made then is kept to the end."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

OBJECTS = 10_000_000
"""New objects after which garbage is looked for, some gigabyte; with Python's own number, 700, it would take a seventh
of the time, with 100,000 an eighth."""

MANY = 250_000
"""New objects that are worth a search of their own at the end."""


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Garbage is looked for seldom until the end of the block, or of the function."""
    before = gc.get_threshold()
    gc.set_threshold(max(OBJECTS, before[0]) if before[0] else 0, *before[1:])  # 0: somebody wants none
    try:
        yield
    finally:
        if before[0] and gc.isenabled() and gc.get_count()[0] > MANY:
            gc.collect()  # at once, where Python would go through all of it three times, once for each generation
        gc.set_threshold(*before)
