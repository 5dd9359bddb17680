"""Who does the work: processes on this machine, or a Dask cluster that exists."""

from __future__ import annotations

import importlib.util
import multiprocessing
import os
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

from grader.grade.judge import bound_to
from haribote.errors import HariboteError
from simulator.messages import tr


@dataclass(frozen=True)
class Crew:
    """Workers.

    make: a new executor, where a lost one can be replaced. at_once: pieces of work to hand out to each. stop: end an
    executor at once, whatever it does. executors: how many; each goes on with one task as long as there are answers.
    """

    make: Callable[[], Executor]
    at_once: int
    name: str
    stop: Callable[[Executor], None] = lambda executor: executor.shutdown(wait=False, cancel_futures=True)
    executors: int = 1


def local_crew(workers: int) -> Crew:
    """Processes on this machine, each an executor of its own: what a task needs is then loaded in one of them."""

    def make() -> Executor:
        context = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(1, mp_context=context, initializer=bound_to, initargs=(os.getpid(),))

    def stop(executor: Executor) -> None:
        executor.shutdown(wait=False, cancel_futures=True)
        for process in multiprocessing.active_children():
            process.terminate()

    name = tr("{workers} local process{es}", workers, "es" if workers > 1 else "")
    return Crew(make, 2, name, stop, workers)


def cluster_crew(address: str) -> Crew:
    """The workers of a Dask cluster. Raises HariboteError where it cannot be reached, or `distributed` is missing."""
    if importlib.util.find_spec("distributed") is None:
        raise HariboteError(tr("--cluster needs the package distributed"), 'pip install -e ".[cluster]"')
    distributed: Any = importlib.import_module("distributed")
    try:
        client = distributed.Client(address, timeout=10, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise HariboteError(
            tr("the cluster {address} cannot be reached: {error}", address, error), "tcp://HOST:8786"
        ) from error
    threads = sum(client.nthreads().values())
    if not threads:
        raise HariboteError(tr("the cluster {address} has no workers", address), tr("start some with `dask worker`"))
    name = tr("{threads} thread{s} of the cluster {address}", threads, "s" if threads > 1 else "", address)
    return Crew(lambda: client.get_executor(pure=False), 2 * threads, name, lambda executor: executor.shutdown(False))
