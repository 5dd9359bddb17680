"""A program of the stack as it grows: its lines, what is set up once before it, and who holds which room.

Layers above ask a `Code` for room and add lines; addresses are the program's only state. What a layer takes within
`with code.scratch():` is given back at its end. Buffers and mask entries come in turn, so that neighbours in the
program do not wait for each other and the scheduler may let them overlap.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from haribote.stack import uploads
from haribote.stack.places import BANKS, UNIT_LONGS, NoBuffer, NoRoom, Place
from haribote.stack.uploads import Upload, Words
from simulator import isa
from simulator.messages import tr

T = TypeVar("T")
MASK_ENTRIES = range(1, 8)
"""Mask entries that steps write, in turn."""
FIXED_MASKS = range(8, 16)
"""Mask entries that the setup writes once."""
GRF = ("GRF0", "GRF1")
LM = ("LM0", "LM1")


class Slot(NamedTuple):
    """Room: `words` words from `address` in a bank of the PEs (in the other memories, long words)."""

    bank: str
    address: int
    words: int


class Mark(NamedTuple):
    """A state of a `Code` to go back to."""

    lines: int
    setup: int
    free: dict[str, list[tuple[int, int]]]
    touched: dict[str, NDArray[np.bool_]]
    tables: dict[object, Slot]
    masks: dict[object, int]
    scratch: list[list[Slot]]
    turns: tuple[int, dict[str, int], dict[str, int], Counter[object]]


def _sizes() -> dict[str, int]:
    sizes = dict.fromkeys(GRF, isa.GRF_WORDS) | dict.fromkeys(LM, isa.LM_WORDS)
    return sizes | {"L1BM": isa.L1BM_LONGS, "L2BM": isa.L2BM_LONGS, "PDM": isa.PDM_LONGS}


RESERVED = {"GRF0": 112, "GRF1": 112, "LM0": 512, "LM1": 512}
"""Words at the end of a bank that tables get first and the step last."""


@dataclass
class Code:
    """lines: the step; `nop`s are added when it is assembled (`fix_nops`). setup: once, before the first step.
    uploads: what the host writes into DRAM before the setup. doubtful: a table is where lines before it have written,
    so that the program is wrong, and good for nothing but to know which tables the next one needs (`restart`).
    own_buffers: tensors from DRAM may have buffers in L2BM that no other tensor uses (`hops.own_buffers`). streams:
    room is short; words that differ from PE to PE come down whenever they are needed, so that the PEs keep none of
    them: `data` finds no room. known: what was worked out for this program, or earlier ones of the same plan (`once`).
    """

    lines: list[str] = field(default_factory=list)
    setup: list[str] = field(default_factory=list)
    uploads: list[Upload] = field(default_factory=list)
    own_buffers: bool = True
    streams: bool = False
    known: dict[object, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._asked: dict[object, Callable[[Code], object]] = {}
        self._data: dict[bytes, Upload] = {}
        self._next_dram = 0
        self._empty()

    def _empty(self) -> None:
        self._free: dict[str, list[tuple[int, int]]] = {bank: [(0, size)] for bank, size in _sizes().items()}
        self._ends = {bank: size - RESERVED.get(bank, 0) for bank, size in _sizes().items()}
        self._touched = {bank: np.zeros(size, np.bool_) for bank, size in _sizes().items()}
        self._tables: dict[object, Slot] = {}
        self._scratch: list[list[Slot]] = []
        self._masks: dict[object, int] = {}
        self._next: dict[str, int] = {}
        self._times: Counter[object] = Counter()
        self._next_entry, self._next_buffer = 0, dict.fromkeys(("L1BM", "L2BM", "PDM"), 0)
        self.doubtful = False
        self._used: set[object] = set()

    def add(self, *lines: str) -> None:
        """Lines of the step, in order."""
        self.lines.extend(lines)

    # --- room ---------------------------------------------------------------------------------------------------

    def take(self, words: int, banks: Sequence[str] = (*GRF, *LM), align: int = 4) -> Slot:
        """Room for `words` in the first of `banks` that has it; it stays taken until `give`, or until the end of the
        `scratch` around it. Raises NoRoom.
        """
        for bank in banks:
            for start, end in self._in_turn(bank):
                first = -(-start // align) * align
                if first + words <= end:
                    self._next[bank] = first + words
                    slot = self._cut(bank, first, words)
                    if bank in BANKS:
                        self._touched[bank][first : first + words] = True
                    if self._scratch:
                        self._scratch[-1].append(slot)
                    return slot
        largest = ", ".join(f"{self.largest(bank)} of {bank}" for bank in banks)
        raise NoRoom(
            tr("{words} words per PE are needed; the largest free pieces are {largest}", words, largest),
            tr("a smaller batch"),
        ).of(words, banks)

    def _in_turn(self, bank: str) -> Iterator[tuple[int, int]]:
        """The free pieces of a bank from behind what was taken last, then those before it: what was given back a moment
        ago is taken late, as whoever writes there would wait for whoever read it. Where room is short, the first ones:
        large pieces stay whole.
        """
        last, end_of_step = self._next.get(bank, 0), self._ends[bank]
        pieces = [(start, min(end, end_of_step)) for start, end in self._free[bank] if start < end_of_step]
        if not self.streams:
            yield from ((max(start, last), end) for start, end in pieces if end > last)
        yield from pieces
        yield from list(self._free[bank])

    def keep(self, slot: Slot) -> Slot:
        """Room that outlives the `scratch` in which it was taken."""
        if self._scratch and slot in self._scratch[-1]:
            self._scratch[-1].remove(slot)
        return slot

    def give(self, slot: Slot) -> None:
        """Take room back."""
        free = sorted([*self._free[slot.bank], (slot.address, slot.address + slot.words)])
        joined = free[:1]
        for start, end in free[1:]:
            if start == joined[-1][1]:
                joined[-1] = joined[-1][0], end
            else:
                joined.append((start, end))
        self._free[slot.bank] = joined

    def largest(self, bank: str) -> int:
        """Words of the largest free piece of a bank."""
        return max((end - start for start, end in self._free[bank]), default=0)

    @contextmanager
    def scratch(self) -> Iterator[None]:
        """What is taken inside is given back at the end."""
        self._scratch.append([])
        try:
            yield
        finally:
            for slot in self._scratch.pop():
                self.give(slot)

    def buffer(self, memory: str, longs: int) -> int:
        """The address of a buffer in L1BM, L2BM or PDM that holds nothing that is still needed: all in turn. A layer
        that needs several at once asks for them together, as one. Raises NoRoom.
        """
        longs = -(-longs // UNIT_LONGS) * UNIT_LONGS
        start, end = max(self._free[memory], key=lambda piece: piece[1] - piece[0], default=(0, 0))
        start = -(-start // UNIT_LONGS) * UNIT_LONGS
        if start + longs > end:
            raise NoBuffer(
                tr(
                    "{longs} long words of {memory} are needed as a buffer; there are {value}",
                    longs,
                    memory,
                    end - start,
                )
            )
        first = max(self._next_buffer[memory], start)
        if first + longs > end:
            first = start
        self._next_buffer[memory] = first + longs
        self._touched[memory][first : first + longs] = True
        return first

    @contextmanager
    def held(self, place: Place) -> Iterator[None]:
        """Nothing is taken where a tensor lies that is still to be read, such as one in a buffer, which is free."""
        first, last = place.address, place.address + place.words
        parts = [(max(start, first), min(end, last)) for start, end in self._free.get(place.memory, ())]
        slots = [self._cut(place.memory, start, end - start) for start, end in parts if start < end]
        try:
            yield
        finally:
            for slot in slots:
                self.give(slot)

    def dram(self, longs: int) -> int:
        """The address of room in the DRAM of every group, never given back. Raises NoRoom."""
        first = self._next_dram
        self._next_dram += -(-longs // UNIT_LONGS) * UNIT_LONGS
        if self._next_dram > isa.DRAM_LONGS:
            raise NoRoom(tr("{longs} long words of DRAM are needed; there are {value}", longs, isa.DRAM_LONGS - first))
        return first

    def entry(self) -> int:
        """A mask entry for the step, all in turn."""
        self._next_entry += 1
        return MASK_ENTRIES[self._next_entry % len(MASK_ENTRIES)]

    def mask(self, key: object, make: Callable[[int], Iterable[str]]) -> int | None:
        """A mask entry that the setup fills by the lines of `make`, once for every key; None when all are taken."""
        self._used.add(("mask", key))
        self._asked.setdefault(("mask", key), lambda code: code.mask(key, make))
        if key not in self._masks:
            if len(self._masks) == len(FIXED_MASKS):
                return None
            self._masks[key] = FIXED_MASKS[len(self._masks)]
            self.setup.extend(make(self._masks[key]))
        return self._masks[key]

    # --- beginning again ----------------------------------------------------------------------------------------

    def nth(self, key: object) -> int:
        """How often this has been asked before for a key: a number that is the same after a restart."""
        self._times[key] += 1
        return self._times[key] - 1

    def mark(self) -> Mark:
        """The state of now, for `back` within the same `scratch`."""
        free = {bank: list(pieces) for bank, pieces in self._free.items()}
        touched = {bank: words.copy() for bank, words in self._touched.items()}
        turns = self._next_entry, dict(self._next_buffer), dict(self._next), self._times.copy()
        scratch = [list(taken) for taken in self._scratch]
        tables, masks = dict(self._tables), dict(self._masks)
        return Mark(len(self.lines), len(self.setup), free, touched, tables, masks, scratch, turns)

    def back(self, mark: Mark) -> None:
        """Forget all lines, and give back all room, since a `mark`."""
        del self.lines[mark.lines :], self.setup[mark.setup :]
        self._free, self._touched, self._tables, self._masks = mark.free, mark.touched, mark.tables, mark.masks
        self._next_entry, self._next_buffer, self._next, self._times = mark.turns
        self._scratch = mark.scratch

    @property
    def set_up(self) -> tuple[Slot, ...]:
        """The room of all tables."""
        return tuple(self._tables.values())

    @property
    def keeps_data(self) -> bool:
        """Whether PEs keep words that differ from PE to PE."""
        return any(map(_of_addresses, self._tables))

    @property
    def asked(self) -> int:
        """How many tables and masks were asked for, those that found no room included."""
        return len(self._asked)

    def once(self, key: object, make: Callable[[], T]) -> T:
        """What is the same in all programs of a plan, wherever anything lies in them: made for the first of them."""
        if key not in self.known:
            self.known[key] = make()
        return cast(T, self.known[key])

    def anew(self, streams: bool = False) -> Code:
        """Another program of the same plan, empty: nothing was asked for yet. All tensors share the buffers in L2BM."""
        return Code(own_buffers=False, streams=streams, known=self.known)

    def again(self) -> Code:
        """Another program like this one, which has been written to its end, and may stay: empty, all tables and masks
        that this one has asked for in the room that they take first, constant words in the same places of the DRAM.
        """
        other = Code(uploads=list(self.uploads), own_buffers=self.own_buffers, streams=self.streams, known=self.known)
        other._asked, other._used = dict(self._asked), set(self._used)
        other._data, other._next_dram = dict(self._data), self._next_dram
        other.restart(complete=True)
        return other

    def restart(self, complete: bool = False) -> None:
        """Begin again with an empty program, in which all tables and masks asked for so far take their room first, as
        far as there is any. complete: this one has been written to its end, so that tables of addresses are left out
        that only earlier ones have asked for: they differ when addresses do.
        """
        if complete:
            self._asked = {key: ask for key, ask in self._asked.items() if key in self._used or not _of_addresses(key)}
        self.lines.clear()
        self.setup.clear()
        self._empty()
        for ask in list(self._asked.values()):
            with suppress(NoRoom):
                ask(self)
        self._used.clear()  # by what is written from now on

    # --- what is set up once ------------------------------------------------------------------------------------

    def table(
        self, key: object, words: int, make: Callable[[Code, Slot], Iterable[str]], banks: Sequence[str] = GRF
    ) -> Slot:
        """Room that the setup fills by the lines of `make`, once for every key; they may use T, masks and matrix
        registers, and nothing that is not written there. make: for this program, or another one (`again`).
        """
        self._used.add(key)
        new = key not in self._asked
        self._asked.setdefault(key, lambda code: code.table(key, words, make, banks))
        if key not in self._tables:
            self._tables[key] = slot = self._resident(words, banks, new)
            self.setup.extend(make(self, slot))
        return self._tables[key]

    def has(self, key: object) -> bool:
        """Whether there is a table for a key."""
        return key in self._tables

    def _resident(self, words: int, banks: Sequence[str], new: bool, align: int = 4) -> Slot:
        """Room that no line of the step has had or will have: the setup comes before all of them. From the end of the
        bank, since `take` begins at the start. new: it will be asked for first in the next program, so any room does in
        this one, which is `doubtful` then. Raises NoRoom.
        """
        for bank in banks:
            for start, end in reversed(self._free[bank]):
                first = (end - words) // align * align
                while first >= start:
                    touched = np.flatnonzero(self._touched[bank][first : first + words])
                    if not len(touched):
                        return self._cut(bank, first, words)
                    first = (first + int(touched[0]) - words) // align * align
        for bank in banks if new else ():
            for start, end in reversed(self._free[bank]):
                first = (end - words) // align * align
                if first >= start:
                    self.doubtful = True
                    return self._cut(bank, first, words)
        kind = NoRoom if any(bank in BANKS for bank in banks) else NoBuffer
        raise kind(
            tr(
                "{words} words for a table in {banks}: all have been used for other things before",
                words,
                " or ".join(banks),
            )
        )

    def _cut(self, bank: str, first: int, words: int) -> Slot:
        """Takes free room at a known address."""
        number = next(n for n, (start, end) in enumerate(self._free[bank]) if start <= first and first + words <= end)
        start, end = self._free[bank][number]
        parts = (start, first), (first + words, end)
        self._free[bank][number : number + 1] = [part for part in parts if part[0] < part[1]]
        return Slot(bank, first, words)

    def constant(self, value: float | int, bank: str = "GRF0") -> str:
        """The long operand of a constant in both words (`constant_word`)."""
        word = constant_word(value)
        slot = self.table(("constant", word, bank), 2, lambda _, slot: [f'imm i"0x{word:08x}" {long(slot)}'], (bank,))
        return long(slot)

    def constants(self, wanted: Iterable[tuple[float | int, str]]) -> None:
        """Ask for constants, each with its bank; for all of them also where there is no room for one. Raises NoRoom."""
        problems: list[NoRoom] = []
        for value, bank in wanted:
            try:
                self.constant(value, bank)
            except NoRoom as problem:
                problems.append(problem)
        if problems:
            raise problems[0]

    def data(self, words: Words, banks: Sequence[str] = ("LM1", "LM0")) -> Slot:
        """Room that holds constant words, other ones in every PE: uint32 [word, 4096]. The host writes them into DRAM,
        the setup brings them down. The same words are there once, whoever asks. Raises NoRoom.
        """
        if self.streams:
            raise NoRoom(tr("this program keeps no words that differ from PE to PE"))
        upload = self._upload(words)
        start, rows = upload.place.address, len(upload.words)
        return self.table(
            ("data", start, *banks),
            rows,
            lambda code, slot: uploads.lines(start, rows, slot.bank, slot.address, code.buffer),
            banks,
        )

    def stream(self, words: Words, slot: Slot) -> None:
        """The same within the step, into room that is taken for a while: for what PEs cannot keep."""
        upload = self._upload(words)
        rows = len(upload.words)
        self.add(*uploads.lines(upload.place.address, rows, slot.bank, slot.address, self.buffer))

    def _upload(self, words: Words) -> Upload:
        words = uploads.padded(words)
        key = hashlib.sha256(words.tobytes()).digest()
        if key not in self._data:
            found = uploads.dram_map(len(words))
            self._data[key] = Upload(Place("DRAM", self.dram(found.longs), found), words)
            self.uploads.append(self._data[key])
        return self._data[key]


def _of_addresses(key: object) -> bool:
    """True for the key of a table that `Code.data` asks for."""
    return isinstance(key, tuple) and key[:1] == ("data",)


def constant_word(value: float | int) -> int:
    """The word of a constant: of a float as a single, of an int as it is."""
    return int(np.float32(value).view(np.uint32)) if isinstance(value, float) else value & 0xFFFFFFFF


def long(slot: Slot, offset: int = 0, tail: str = "") -> str:
    """`$lr8v`: the long operand of a slot's words from `offset` on, with `v` or another tail."""
    return f"$l{BANKS[slot.bank]}{slot.address + offset}{tail}"
