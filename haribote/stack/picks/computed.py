"""Gathers by an index that is computed on the chip: target[e] = source[index[e]].

Addresses in LM0 are made of the index by shifts and masks; of eight words of the target at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from haribote.stack.code import Code, long
from haribote.stack.issues import operand
from haribote.stack.maps import BitMap, W
from haribote.stack.picks.gather import PickError, constant, rounds_of, sink, word_of_fill
from haribote.stack.picks.held import elements
from haribote.stack.picks.spread import SpreadLoad, tied
from haribote.stack.places import Place
from simulator import isa
from simulator.messages import tr

Ints = NDArray[np.int64]
SIGN = 1 << 31


def emit(
    code: Code,
    source: Place,
    target: Place,
    index: Place,
    fill: float | int | None = None,
    along: Sequence[tuple[int, int]] = (),
) -> None:
    """Adds the lines of target[e] = source[index[e]]. index: int32, in the layout of the target; flat and row-major in
    the source's shape. fill: what negative indices take; None promises that there are none. along: pairs of axes, of
    the source and of the target, along which every index is that of its own element: what is on the same unit there
    need not travel. Raises PickError where the index lies otherwise, NoRoom.
    """
    held = elements(target.map)
    if not index.map.satisfies(target.map):
        raise PickError(tr("a computed index of a gather lies otherwise than its target"), tr("move the index before"))
    with code.scratch():
        wants = tied(target.map, held, source.map, along)
        defaults = constant(code, 0), constant(code, word_of_fill(fill or 0))
        rounds = [load for batch in rounds_of(code, [source], [wants], together=False) for load in batch]
        rows = np.flatnonzero((elements(target.map.padded) >= 0).any(axis=1))
        paired = fill is None and _paired(source, target, rounds[0], along)
        with sink(code, target, rows, ("LM0",)) as (bank, base):
            for number, load in enumerate(rounds):
                with code.scratch():
                    start = load.source.address if load.there else code.take(load.words, ("LM0",)).address
                    if not load.there:
                        load.bring(code, start)
                    worker = _Worker(code, source.map, load, start, defaults, len(rounds), number, fill is not None)
                    for longs in _longs(rows):
                        worker.add(index, bank, base, longs, paired)


def _paired(source: Place, target: Place, load: SpreadLoad, along: Sequence[tuple[int, int]]) -> bool:
    """True where both words of a long word of the target are those of one of the source."""
    return not load.mask and any(
        (mine, theirs) == (load.map[W], target.map[W])
        for axis, other in along
        for mine, theirs in zip(source.map.axes[axis], target.map.axes[other], strict=False)
    )


def _longs(rows: Ints) -> Iterator[list[tuple[int, bool]]]:
    """Up to four long words of the target at a time: the first word of each, and whether there is a second."""
    words = set(rows.tolist())
    found = [(word, word + 1 in words) for word in sorted(words) if word % 2 == 0]
    for second in (True, False):
        same = [pair for pair in found if pair[1] == second]
        yield from (same[start : start + 4] for start in range(0, len(same), 4))


@dataclass
class _Worker:
    """The lines of one round. start: of the load in LM0; defaults: addresses of a zero and of the fill value."""

    code: Code
    source: BitMap
    load: SpreadLoad
    start: int
    defaults: tuple[int, int]
    rounds: int
    number: int
    filled: bool

    def add(self, index: Place, bank: str, base: int, longs: Sequence[tuple[int, bool]], paired: bool) -> None:
        """Adds the lines of four long words of the target."""
        code, off = self.code, tuple(range(len(longs), 4))
        firsts = [first for first, _ in longs] + [longs[-1][0]] * len(off)
        with code.scratch():
            found = self._address(operand(index.memory, 2, [index.address + word for word in firsts]), index.memory)
            if paired:
                code.add(f"lpassa {found} $t")
                code.add(f"lpassa $lmt{self.start} {operand(bank, 2, [base + word for word in firsts], off)}")
                return
            for half in range(1 + longs[0][1]):
                code.add(f"lpassa {found} $t" if half else f"llsr {found} {self._constant(32)} $t")
                words = [base + word + half for word in firsts]
                joined = f"ior $mt{self.start} {operand(bank, 1, words)}"
                op = f"ipassa $mt{self.start}" if self.number == 0 else joined
                code.add(f"{op} {operand(bank, 1, words, off)}")

    def _constant(self, value: int) -> str:
        return self.code.constant(value, "GRF1")

    def _address(self, index: str, memory: str) -> str:
        """Adds lines that make addresses in LM0, less `start`, of indices; the operand with them."""
        code = self.code
        terms = list(_runs(self.load.weights))
        whole = len(terms) == 1 and terms[0][1] == 0 and self._straight
        masked = self.filled or self.rounds > 1
        if whole and not masked and memory != "GRF1":
            return index
        number, found = long(code.take(8, ("GRF0",)), tail="v"), long(code.take(8, ("GRF0",)), tail="v")
        code.add(f"lpassa {index} {number}")
        self._numbers(number)
        entry = code.entry() if masked else 0
        if masked:
            mask = self.load.mask | (SIGN if self.filled else 0)
            code.add(f"iand {number} {self._constant(mask)} $nowrite")
            code.add(f"ixor $aluf {self._constant(self.load.value)} $omr{entry}")
        for count, (bits, shift) in enumerate(terms):
            code.add(f"iand {number} {self._constant(bits)} $nowrite")
            code.add(f"{'ilsr' if shift > 0 else 'ilsl'} $aluf {self._constant(abs(shift))} $nowrite")
            code.add(f"ior $aluf {found} {found}" if count else f"ipassa $aluf {found}")
        if not terms:
            code.add(f"lpassa {self._constant(0)} {found}")
        return self._chosen(number, found, entry) if masked else found

    def _chosen(self, number: str, found: str, entry: int) -> str:
        """Adds lines that put other addresses where an index is not in this part, or negative."""
        code = self.code
        zero, fill = (self._constant((word - self.start) % isa.LM_WORDS) for word in self.defaults)
        chosen = long(code.take(8, ("GRF0",)), tail="v")
        code.add(f"lpassa {fill if self.rounds == 1 else zero} {chosen}", f"lpassa {found} {chosen}/$limr{entry}")
        if self.filled and self.rounds > 1 and self.number == 0:
            other = code.entry()
            code.add(f"iand {number} {self._constant(SIGN)} $nowrite", f"ixor $aluf {self._constant(SIGN)} $omr{other}")
            code.add(f"lpassa {fill} {chosen}/$limr{other}")
        return chosen

    # --- element numbers ----------------------------------------------------------------------------------------------

    @property
    def _straight(self) -> bool:
        """True where flat indices are element numbers: no axis but the first is padded."""
        return all(
            size == 1 << len(bits) for size, bits in zip(self.source.shape[1:], self.source.axes[1:], strict=True)
        )

    def _numbers(self, number: str) -> None:
        """Adds lines that make element numbers of flat indices in place: axes apart by division, bit by bit."""
        if self._straight:
            return
        code, source = self.code, self.source
        rest, quotient, total = (long(code.take(8, ("GRF0",)), tail="v") for _ in range(3))
        code.add(f"lpassa {number} {rest}")
        for count, (size, bits) in reversed(list(enumerate(zip(source.shape, source.axes, strict=True)))):
            if count:
                self._divide(rest, quotient, size, int(np.prod(source.shape[:count])))
            code.add(f"ilsl {rest} {self._constant(bits.start)} $nowrite")
            code.add(f"ior $aluf {total} {total}" if count + 1 < len(source.shape) else f"ipassa $aluf {total}")
            code.add(f"lpassa {quotient} {rest}")
        code.add(f"lpassa {total} {number}")

    def _divide(self, rest: str, quotient: str, size: int, largest: int) -> None:
        """Adds lines of rest, quotient = rest % size, rest // size; a quotient is less than `largest`."""
        code = self.code
        code.add(f"lpassa {self._constant(0)} {quotient}")
        for bit in reversed(range(max(largest - 1, 1).bit_length())):
            entry, less = code.entry(), self._constant(size << bit)
            code.add(f"isub {rest} {less} $omr{entry}")
            code.add(f"isub {rest} {less} {rest}/$limr{entry}")
            code.add(f"ior {quotient} {self._constant(1 << bit)} {quotient}/$limr{entry}")


def _runs(weights: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Index bits as runs that are shifted alike: the mask of their bits, and by how many places to the right."""
    shifts: dict[int, int] = {}
    for index, weight in weights:
        shift = index - (weight.bit_length() - 1)
        shifts[shift] = shifts.get(shift, 0) | 1 << index
    yield from ((mask, shift) for shift, mask in sorted(shifts.items()))
