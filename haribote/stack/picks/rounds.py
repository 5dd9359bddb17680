"""A gather in rounds: what is in LM0 at a time, and which words of the target it fills."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from haribote.stack.picks.held import FILL, NONE
from haribote.stack.picks.lines import ANY, Item, items
from haribote.stack.picks.spread import Load

Ints = NDArray[np.int64]
OTHER = -3
"""A word that another source fills."""


class Picker:
    """Which words are read in which round.

    A word that needs the same round in all PEs is written there. Where PEs need different rounds, the first one writes
    zeros where it has nothing, and later ones join theirs by OR.
    """

    def __init__(
        self, rows: Ints, wanted: Sequence[Ints], rounds: Sequence[Sequence[Load]], zero: int, fill: int
    ) -> None:
        """rows: words of the target; wanted: of every source, [word, 4096]; zero, fill: addresses of constants."""
        self._rows, self._wanted = rows, [numbers[rows] for numbers in wanted]
        self._rounds, self._zero, self._fill = rounds, zero, fill
        self._used = np.array([self._needed(number) for number in range(len(rounds))])
        self._first = np.where(self._used.any(axis=0), self._used.argmax(axis=0), 0)

    def _needed(self, number: int) -> NDArray[np.bool_]:
        found = np.zeros(len(self._rows), np.bool_)
        for load in self._rounds[number]:
            found |= load.has(self._wanted[load.tensor]).any(axis=1)
        return found

    def items(self, number: int, starts: Sequence[int], base: int) -> tuple[Ints, list[Item]]:
        """The items of a round, with the column of every PE. starts: of its loads in LM0; base: of the target."""
        chosen = self._used[number] | (self._first == number)
        several = self._used.sum(axis=0) > 1
        joined = several & (self._first != number)
        wanted = self._wanted[0]
        reads = np.where(several[:, None] & (wanted != NONE), self._zero, ANY)
        reads = np.where((wanted == FILL) & ~joined[:, None], self._fill, reads)
        for load, start in zip(self._rounds[number], starts, strict=True):
            numbers = self._wanted[load.tensor]
            reads = np.where(load.has(numbers), start + load.word(np.maximum(numbers, 0)), reads)
        pe_of, different = columns(reads[chosen])
        return pe_of, items(base + self._rows[chosen], different, joined[chosen])


def columns(reads: Ints) -> tuple[Ints, Ints]:
    """The different columns of an array [word, PE], with the number of each PE's: most PEs do as others do."""
    rows = np.ascontiguousarray(reads.T)
    view = rows.view(np.dtype((np.void, rows.dtype.itemsize * max(rows.shape[1], 1)))).ravel()
    _, first, number = np.unique(view, return_index=True, return_inverse=True)
    return number.ravel().astype(np.int64), np.ascontiguousarray(rows[first].T)
