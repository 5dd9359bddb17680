"""Which words of its operands a word of an instruction's result is made of (isa.md, sections 7 to 11).

A result word is named by PE, cycle and word of the datum. Transfers are read off their index formula; for arithmetic it
follows from the widths of the elements.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator import isa
from simulator.effects.places import Place
from simulator.effects.running import move_points, unit_numbers
from simulator.engine.state.elements import WIDTH
from simulator.isa import program as p
from simulator.isa.formulas import Index
from simulator.isa.transfers import ELEMENTS, Transfer, move_transfer, transfer_of
from simulator.messages import Text

PES = isa.PES_PER_MAB
PES_PER_L1B = isa.MABS * PES


class Datum(NamedTuple):
    """A word of what a unit handles: PE of the machine, cycle, word 0 to 3."""

    pe: int
    cycle: int
    word: int


class Input(NamedTuple):
    """A word of an operand. source: which of the instruction's sources; where: a word of its datum, or a place."""

    source: int
    where: Datum | Place


def covering(word: int, width: int) -> list[int]:
    """The elements of `width` bits that have bits in a word."""
    return [word // 2] if width == 64 else [word] if width == 32 else [2 * word, 2 * word + 1]


def words_of(element: int, width: int) -> list[int]:
    """The words that an element of `width` bits lies in."""
    return [2 * element, 2 * element + 1] if width == 64 else [element] if width == 32 else [element // 2]


def names_of(instruction: p.Instruction) -> list[str]:
    """What the inputs are called in the meaning of the row: M for a matrix, then x, y, z; "from" in transfers."""
    if transfer_of(instruction) is not None:
        return [Text("from")] * len(instruction.sources)
    letters = iter("xyz")
    others = {p.Matrix: "M", p.Immediate: Text("literal")}
    return [others.get(type(s.operand)) or next(letters) for s in instruction.sources]


# --- results in PEs --------------------------------------------------------------------------------------------------


def inputs_of(instruction: p.Instruction, at: Datum) -> list[Input]:
    """The words that word `at` of the result is computed from; none for constants."""
    if instruction.unit == "l1bm":
        found = _from_l1bm(instruction, at)
    elif instruction.unit == "mau-read":
        found = _matrix_column(instruction, at)
    elif instruction.op in ("mmul", "mfma"):
        found = _product(instruction, at)
    elif instruction.unit == "mau":
        found = _vector(instruction, at)
    else:
        found = _alu(instruction, at)
    return list(dict.fromkeys(found))


def flag_inputs(instruction: p.Instruction, at: Datum) -> list[Input]:
    """The words that the four flags of a cycle are computed from."""
    four_words = instruction.unit == "mau" and instruction.precision == "h" and not instruction.narrow
    words = range(4 if four_words else 2)
    return list(dict.fromkeys(found for word in words for found in inputs_of(instruction, at._replace(word=word))))


def _alu(instruction: p.Instruction, at: Datum) -> Iterator[Input]:
    if instruction.op in ("msl", "msr") and at.word < 2:
        transfer = transfer_of(instruction)
        assert transfer is not None
        for pe, cycle, _ in _sources(transfer, (at.pe % PES, at.cycle, 0)):
            yield Input(0, Datum(at.pe - at.pe % PES + pe, cycle, at.word))
    elif instruction.op in ("bfn", "bfe"):
        yield from _block(instruction, at)
    elif at.word >= 2 or instruction.op == "passa":  # long word 1 is that of x
        yield from (Input(0, at) for _ in instruction.sources[:1])
    else:
        for number in range(len(instruction.sources)):
            for element in covering(at.word, WIDTH.get(instruction.precision, 32)):
                for word in words_of(element, WIDTH.get(instruction.precision, 32)):
                    yield Input(number, at._replace(word=word))


def _block(instruction: p.Instruction, at: Datum) -> Iterator[Input]:
    """The element itself first, then the others of its block, with which it shares the exponent."""
    if instruction.sources[0].narrow:  # four singles: they fill long word 0, nothing long word 1
        own, words = ([2 * at.word, 2 * at.word + 1], [0, 1, 2, 3]) if at.word < 2 else ([], [])
    else:
        base = at.word - at.word % 2
        own, words = [at.word], [at.word] if instruction.precision == "f" else [base, base + 1]
        if at.word >= 2 and instruction.precision != "h":
            words = []
    yield from (Input(0, at._replace(word=word)) for word in own)
    first = at.pe - at.pe % PES
    yield from (Input(0, Datum(pe, at.cycle, word)) for pe in range(first, first + PES) for word in words)


def _result_width(instruction: p.Instruction) -> int:
    width = 32 if instruction.precision in "fgh" else 64
    return (16 if width == 32 else 32) if instruction.narrow else width


def _stored_width(source: p.Source, width: int) -> int:
    return width // 2 if source.widen else 32 if source.narrow else width


def _vector(instruction: p.Instruction, at: Datum) -> Iterator[Input]:
    letter = instruction.precision
    idle = letter == "d" and instruction.op in ("vmul", "vfma") and (at.pe % PES < 2) != (instruction.rows == "u")
    addend = {"vadd": 1, "vfma": 2}.get(instruction.op)
    for element in covering(at.word, _result_width(instruction)):
        if element >= ELEMENTS[letter]:
            continue
        for number, source in enumerate(instruction.sources):
            if idle and number != addend:
                continue
            width = 32 if letter == "h" and number == addend else WIDTH[letter]
            for word in words_of(element, _stored_width(source, width)):
                yield Input(number, at._replace(word=word))


def _product(instruction: p.Instruction, at: Datum) -> Iterator[Input]:
    """Element i of a product: row i of the matrix, the whole vector, element i of the addend."""
    letter = instruction.precision
    matrix = instruction.sources[0].operand
    assert isinstance(matrix, p.Matrix)
    first = at.pe - at.pe % PES
    for element in covering(at.word, _result_width(instruction)):
        if element >= ELEMENTS[letter]:
            continue
        row = ELEMENTS[letter] * (at.pe % PES) + element
        if not instruction.rows or (row < 2) == (instruction.rows == "u"):
            for word in range(0, 8, 2 if letter == "f" else 1):
                yield Input(0, Place(f"m{matrix.register}", at.pe // PES, 8 * row + word))
            width = _stored_width(instruction.sources[1], WIDTH[letter])
            count = 1 if letter == "f" else ELEMENTS[letter]
            words = sorted({word for k in range(count) for word in words_of(k, width)})
            yield from (Input(1, Datum(pe, at.cycle, word)) for pe in range(first, first + PES) for word in words)
        if len(instruction.sources) > 2:
            width = _stored_width(instruction.sources[2], 64 if letter == "d" else 32)
            yield from (Input(2, at._replace(word=word)) for word in words_of(element, width))


# --- transfers -------------------------------------------------------------------------------------------------------


def _sources(transfer: Transfer, destination: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The source coordinates that a destination gets its word from; several where a reduction combines them."""
    ends, starts = transfer.all_points
    return [tuple(map(int, start)) for start in starts[_same(ends, destination)]]


def _same(points: Index, wanted: tuple[int, ...]) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    return np.asarray((points == np.array(wanted)).all(axis=1))


def _from_l1bm(instruction: p.Instruction, at: Datum) -> Iterator[Input]:
    transfer = transfer_of(instruction)
    assert transfer is not None
    l1b, pe = divmod(at.pe, PES_PER_L1B)
    memory = "turn" if isinstance(instruction.sources[0].operand, p.Turnaround) else "l1bm"
    for (address,) in _sources(transfer, (pe // PES, pe % PES, at.cycle, at.word // 2)):
        yield Input(0, Place(memory, l1b, 2 * address + at.word % 2))


def _matrix_column(instruction: p.Instruction, at: Datum) -> Iterator[Input]:
    transfer, matrix = transfer_of(instruction), instruction.sources[0].operand
    assert transfer is not None and isinstance(matrix, p.Matrix)
    width, count = WIDTH[instruction.precision], ELEMENTS[instruction.precision]
    for element in covering(at.word, width):
        for row, column in _sources(transfer, (at.pe % PES, at.cycle, *divmod(element, count))):
            for word in words_of(column, width):
                yield Input(0, Place(f"m{matrix.register}", at.pe // PES, 8 * row + word))


def sent_to(line: p.Instruction | p.Move, place: Place, table: NDArray[np.uint32] | None = None) -> list[Input] | None:
    """What a transfer that writes a memory of another level stores at `place`; None where it does not write it.

    For matrix registers, the turnaround register and all memories above the PEs. table: the DRAM address table before
    an MV line that takes addresses from it.
    """
    transfer = move_transfer(line) if isinstance(line, p.Move) else transfer_of(line)
    if transfer is None:
        return None
    if isinstance(line, p.Move) or line.unit == "l2bm":
        found = list(_from_above(line, transfer, place, table))
    elif line.unit == "mau-write":
        found = list(_matrix_element(line, transfer, place))
    else:
        if place.memory == "turn":  # no shift is applied to what goes to the register (isa.md, section 8)
            transfer = replace(transfer, constants={**transfer.constants, "B": 0, "n": 0})
        if not _sources(transfer, (place.word // 2,)):
            return None
        return list(dict.fromkeys(_from_pes(line, transfer, place)))  # none for the half that a narrow sum leaves 0
    return list(dict.fromkeys(found)) or None


def _from_pes(instruction: p.Instruction, transfer: Transfer, place: Place) -> Iterator[Input]:
    address, half = divmod(place.word, 2)
    source, wide = instruction.sources[0], transfer.constants["W"]
    for m, pe, cycle, w in _sources(transfer, (address,)):
        for word in combined(instruction, source, 2 * w + half, wide):
            yield Input(0, Datum(place.unit * PES_PER_L1B + PES * m + pe, cycle, word))


def combined(instruction: p.Instruction, source: p.Source, word: int, wide: int) -> list[int]:
    """The words of an input that a word of the result of a reduction (or of a plain transfer) is made of.

    wide: long words per PE. Sums of halves run on the circuit for singles (isa.md, section 8).
    """
    if not instruction.reduction:
        return [word]
    on_singles = instruction.precision == "h" and instruction.reduction == "fadd"
    width = 32 if on_singles else WIDTH[instruction.precision]
    result = width // 2 if instruction.narrow or on_singles else width
    stored = width // 2 if source.widen or on_singles else width
    elements = [element for element in covering(word, result) if element < wide * 64 // width]
    return sorted({w for element in elements for w in words_of(element, stored)})


def _from_above(
    line: p.Instruction | p.Move, transfer: Transfer, place: Place, table: NDArray[np.uint32] | None
) -> Iterator[Input]:
    """The words of other memories above the PEs that a word there is made of."""
    formula = transfer.formula
    if place.memory != formula.destination.memory.lower():
        return
    targets, origins = move_points(line, table) if isinstance(line, p.Move) else transfer.all_points
    l2b = None if isinstance(line, p.Move) else place.unit // (isa.L1BS if place.memory == "l1bm" else 1)
    (units, addresses), (of, words) = (
        (_units(side.memory, points, l2b), points[:, -1] % isa.LONGS[side.memory])
        for side, points in ((formula.destination, targets), (formula.source, origins))
    )
    address, half = divmod(place.word, 2)
    for row in np.flatnonzero((units == place.unit) & (addresses == address)):
        for part in (0, 1) if line.reduction and WIDTH[line.precision] == 64 else (half,):
            yield Input(0, Place(formula.source.memory.lower(), int(of[row]), 2 * int(words[row]) + part))


def _units(memory: str, points: Index, l2b: int | None) -> Index:
    """Numbers of units among all of their kind. l2b: where the words stay in one L2B, that of an instruction."""
    if l2b is None:
        return unit_numbers(points)
    return l2b * isa.L1BS + points[:, 0] if memory == "L1BM" else np.full(len(points), l2b)


def _matrix_element(instruction: p.Instruction, transfer: Transfer, place: Place) -> Iterator[Input]:
    matrix = instruction.destinations[0].operand
    assert isinstance(matrix, p.Matrix)
    if place.memory != f"m{matrix.register}":
        return
    row, word = divmod(place.word, 8)
    width, count = WIDTH[instruction.precision], ELEMENTS[instruction.precision]
    stored = _stored_width(instruction.sources[0], width)
    for column in covering(word, width):
        for pe, cycle, d, k in _sources(transfer, (row, column)):
            for source_word in words_of(d * count + k, stored):
                yield Input(0, Datum(place.unit * PES + pe, cycle, source_word))
