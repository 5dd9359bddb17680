"""MAU instructions: vector arithmetic, matrix registers, matrix-vector products (isa.md, section 9)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from simulator import isa
from simulator.engine import numbers
from simulator.engine.numpy.action import Action, NotExecutable, Result, Write, latch_path
from simulator.engine.numpy.masks import flusher
from simulator.engine.numpy.operands import PE, reader, wants_flags, writers
from simulator.engine.state.elements import WIDTH, Elements, fit, join_words, pack, unpack
from simulator.engine.state.memories import Flags, Memories, Words
from simulator.isa import ALL_MABS, ALL_PES
from simulator.isa.program import Instruction, Matrix, Source
from simulator.messages import tr

ElementReader = Callable[[Memories], Elements]
ROWS = {"d": 4, "f": 8, "g": 8, "h": 16}
RESULTS = {"d": 1, "f": 2, "g": 2, "h": 4}  # result elements per PE and cycle


# --- operands --------------------------------------------------------------------------------------------------------


def element_reader(source: Source, letter: str, count: int) -> ElementReader:
    """A function that reads `count` elements [cycle, element, pe] of precision `letter`, decorations applied.

    `e`: they are stored one precision lower and are widened exactly. `r`: singles are rounded to halves.
    """
    read = reader(source.operand)
    fmt = numbers.SINGLE if letter == "g" else numbers.FORMATS[letter]
    stored = numbers.NARROWER[letter] if source.widen else numbers.SINGLE if source.narrow else fmt

    def elements(memories: Memories) -> Elements:
        values = unpack(read(memories), stored.width, count)
        if source.widen:
            values = numbers.widen(values, stored, fmt)
        elif source.narrow:
            values = numbers.narrow(values, stored, fmt)
        return values ^ fmt.dtype.type(fmt.sign) if source.negate else values

    return elements


def _factor_reader(source: Source, letter: str) -> ElementReader:
    """x or y of a vector instruction: half precision reads the four halves of long word 0."""
    return element_reader(source, letter, RESULTS[letter])


def _addend_reader(source: Source, letter: str) -> ElementReader:
    """z: half precision adds singles, which `e` reads from four halves."""
    return element_reader(source, "f" if letter in "gh" else letter, RESULTS[letter])


# --- results ---------------------------------------------------------------------------------------------------------


def _action(instruction: Instruction, compute: Callable[[Memories], Elements]) -> Action[Result]:
    """Pack the result elements, derive flags (NOT sign of each element), apply the zero-flush."""
    wanted = wants_flags(instruction.destinations)
    by_word = instruction.precision == "h" and not instruction.narrow
    flush = flusher(instruction.flush, by_word)

    def run(memories: Memories) -> Result:
        elements = compute(memories)
        return Result(flush(memories, pack(elements)), _flags(elements) if wanted else None)

    return Action(run, writers(instruction.destinations), latch_path("mauf"))


def _flags(elements: Elements) -> Flags:
    positive = elements.view(f"i{elements.dtype.itemsize}") >= 0
    return np.repeat(positive, 4 // elements.shape[1], axis=1)


# --- vector instructions ---------------------------------------------------------------------------------------------


def decode_vector(instruction: Instruction) -> Action[Result]:
    """vfma, vmul, vadd, vpassa (section 9.1)."""
    letter, narrow = instruction.precision, instruction.narrow
    sources = instruction.sources
    x = _factor_reader(sources[0], letter)
    if instruction.op == "vpassa":
        return _action(instruction, lambda memories: numbers.normalise(letter, x(memories), narrow))
    if instruction.op == "vadd":
        z = _addend_reader(sources[1], letter)
        return _action(instruction, lambda memories: numbers.add(letter, x(memories), z(memories), narrow))
    y = _factor_reader(sources[1], letter)
    if letter == "d":
        x = _only_half_of_pes(x, instruction.rows)
    if instruction.op == "vmul":
        return _action(instruction, lambda memories: numbers.multiply(letter, x(memories), y(memories), narrow))
    z = _addend_reader(sources[2], letter)
    return _action(instruction, lambda memories: numbers.fma(letter, x(memories), y(memories), z(memories), narrow))


def _only_half_of_pes(read: ElementReader, rows: str) -> ElementReader:
    """Double products exist in PE 0, 1 (`u`) or 2, 3 (`d`) only; a factor of 0 leaves the addend in the others."""
    selected = (PE % isa.PES_PER_MAB < 2) == (rows == "u")
    return lambda memories: read(memories) * selected


# --- matrix registers ------------------------------------------------------------------------------------------------


def _register(memories: Memories, matrix: Matrix) -> Words:
    return memories.mx if matrix.register == "x" else memories.my


def decode_write(instruction: Instruction) -> Action[Words]:
    """mwrite: cycle c writes row a + c; with `$llx` rows a + 2c and a + 2c + 1 (section 9.2).

    A row is long word 0 of the four PEs one after another, whatever the precision.
    """
    (source,) = instruction.sources
    matrix = instruction.destinations[0].operand
    assert isinstance(matrix, Matrix)
    letter, per_cycle = instruction.precision, 2 if matrix.double else 1
    count = per_cycle * 64 // WIDTH[letter]
    read = element_reader(source, letter, count)
    decorated = source.negate or source.widen or source.narrow
    read_words = (lambda memories: pack(read(memories))) if decorated else reader(source.operand)
    rows = ((matrix.row or 0) + np.arange(4 * per_cycle)) % ROWS[letter]

    def compute(memories: Memories) -> Words:
        words = np.broadcast_to(fit(read_words(memories), 2 * per_cycle), (4, 2 * per_cycle, ALL_PES))
        by_row = words.reshape(4 * per_cycle, 2, ALL_MABS, isa.PES_PER_MAB)
        return by_row.transpose(0, 2, 3, 1).reshape(4 * per_cycle, ALL_MABS, 8)

    def write(memories: Memories, values: Words) -> None:
        _register(memories, matrix)[rows] = values

    return Action(compute, (Write(write),))


def decode_read(instruction: Instruction) -> Action[Result]:
    """mread: cycle c delivers column a + c, transposed; `$llx` (halves) columns a + 2c and a + 2c + 1 (section 9.2)."""
    matrix = instruction.sources[0].operand
    assert isinstance(matrix, Matrix)
    letter, per_cycle = instruction.precision, 2 if matrix.double else 1
    size = ROWS[letter]
    columns = ((matrix.row or 0) + np.arange(4 * per_cycle)) % size
    flush = flusher(instruction.flush)

    def compute(memories: Memories) -> Result:
        elements = matrix_elements(_register(memories, matrix), letter)[:, :, columns]  # [mab, row, cycle]
        by_pe = elements.reshape(ALL_MABS, isa.PES_PER_MAB, -1, 4, per_cycle)  # row = elements of PE 0, then of PE 1 …
        values = by_pe.transpose(3, 4, 2, 0, 1).reshape(4, -1, ALL_PES)
        return Result(flush(memories, pack(values)))

    return Action(compute, writers(instruction.destinations), latch_path("mreadf"))


def matrix_elements(register: Words, letter: str) -> Elements:
    """A matrix register as elements [mab, row, column] of a precision."""
    words = register[: ROWS[letter]].transpose(1, 0, 2)
    if letter == "d":
        return join_words(words[:, :, 0::2], words[:, :, 1::2])
    if letter != "h":
        return words
    halves = np.empty((*words.shape[:2], 16), np.uint16)
    halves[..., 0::2] = words >> np.uint32(16)
    halves[..., 1::2] = words & np.uint32(0xFFFF)
    return halves


# --- matrix-vector products ------------------------------------------------------------------------------------------


def decode_product(instruction: Instruction) -> Action[Result]:
    """mmul, mfma: in every MAB and cycle, matrix times the vector that lies across the PEs, plus y (section 9.2)."""
    matrix = instruction.sources[0].operand
    if not isinstance(matrix, Matrix):
        raise NotExecutable(tr("the first source of a matrix product is $lx or $ly"))
    letter, narrow, rows = instruction.precision, instruction.narrow, instruction.rows
    read_x = element_reader(instruction.sources[1], letter, {"d": 1, "f": 1, "g": 2, "h": 4}[letter])
    read_c = _addend_reader(instruction.sources[2], letter) if instruction.op == "mfma" else None

    def compute(memories: Memories) -> Elements:
        a = matrix_elements(_register(memories, matrix), letter)
        if letter == "f":
            a = a[:, :, 0::2]
        if rows:
            half = ROWS[letter] // 2
            chosen = (np.arange(ROWS[letter]) < half) == (rows == "u")
            a = a * chosen[:, None]  # a zero row leaves the addend
        c = None if read_c is None else _across_pes(read_c(memories))
        y = numbers.matvec(letter, a[:, None], _across_pes(read_x(memories)), c, narrow)
        return _to_pes(y, RESULTS[letter])

    return _action(instruction, compute)


def _across_pes(elements: Elements) -> Elements:
    """[cycle, element, pe] to vectors [mab, cycle, index]: the elements of PE 0 first."""
    cycles, count, _ = elements.shape
    by_mab = np.broadcast_to(elements, (cycles, count, ALL_PES)).reshape(cycles, count, ALL_MABS, isa.PES_PER_MAB)
    return np.asarray(by_mab.transpose(2, 0, 3, 1).reshape(ALL_MABS, cycles, -1))


def _to_pes(vectors: Elements, count: int) -> Elements:
    """The inverse of `_across_pes`."""
    cycles = vectors.shape[1]
    by_pe = vectors.reshape(ALL_MABS, cycles, isa.PES_PER_MAB, count)
    return np.asarray(by_pe.transpose(1, 3, 0, 2).reshape(cycles, count, ALL_PES))
