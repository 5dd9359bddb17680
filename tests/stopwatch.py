"""How long work takes, whatever the tests before it have left in this process."""

from __future__ import annotations

import gc
from collections.abc import Callable
from time import thread_time


def seconds(work: Callable[[], object], tries: int = 3) -> float:
    """CPU seconds of this thread, the least of some tries. What other tests have left on the heap is not searched
    for garbage meanwhile, and threads that they have left (JAX, BLAS) do not count.
    """
    gc.collect()
    gc.freeze()
    try:
        return min(_once(work) for _ in range(tries))
    finally:
        gc.unfreeze()


def _once(work: Callable[[], object]) -> float:
    start = thread_time()
    work()
    return thread_time() - start
