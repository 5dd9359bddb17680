"""Reading and writing the operands of PE instructions (isa.md, sections 5 and 10.1).

`reader` and `writer` turn an operand into a function of the memories once; a run only calls it. Addresses known from
the text become slices or rows of the memory array; base address registers that are not zero, T indirection and `j` make
one address per PE and take the slower way.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from simulator import isa
from simulator.engine.numpy.action import NotExecutable, Result, Write
from simulator.engine.numpy.masks import blend, entry_flags, write_bits
from simulator.engine.state.elements import WIDTH, fit
from simulator.engine.state.memories import Memories, Words
from simulator.isa import ALL_PES
from simulator.isa import program as p
from simulator.isa.words import BEYOND_J, start_of, words_of
from simulator.messages import tr

Reader = Callable[[Memories], Words]
Writer = Callable[[Memories, Result], None]
Addresses = NDArray[np.intp]

PE = np.arange(ALL_PES)
ADDRESS_BITS = 0xFFF


# --- addresses -------------------------------------------------------------------------------------------------------


def base_address(memories: Memories, bank: str) -> NDArray[np.uint16] | None:
    """The base address register of LM0 or LM1; None for GRFs and where all PEs have 0."""
    if bank not in ("lm0", "lm1"):
        return None
    register = memories.bar0 if bank == "lm0" else memories.bar1
    return register if register.any() else None


def static_rows(operand: p.PeMemory) -> Addresses:
    """The word addresses [cycle, word] where every PE has the same, rounded down to the operand's length."""
    return np.array([words_of(operand, cycle, BEYOND_J) for cycle in range(isa.STEP_CYCLES)])


def pe_rows(memories: Memories, operand: p.PeMemory, base: NDArray[np.uint16] | None) -> Addresses:
    """The word addresses [cycle, word, pe] with base address register, T and `j` applied (section 5.1)."""
    moved: Addresses = np.zeros((isa.STEP_CYCLES, 1, ALL_PES), np.intp)
    if base is not None:
        moved += base
    if operand.indirect:
        moved += memories.t[:, 1:2] & ADDRESS_BITS
    starts = start_of(operand, np.array(operand.addresses)[:, None, None], PE % isa.PES_PER_MAB, moved)
    return np.asarray(starts + np.arange(operand.words)[:, None])


def _adjacent(rows: Addresses) -> bool:
    """True where the words of all cycles lie one after another."""
    return bool((np.diff(rows.ravel()) == 1).all())


def is_dynamic(operand: p.PeMemory) -> bool:
    """True where PEs may have different addresses whatever the base address registers hold."""
    return operand.indirect or operand.j is not None


# --- reading ---------------------------------------------------------------------------------------------------------


def reader(operand: p.Operand, precision: str = "") -> Reader:
    """A function that reads the datum of all four cycles; it may be a view of the memory.

    precision: that of an ALU instruction, for the fixed values.
    """
    if isinstance(operand, p.PeMemory):
        return _memory_reader(operand)
    if isinstance(operand, p.TRegister):
        return lambda memories: memories.t
    if isinstance(operand, p.Path):
        name = operand.name
        return lambda memories: memories.paths[name]
    if isinstance(operand, p.Fixed):
        value = fixed_value(operand.name, WIDTH.get(precision, 64))
        return lambda _: value
    if isinstance(operand, p.Immediate):
        literal = np.full((1, 4, 1), operand.word, np.uint32)
        return lambda _: literal
    raise NotExecutable(tr("{name} cannot be read by a PE instruction", type(operand).__name__))


def _memory_reader(operand: p.PeMemory) -> Reader:
    bank, words = operand.bank, operand.words
    rows = static_rows(operand)
    first = int(rows[0, 0])
    same, adjacent, dynamic = bool((rows == rows[0]).all()), _adjacent(rows), is_dynamic(operand)

    def read(memories: Memories) -> Words:
        memory: Words = getattr(memories, bank)
        base = base_address(memories, bank)
        if dynamic or base is not None:
            gathered: Words = memory[pe_rows(memories, operand, base), PE]
            return gathered
        if same:
            return memory[None, first : first + words]
        if adjacent:
            return memory[first : first + 4 * words].reshape(4, words, ALL_PES)
        return memory[rows]

    return read


@lru_cache(maxsize=32)
def fixed_value(name: str, width: int) -> Words:
    """`$peid` and its like as a datum [1, 4, pe], the value in every element of `width` bits (section 5.3)."""
    l1bs, mabs, pes = isa.L1BS, isa.MABS, isa.PES_PER_MAB
    value = {
        "l2bid": PE // (l1bs * mabs * pes),
        "l1bid": PE // (mabs * pes) % l1bs,
        "mabid": PE // pes % mabs,
        "peid": PE % (mabs * pes),
        "subpeid": PE % pes,
        "msb1": np.full(ALL_PES, 1 << min(width - 1, 31)),
    }[name].astype(np.uint32)
    result = np.zeros((1, 4, ALL_PES), np.uint32)
    if width == 64:
        result[:, 0 if name == "msb1" else 1 :: 2] = value
    else:
        result[:] = value if width == 32 else value << np.uint32(16) | value
    result.flags.writeable = False
    return result


# --- writing ---------------------------------------------------------------------------------------------------------


def writers(destinations: tuple[p.Destination, ...]) -> tuple[Write[Result], ...]:
    """One write per destination; `$nowrite` stores nothing."""
    return tuple(Write(writer(d), write_rank(d)) for d in destinations if not isinstance(d.operand, p.NoWrite))


def write_rank(destination: p.Destination) -> int:
    """Memories first: their addresses and masks come from T, base addresses and mask register as the step found them.

    The mask register comes last, because the others are masked by what it held.
    """
    ranks = {p.TRegister: 1, p.BaseAddress: 2, p.MaskRegister: 3}
    return ranks.get(type(destination.operand), 0)


def wants_flags(destinations: tuple[p.Destination, ...]) -> bool:
    """True where one of the destinations is a mask register."""
    return any(isinstance(d.operand, p.MaskRegister) for d in destinations)


def writer(destination: p.Destination) -> Writer:
    """A function that stores a result in the destination, under its mask."""
    operand, mask = destination.operand, destination.mask
    if isinstance(operand, p.PeMemory):
        return _memory_writer(operand, mask)
    if isinstance(operand, p.TRegister):
        return _t_writer(mask)
    if isinstance(operand, p.BaseAddress):
        return _base_writer(operand, mask)
    if isinstance(operand, p.MaskRegister):
        return _flag_writer(operand, mask)
    raise NotExecutable(tr("{name} cannot be written by a PE instruction", type(operand).__name__))


def _cycle(words: Words, cycle: int) -> Words:
    """One cycle of a datum, which may have the same words in all."""
    chosen: Words = words[cycle if len(words) == 4 else 0]
    return chosen


def _memory_writer(operand: p.PeMemory, mask: p.WriteMask | None) -> Writer:
    bank, words = operand.bank, operand.words
    rows = static_rows(operand)
    first, adjacent, dynamic = int(rows[0, 0]), _adjacent(rows), is_dynamic(operand)

    def write(memories: Memories, result: Result) -> None:
        memory: Words = getattr(memories, bank)
        base = base_address(memories, bank)
        datum = fit(result.words, words)
        if dynamic or base is not None:
            _scatter(memories, memory, pe_rows(memories, operand, base), datum, mask)
        elif mask is not None:
            _write_masked(memories, memory, rows[:, 0], datum, mask)
        elif adjacent:
            memory[first : first + 4 * words].reshape(4, words, ALL_PES)[...] = datum
        else:
            for cycle in range(4):
                start = rows[cycle, 0]
                memory[start : start + words] = _cycle(datum, cycle)

    return write


def _write_masked(memories: Memories, memory: Words, starts: Addresses, datum: Words, mask: p.WriteMask) -> None:
    """Store cycle after cycle, so that a later cycle finds what an earlier one wrote to the same address."""
    words = datum.shape[1]
    if mask.fixed:
        for cycle in range(isa.STEP_CYCLES):
            through = cycle in mask.cycles
            free = 0 if through else words if mask.words == 4 else 2  # long word 1 is not masked but by `ll`
            if free < words:
                memory[starts[cycle] + free : starts[cycle] + words] = _cycle(datum, cycle)[free:]
        return
    bits = write_bits(memories, mask, words)
    for cycle in range(4):
        target = memory[starts[cycle] : starts[cycle] + words]
        target[...] = blend(target, _cycle(datum, cycle), bits[cycle])


def _scatter(memories: Memories, memory: Words, rows: Addresses, datum: Words, mask: p.WriteMask | None) -> None:
    bits = None if mask is None else write_bits(memories, mask, datum.shape[1])
    for cycle in range(4):
        value = _cycle(datum, cycle)
        if bits is not None:
            value = blend(memory[rows[cycle], PE], value, bits[cycle])
        memory[rows[cycle], PE] = value


def _t_writer(mask: p.WriteMask | None) -> Writer:
    def write(memories: Memories, result: Result) -> None:
        datum = fit(result.words, 4)
        memories.t[...] = datum if mask is None else blend(memories.t, datum, write_bits(memories, mask, 4))

    return write


def _base_writer(operand: p.BaseAddress, mask: p.WriteMask | None) -> Writer:
    """The low 12 bits of the first word or long word of every cycle in turn; the last one written stays."""
    word = operand.words - 1

    def write(memories: Memories, result: Result) -> None:
        register = memories.bar0 if operand.bank == "lm0" else memories.bar1
        datum = fit(result.words, operand.words)[:, word] & np.uint32(ADDRESS_BITS)
        if mask is None:
            register[...] = _cycle(datum, 3)
            return
        through = write_bits(memories, mask, operand.words)[:, word] & np.uint32(1) != 0
        for cycle in range(4):
            np.copyto(register, _cycle(datum, cycle), casting="unsafe", where=through[cycle])

    return write


def _flag_writer(operand: p.MaskRegister, mask: p.WriteMask | None) -> Writer:
    """All flags of an entry: those that the mask excludes are cleared (section 10.1)."""
    entry = operand.entry

    def write(memories: Memories, result: Result) -> None:
        assert result.flags is not None  # decoding refuses instructions without flags
        if mask is None:
            memories.omr[entry] = result.flags
        else:
            memories.omr[entry] = result.flags & entry_flags(memories, mask.entry)

    return write
