"""What every word of a gather's target needs, in rounds: what is in LM0 at a time, and which words it fills."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from haribote.stack.maps import BitMap
from haribote.stack.picks.held import FILL, NONE, Ints, elements
from haribote.stack.picks.lines import ANY, Item, Profile, items, profiles
from haribote.stack.picks.spread import SpreadLoad, Wants

Bools = NDArray[np.bool_]
ZERO, FILLED = -3, -2
"""Beside `ANY`, instead of an address: of a zero, of the fill value."""
_Picks = list[tuple[Ints, Ints, Ints, bool]]
"""Words of the target that a round writes, the column of every PE, the columns [word, column], and whether they are
joined by OR with what is there. Addresses count from where the round lies in LM0."""
_Profiles = list[tuple[Ints, list[Profile]]]
"""The column of every PE, and the profiles of a round's items."""
ALIGNED = 4
"""What lies further on by a multiple of so many words is read and written by the same items."""


@dataclass(frozen=True, eq=False)
class Needs:
    """What a gather has to bring, wherever its operands lie. rows: words of the target that hold anything; wanted:
    which element of the source each of them wants in each PE, int32 [word, 4096], FILL or NONE; width: index bits of
    the source.
    """

    rows: Ints
    wanted: Ints
    width: int
    _picked: dict[object, list[_Picks]] = field(default_factory=dict, init=False)
    _profiles: dict[object, _Profiles] = field(default_factory=dict, init=False)

    @staticmethod
    def of(target: BitMap, source: BitMap, index: Ints) -> Needs:
        """Of target[e] = source[index[e]]. index: flat."""
        named = np.append(source.indices().ravel(), FILL).astype(np.int32)  # by the index, of which -1 is the last one
        wanted = np.full((1 << target.width) - NONE, NONE, np.int32)  # by the target's element; NONE is at the end
        wanted[target.indices().ravel()] = named[index]
        found = elements(target.padded)
        rows = _rows(found)
        return Needs(rows, wanted[found[rows]], source.width)

    @cached_property
    def wants(self) -> Wants:
        """What each PE wants of the source."""
        return Wants.of(self.wanted, self.width)

    @cached_property
    def filled(self) -> bool:
        """Whether anything takes the fill value."""
        return bool((self.wanted == FILL).any())

    def profiles(
        self, rounds: Sequence[SpreadLoad], number: int, start: int, base: int, at: Mapping[int, int]
    ) -> Iterator[tuple[Ints, list[Profile]]]:
        """The profiles of a round's items, with the column of every PE; what is written before what is joined. start:
        of the round in LM0; base: of the target; at: where constants are in LM0, by their marks.
        """
        first = min(start, *at.values()) if at else start
        apart = first - first % ALIGNED, base - base % ALIGNED
        near = start - apart[0], base - apart[1], {mark: address - apart[0] for mark, address in at.items()}
        key = _key(rounds), number, *near[:2], *near[2].items()
        if key not in self._profiles:
            self._profiles[key] = [(pe_of, profiles(found)) for pe_of, found in self._items(rounds, number, *near)]
        for pe_of, found in self._profiles[key]:
            yield pe_of, [profile.moved(*apart) for profile in found]

    def _items(
        self, rounds: Sequence[SpreadLoad], number: int, start: int, base: int, at: Mapping[int, int]
    ) -> Iterator[tuple[Ints, list[Item]]]:
        """The items of a round; as `profiles`."""
        key = _key(rounds)
        if key not in self._picked:
            self._picked[key] = list(_picks(self, rounds))
        for rows, pe_of, columns, join in self._picked[key][number]:
            reads = np.where(columns >= 0, columns + start, columns)
            for mark, address in at.items():
                reads[columns == mark] = address
            yield pe_of, items(base + rows, reads, join)


def rows_of(target: BitMap) -> Ints:
    """The words of a tensor that hold elements, or what its axes are padded by, in any PE."""
    return _rows(elements(target.padded))


def _rows(found: Ints) -> Ints:
    return np.flatnonzero((found >= 0).any(axis=1))


def _key(rounds: Sequence[SpreadLoad]) -> tuple[object, ...]:
    """What is the same of rounds wherever they lie."""
    return tuple((load.map, load.mask, load.value) for load in rounds)


def _picks(needs: Needs, rounds: Sequence[SpreadLoad]) -> Iterator[_Picks]:
    """Of each round.

    A word whose PEs need different rounds is written in the first one, zeros where what a PE needs is not there, and
    joined by OR with what the later ones bring.
    """
    used = np.array([load.has(needs.wanted).any(axis=1) for load in rounds])  # [round, word]
    first = np.arange(len(rounds))[:, None] == used.argmax(axis=0)
    several = used.sum(axis=0) > 1
    for number, load in enumerate(rounds):
        found: _Picks = []
        for chosen, join in (first[number], False), (used[number] & ~first[number], True):
            if chosen.any():
                reads = _reads(load, needs.wanted[chosen], several[chosen], ANY if join else FILLED)
                found.append((needs.rows[chosen], *distinct(reads), join))
        yield found


def _reads(load: SpreadLoad, wanted: Ints, several: Bools, fill: int) -> Ints:
    """What words of the target read: [word, 4096]. several: those that need several rounds."""
    numbers = np.arange(wanted.max(initial=0) + 1, dtype=np.int32)
    there = np.flatnonzero(load.has(numbers))
    by_number = np.full(len(numbers) - NONE, ANY, np.int32)  # FILL and NONE are at the end
    by_number[there] = load.word(numbers[there])
    by_number[FILL] = fill
    reads: Ints = by_number[wanted]
    if several.any():
        reads[several[:, None] & (reads == ANY) & (wanted != NONE)] = ZERO
    return reads


def distinct(reads: Ints) -> tuple[Ints, Ints]:
    """The different columns of an array [word, PE], with the number of each PE's: most PEs do as others do."""
    rows = np.ascontiguousarray(reads.T)
    known: dict[bytes, int] = {}
    number = np.array([known.setdefault(row.tobytes(), len(known)) for row in rows], np.int64)
    first = np.unique(number, return_index=True)[1]
    return number, np.ascontiguousarray(rows[first].T)
