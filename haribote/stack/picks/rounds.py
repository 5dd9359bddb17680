"""A gather in rounds: what is in LM0 at a time, and which words of the target it fills."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from haribote.stack.picks.held import FILL, NONE, Ints
from haribote.stack.picks.lines import ANY, Item, items
from haribote.stack.picks.spread import SpreadLoad


class Picker:
    """Which words are read in which round.

    A word whose PEs need different rounds is written in the first one, zeros where what a PE needs is not there, and
    joined by OR with what the later ones bring.
    """

    def __init__(self, rows: Ints, wanted: Ints, rounds: Sequence[SpreadLoad]) -> None:
        """rows: words of the target; wanted: [word, 4096]."""
        self._rows, self._wanted = rows, wanted[rows]
        used = np.array([load.has(self._wanted).any(axis=1) for load in rounds])  # [round, word]
        first = np.arange(len(rounds))[:, None] == used.argmax(axis=0)
        self._several = used.sum(axis=0) > 1
        self._chosen = {load: ((first[k], False), (used[k] & ~first[k], True)) for k, load in enumerate(rounds)}

    def items(self, load: SpreadLoad, start: int, base: int, zero: int, fill: int) -> Iterator[tuple[Ints, list[Item]]]:
        """The items of a round, with the column of every PE; what is written before what is joined. start: of the load
        in LM0; base: of the target; zero, fill: of constants in LM0.
        """
        for chosen, join in self._chosen[load]:
            if chosen.any():
                pe_of, different = columns(self._reads(load, chosen, start, zero, None if join else fill))
                yield pe_of, items(base + self._rows[chosen], different, join)

    def _reads(self, load: SpreadLoad, chosen: NDArray[np.bool_], start: int, zero: int, fill: int | None) -> Ints:
        """What the chosen words of the target read: [word, 4096]."""
        wanted, several = self._wanted[chosen], self._several[chosen]
        numbers = np.arange(wanted.max(initial=0) + 1, dtype=np.int32)
        there = np.flatnonzero(load.has(numbers))
        by_number = np.full(len(numbers) - NONE, ANY, np.int32)  # FILL and NONE are at the end
        by_number[there] = start + load.word(numbers[there])
        by_number[FILL] = ANY if fill is None else fill
        reads: Ints = by_number[wanted]
        if several.any():
            elsewhere = several[:, None] & (reads == ANY) & (wanted != NONE)
            reads[elsewhere] = zero
        return reads


def columns(reads: Ints) -> tuple[Ints, Ints]:
    """The different columns of an array [word, PE], with the number of each PE's: most PEs do as others do."""
    rows = np.ascontiguousarray(reads.T)
    known: dict[bytes, int] = {}
    number = np.array([known.setdefault(row.tobytes(), len(known)) for row in rows], np.int64)
    first = np.unique(number, return_index=True)[1]
    return number, np.ascontiguousarray(rows[first].T)
