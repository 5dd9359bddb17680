"""Gathers by an index that is computed on the chip: target[e] = source[index[e]].

Addresses in LM0 are made of the index by shifts and masks; of eight words of the target at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from haribote.stack.code import Code, constant_word, long
from haribote.stack.issues import written
from haribote.stack.maps import BitMap
from haribote.stack.picks.gather import PickError, brought, rounds_of, sink
from haribote.stack.picks.needs import rows_of
from haribote.stack.picks.spread import SpreadLoad, Wants
from haribote.stack.places import Place, operand_text
from simulator import isa
from simulator.messages import tr

Ints = NDArray[np.int64]
SIGN = 1 << 31


def emit(code: Code, source: Place, target: Place, index: Place, fill: float | int = 0.0) -> None:
    """Adds the lines of target[e] = source[index[e]]. index: int32, in the layout of the target; flat and row-major in
    the source's shape. fill: what negative indices take. Raises PickError where the index lies otherwise, NoRoom.
    """
    if not index.map.satisfies(target.map):
        raise PickError(tr("a computed index of a gather lies otherwise than its target"), tr("move the index before"))
    with code.scratch():
        word = constant_word(fill)
        rounds = rounds_of(code, source, Wants.anything(target.map, source.map))
        rows = rows_of(target.map)
        with sink(code, target, rows, ("LM0",)) as (bank, base):
            for number, load in enumerate(rounds):
                with brought(code, load, (0, word)) as (start, at):
                    worker = _Worker(code, source.map, load, start, (at[0], at[word]), len(rounds), number)
                    for longs in _longs(rows):
                        worker.add(index, bank, base, longs)


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

    def add(self, index: Place, bank: str, base: int, longs: Sequence[tuple[int, bool]]) -> None:
        """Adds the lines of four long words of the target."""
        code, off = self.code, tuple(range(len(longs), 4))
        firsts = [first for first, _ in longs] + [longs[-1][0]] * len(off)
        with code.scratch():
            found = self._address(operand_text(index.memory, [index.address + word for word in firsts]))
            for half in range(1 + longs[0][1]):
                code.add(f"lpassa {found} $t" if half else f"llsr {found} {self._constant(32)} $t")
                words = [base + word + half for word in firsts]
                joined = f"ior $mt{self.start} {operand_text(bank, words, 1)}"
                op = f"ipassa $mt{self.start}" if self.number == 0 else joined
                code.add(f"{op} {written(bank, 1, words, off)}")

    def _constant(self, value: int) -> str:
        return self.code.constant(value, "GRF1")

    def _address(self, index: str) -> str:
        """Adds lines that make addresses in LM0, less `start`, of indices; the operand with them."""
        code = self.code
        terms = list(_runs(self.load.weights))
        number, found = long(code.take(8, ("GRF0",)), tail="v"), long(code.take(8, ("GRF0",)), tail="v")
        code.add(f"lpassa {index} {number}")
        self._numbers(number)
        entry = code.entry()
        code.add(f"iand {number} {self._constant(self.load.mask | SIGN)} $nowrite")
        code.add(f"ixor $aluf {self._constant(self.load.value)} $omr{entry}")
        for count, (bits, shift) in enumerate(terms):
            code.add(f"iand {number} {self._constant(bits)} $nowrite")
            code.add(f"{'ilsr' if shift > 0 else 'ilsl'} $aluf {self._constant(abs(shift))} $nowrite")
            code.add(f"ior $aluf {found} {found}" if count else f"ipassa $aluf {found}")
        if not terms:
            code.add(f"lpassa {self._constant(0)} {found}")
        return self._chosen(number, found, entry)

    def _chosen(self, number: str, found: str, entry: int) -> str:
        """Adds lines that put other addresses where an index is not in this part, or negative."""
        code = self.code
        zero, fill = (self._constant((word - self.start) % isa.LM_WORDS) for word in self.defaults)
        chosen = long(code.take(8, ("GRF0",)), tail="v")
        code.add(f"lpassa {fill if self.rounds == 1 else zero} {chosen}", f"lpassa {found} {chosen}/$limr{entry}")
        if self.rounds > 1 and self.number == 0:
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
