"""The lines of a re-arrangement within the PEs: which word of LM0 goes to which word, other ones in every PE.

Words that go the same way in every PE are plain copies. Where the way differs by a number that depends on the PE alone,
that number stands in T, which is added to addresses in LM0: words with the same numbers (a `Profile`) share one load of
T. Numbers have 12 bits; five of them fill a long word of the table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from haribote.stack.code import Code, Slot, long
from haribote.stack.issues import written
from haribote.stack.picks.held import Ints
from haribote.stack.places import NoRoom, operand_text
from haribote.stack.uploads import BLOCK
from simulator import isa

ANY = -1
"""Instead of an address: the word may hold anything."""
FIELDS, WIDTH = 5, 12
"""Numbers in a long word of a table, and their bits."""
LOOKED_AT = 48
"""Profiles that a word is compared with; a number that is looked up twice costs only its place in the table."""
OWN = 4
"""Words from which on a profile has a load of T for itself; below, four profiles share one."""


@dataclass(frozen=True, eq=False)
class Item:
    """What goes together: `words` (1, 2 or 4) words to `target`, from `reads` [PE] in LM0 on, or ANY. join: they are
    joined by OR with what is there.
    """

    target: int
    words: int
    reads: Ints
    join: bool = False


@dataclass(eq=False)
class Profile:
    """values: what T adds in every PE. items: with their addresses."""

    values: Ints
    items: list[tuple[Item, int]] = field(default_factory=list)

    def moved(self, reads: int, targets: int) -> Profile:
        """The same where both sides lie so many words further: where items go and their addresses (not `reads`)."""
        found = [
            (replace(item, target=item.target + targets), (address + reads) % isa.LM_WORDS)
            for item, address in self.items
        ]
        return Profile(self.values, found)


def items(targets: Ints, reads: Ints, join: bool = False) -> list[Item]:
    """The items of words at `targets` (ascending) that come from reads [word, PE]; as wide ones as there are."""
    row = {int(target): number for number, target in enumerate(targets)}
    done: set[int] = set()
    found: list[Item] = []
    for words in (2, 1) if join else (4, 2, 1):
        for first in row:
            rows = [row.get(first + k, -1) for k in range(words)]
            if first % words or min(rows) < 0 or done & set(rows):
                continue
            if (together := _together(reads[rows])) is not None:
                done.update(rows)
                if (together != ANY).any():
                    found.append(Item(first, words, together, join))
    return found


def _together(reads: Ints) -> Ints | None:
    """Where neighbouring words begin in every PE; None where they do not lie side by side."""
    asked = reads != ANY
    before = np.arange(len(reads))[:, None]
    starts = np.where(asked, reads - before, -len(reads))  # a word at address 0 may be read too early to be a start
    first: Ints = starts.max(axis=0)
    wrong = asked & ((starts != first) | (starts % len(reads) != 0))
    return None if wrong.any() else np.where(asked.any(axis=0), first, ANY)


def profiles(found: Sequence[Item]) -> list[Profile]:
    """The profiles of items, that of plain copies first.

    An item goes into the first profile that it fits, of the plain one and the latest; what T adds in a PE becomes known
    when an item asks for it.
    """
    pes = len(found[0].reads) if found else 0
    values, known = np.zeros((len(found) + 1, pes), np.int32), np.zeros((len(found) + 1, pes), np.bool_)
    known[0] = True
    result = [Profile(values[0])]
    for item in found:
        asked = np.flatnonzero(item.reads != ANY)
        reads = item.reads[asked].astype(np.int32)
        fitting = [
            (first + number, shift)
            for first, end in ((0, 1), (max(len(result) - LOOKED_AT, 1), len(result)))
            for number, shift in _fitting(reads, values[first:end, asked], known[first:end, asked])
            if shift % item.words == 0
        ]
        number, shift = fitting[0] if fitting else (len(result), int(reads[0]))
        if not fitting:
            result.append(Profile(values[number]))
        new = asked[~known[number, asked]]
        values[number, new] = (item.reads[new] - shift) % isa.LM_WORDS
        known[number, new] = True
        result[number].items.append((item, shift))
    return result


def _fitting(
    reads: NDArray[np.int32], values: NDArray[np.int32], known: NDArray[np.bool_]
) -> Iterator[tuple[int, int]]:
    """The profiles whose numbers fit what PEs read, with the address that they are added to."""
    if not len(values):
        return
    shifts = (reads - values) % isa.LM_WORDS
    shift = shifts[np.arange(len(values)), known.argmax(axis=1)]
    fits = ((shifts == shift[:, None]) | ~known).all(axis=1) & known.any(axis=1)
    for number in np.flatnonzero(fits):
        yield int(number), int(shift[number])


# --- lines -----------------------------------------------------------------------------------------------------------

Pairs = Sequence[tuple[Item, int]]
"""Items with their addresses."""


def line(part: Pairs, bank: str, indirect: bool, source: str = "LM0") -> str:
    """One step for up to four items of a kind."""
    item = part[0][0]
    off = tuple(range(len(part), 4))
    part = [*part, *[part[-1]] * len(off)]
    reads, writes = [shift for _, shift in part], [found.target for found, _ in part]
    start = operand_text(source, reads, item.words)
    if indirect:
        tail = str(reads[0]) if len(set(reads)) == 1 else f"[{','.join(map(str, reads))}]"
        start = f"${'l' * (item.words // 2)}mt{tail}"
    op = ("i" if item.words == 1 else "l") + ("or" if item.join else "passa")
    joined = f" {operand_text(bank, writes, item.words)}" if item.join else ""
    return f"{op} {start}{joined} {written(bank, item.words, writes, off)}"


def copies(found: Pairs, source: str, bank: str) -> Iterator[str]:
    """Lines of plain copies."""
    for part in _fours(found):
        yield line(part, bank, False, source)


def _fours(found: Pairs) -> Iterator[Pairs]:
    """Up to four items of a kind at a time."""
    for words in (1, 2, 4):
        same = sorted((pair for pair in found if pair[0].words == words), key=lambda pair: pair[0].target)
        yield from (same[start : start + 4] for start in range(0, len(same), 4))


@dataclass(frozen=True, eq=False)
class _Row:
    """One load of T, with what follows it. profiles: for each cycle, or a single one for all."""

    profiles: tuple[Profile, ...]
    lines: tuple[str, ...]


def indirect(code: Code, found: Sequence[Profile], pe_of: Ints, bank: str) -> None:
    """Adds the lines of items that need T. pe_of [4096]: which column of the profiles is a PE's."""
    blocks = list(_blocks(list(_rows(found, bank))))
    if not blocks:
        return
    words = np.concatenate([_packed(block, pe_of) for block in blocks])
    banks = [other for other in ("LM1", "LM0", "GRF1") if other != bank]
    try:
        _loads(code, blocks, code.data(words, banks))
    except NoRoom:
        with code.scratch():
            room = max(min(code.largest(other), len(words)) for other in banks) // BLOCK
            slot = code.take(max(room, 1) * BLOCK, banks)
            for start in range(0, len(blocks), room):
                code.stream(words[BLOCK * start : BLOCK * (start + room)], slot)
                _loads(code, blocks[start : start + room], slot)


def _rows(found: Sequence[Profile], bank: str) -> Iterator[_Row]:
    few = [profile for profile in found if len(profile.items) < OWN]
    owner = {id(item): profile for profile in few for item, _ in profile.items}
    for part in _fours([pair for profile in few for pair in profile.items]):
        chosen = [owner[id(item)] for item, _ in part]
        yield _Row((*chosen, *[chosen[-1]] * (4 - len(chosen))), (line(part, bank, True),))
    for profile in found:
        if len(profile.items) >= OWN:
            yield _Row((profile,), tuple(line(part, bank, True) for part in _fours(profile.items)))


def _blocks(rows: Sequence[_Row]) -> Iterator[list[list[_Row]]]:
    """Rows by the long words of a block of the table: those with four profiles fill all four, others one."""
    wide = [row for row in rows if len(row.profiles) == 4]
    for start in range(0, len(wide), FIELDS):
        yield [wide[start : start + FIELDS]]
    single = [row for row in rows if len(row.profiles) == 1]
    cells = [single[start : start + FIELDS] for start in range(0, len(single), FIELDS)]
    yield from (cells[start : start + 4] for start in range(0, len(cells), 4))


def _packed(block: list[list[_Row]], pe_of: Ints) -> NDArray[np.uint32]:
    """The 8 words of a block in every PE."""
    longs = np.zeros((4, len(pe_of)), np.uint64)
    for number, cell in enumerate(block):
        for place, row in enumerate(cell):
            for cycle, profile in enumerate(row.profiles):
                values = profile.values[pe_of].astype(np.uint64)
                longs[number if len(row.profiles) == 1 else cycle] |= values << np.uint64(WIDTH * place)
    return np.stack([longs >> np.uint64(32), longs & np.uint64(0xFFFFFFFF)], 1).reshape(BLOCK, -1).astype(np.uint32)


def _loads(code: Code, blocks: Sequence[list[list[_Row]]], slot: Slot) -> None:
    for number, block in enumerate(blocks):
        for cell_number, cell in enumerate(block):
            for place, row in enumerate(cell):
                tail = "v" if len(row.profiles) == 4 else ""
                table = long(slot, BLOCK * number + 2 * cell_number, tail)
                load = f"llsr {table} {code.constant(WIDTH * place)} $t" if place else f"lpassa {table} $t"
                code.add(load, *row.lines)
