"""A gather in rounds: what is in LM0 at a time, and which words of the target it fills."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from haribote.stack.picks.held import FILL, NONE
from haribote.stack.picks.lines import ANY, Item, items
from haribote.stack.picks.spread import SpreadLoad

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
OTHER = -3
"""A word that another source fills."""


class Picker:
    """Which words are read in which round.

    Every word of the target has one or more terms. The first one that comes is written, in all PEs, `empty` where a PE
    has none yet; later ones are joined with it. Of one term that needs different rounds in different PEs, the words
    that are not there count as zeros and are joined by OR.
    """

    def __init__(
        self,
        rows: Ints,
        wanted: Sequence[Ints],
        rounds: Sequence[Sequence[SpreadLoad]],
        zero: int,
        fill: int,
        combine: str = "",
    ) -> None:
        """rows: words of the target; wanted: of every source, [term, word, 4096]; zero, fill: addresses of constants.
        combine: what joins the terms; `fill` is then what changes nothing.
        """
        self._rows, self._wanted = rows, [numbers[:, rows] for numbers in wanted]
        self._rounds, self._join = rounds, combine or "or"
        self._fill, self._empty = fill, fill if combine else zero
        self._used = np.array([self._needed(number) for number in range(len(rounds))])  # [round, term, word]
        flat = self._used.reshape(-1, len(rows))
        first = np.where(flat.any(axis=0), flat.argmax(axis=0), 0)
        self._first = (np.arange(len(flat))[:, None] == first).reshape(self._used.shape)
        self._several = flat.sum(axis=0) > 1

    def _needed(self, number: int) -> Bools:
        found = np.zeros(self._wanted[0].shape[:2], np.bool_)
        for load in self._rounds[number]:
            found |= load.has(self._wanted[load.tensor]).any(axis=2)
        return found

    def items(self, number: int, starts: Sequence[int], base: int) -> Iterator[tuple[Ints, list[Item]]]:
        """The items of a round, with the column of every PE; what is written before what is joined. starts: of the
        loads in LM0; base: of the target.
        """
        for chosen, join in (
            (self._first[number], ""),
            (self._used[number] & ~self._first[number], self._join),
        ):
            if not chosen.any():
                continue
            reads = np.concatenate(
                [self._reads(number, term, use, starts, join) for term, use in enumerate(chosen) if use.any()]
            )
            pe_of, different = columns(reads)
            found: list[Item] = []
            start = 0
            for term, use in enumerate(chosen):
                end = start + int(use.sum())
                if end > start:
                    found += items(base + self._rows[use], different[start:end], term, join)
                start = end
            yield pe_of, found

    def _reads(self, number: int, term: int, use: Bools, starts: Sequence[int], join: str) -> Ints:
        """What words of the target, those of `use`, read: [word, 4096]."""
        wanted = self._wanted[0][term, use]
        reads = np.where((wanted != NONE) & (self._several[use, None] | (join != "")), self._empty, ANY)
        if not join:
            reads = np.where(wanted == FILL, self._fill, reads)
        for load, start in zip(self._rounds[number], starts, strict=True):
            numbers = self._wanted[load.tensor][term, use]
            has = load.has(numbers)
            if has.any():
                reads = np.where(has, start + load.word(np.maximum(numbers, 0)), reads)
        return reads


def columns(reads: Ints) -> tuple[Ints, Ints]:
    """The different columns of an array [word, PE], with the number of each PE's: most PEs do as others do."""
    rows = np.ascontiguousarray(reads.T)
    known: dict[bytes, int] = {}
    number = np.array([known.setdefault(row.tobytes(), len(known)) for row in rows], np.int64)
    first = np.unique(number, return_index=True)[1]
    return number, np.ascontiguousarray(rows[first].T)
