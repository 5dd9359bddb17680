"""The inner loop of the list scheduler in C++, where there is a compiler: the starts that Python would find."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from ctypes import CDLL, c_int64, c_void_p
from functools import cache, cached_property
from itertools import accumulate, chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.engine.native.build import BuildError, compiled
from simulator.schedule.demands import GroupMarks

Ints = NDArray[np.int64]


class Rows(NamedTuple):
    """Numbers of several groups, one group after another. first: entries before those of each group, and of all."""

    first: Ints
    numbers: Ints

    @staticmethod
    def of(rows: Sequence[Sequence[tuple[int, ...]]]) -> Rows:
        """The rows of all groups; all entries have as many numbers."""
        first = np.fromiter(accumulate(map(len, rows), initial=0), np.int64, len(rows) + 1)
        return Rows(first, np.fromiter(chain.from_iterable(chain.from_iterable(rows)), np.int64))


class Templates(tuple[GroupMarks, ...]):
    """Of every group what it asks of its steps."""

    @cached_property
    def mirrored(self) -> Templates:
        """The same where time runs backwards."""
        return Templates(template.mirrored for template in self)

    @cached_property
    def sets(self) -> Rows:
        """Of every group its marks, one for each step: mark, time from its start."""
        runs = [template.runs for template in self]
        flat = np.array(list(chain.from_iterable(runs)), np.int64).reshape(-1, 3)
        marks, starts, counts = flat.T
        own = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)  # the number of a step in its run
        numbers = np.stack([np.repeat(marks, counts), np.repeat(starts, counts) + own], axis=1)
        ends = np.append(0, np.cumsum(counts))[list(accumulate(map(len, runs), initial=0))]
        return Rows(ends, numbers.ravel())

    @cached_property
    def bars(self) -> Rows:
        """Of every group its bars."""
        return Rows.of([template.bars for template in self])


class Edges(tuple[list[tuple[int, int]], ...]):
    """Of every group the others that it depends on, or those that depend on it, and the least steps between them."""

    def changed(self, more: Mapping[int, Mapping[int, int]]) -> Edges:
        """With all edges of these groups replaced."""
        lists = list(self)
        for number, others in more.items():
            lists[number] = list(others.items())
        return Edges(lists)

    @cached_property
    def rows(self) -> Rows:
        """Group, steps."""
        return Rows.of(self)

    @cached_property
    def counts(self) -> Ints:
        """How many each group has."""
        return np.diff(self.rows.first)


def in_native(
    marks: int,
    templates: Templates,
    before: Edges,
    after: Edges,
    priority: Iterable[float],
    earliest: Sequence[int],
) -> list[int] | None:
    """The starts that `list_scheduler.placed` finds; None where there is no library."""
    library = _library()
    if library is None:
        return None
    starts = np.zeros(len(templates), np.int64)
    read = (*templates.sets, *templates.bars, *after.rows, np.fromiter(priority, np.float64, len(templates)))
    changed = np.array(earliest, np.int64), before.counts.copy(), starts
    arrays = [c_void_p(array.ctypes.data) for array in (*read, *changed)]
    library.haribote_place(len(templates), marks, *arrays)
    found: list[int] = starts.tolist()
    return found


@cache
def _library() -> Any:
    """Built at the first schedule, which takes a fraction of a second; None where it cannot be built."""
    try:
        library = CDLL(str(compiled(Path(__file__).with_name("src"), "placing")))
    except (BuildError, OSError):
        return None
    library.haribote_place.argtypes = [c_int64] * 2 + [c_void_p] * 10
    library.haribote_place.restype = None
    return library
