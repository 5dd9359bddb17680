"""The dump lines of `d get`, in the format of the vendor's emulator (isa.md, section 3.1)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ldexp

import numpy as np

from simulator.engine.numbers import FORMATS, block_format, to_float64
from simulator.engine.state import debug
from simulator.engine.state.memories import Memories
from simulator.isa.program import DebugGet

NAMES = {
    "lm0": "LM0",
    "lm1": "LM1",
    "grf0": "GREG0",
    "grf1": "GREG1",
    "t": "TREG",
    "omr": "OMR",
    "dram": "DRAM",
    "l1bm": "L1BM",  # [A] this name and the next two
    "l2bm": "L2BM",
    "pdm": "PDM",
}


@dataclass(frozen=True, slots=True)
class Printed:
    """One dump line: memory, unit, address and the long word found there (for OMR four flags)."""

    memory: str
    unit: str
    address: int
    value: int
    dtype: str
    statement: str
    line: int

    def __str__(self) -> str:
        """The line as the vendor's emulator prints it."""
        text = f"Mask{{{self.value}}}" if self.memory == "omr" else format_value(self.value, self.dtype)
        echo = self.statement.replace("$t", "$lt", 1)
        return f"DEBUG-{NAMES[self.memory]}({self.unit},{self.address}):{text} #{echo}"


def decode(statement: DebugGet) -> Callable[[Memories], list[Printed]]:
    """A function that reads what the statement asks for: units in the order n, c, b, m, p, words innermost."""
    dtype, memory, text, line = statement.dtype, statement.target.memory, statement.text, statement.line
    places = debug.addresses(statement.target, statement.count)

    names = [unit.name for unit in debug.units(statement.target)]

    def run(memories: Memories) -> list[Printed]:
        entries = []
        for name, found in zip(names, debug.read(memories, statement.target, statement.count), strict=True):
            for address, value in zip(places, found, strict=True):
                # A mask entry prints one line per cycle.
                values = [value >> shift & 15 for shift in (12, 8, 4, 0)] if memory == "omr" else [value]
                entries += [Printed(memory, name, address, v, dtype, text, line) for v in values]
        return entries

    return run


def format_value(value: int, dtype: str) -> str:
    """A long word as double (`d`), two singles (`f`), four halves (`h`), or with no dtype as double and hex digits.

    [A] Block floats (`bd bf bg bh`) print as `d f f h` do, with the values that they have as block floats.
    """
    if not dtype:
        halves = [f"0x{value >> shift & 0xFFFF:X}" for shift in (48, 32, 16, 0)]
        groups = f"{{{{{halves[0]},{halves[1]}}},{{{halves[2]},{halves[3]}}}}}"
        return f"(f:{format_number(value, 'd')}, i:{groups}, v:0x{value:X})"
    letter, show = dtype[-1], format_block_number if dtype.startswith("b") else format_number
    width = block_format(letter).width
    parts = [value >> shift & ((1 << width) - 1) for shift in range(64 - width, -1, -width)]
    numbers = ", ".join(show(part, letter) for part in parts)
    return f"({numbers}) ({', '.join(f'0x{part:0{width // 4}x}' for part in parts)})"


def format_word(bits: int) -> str:
    """A word as hexadecimal digits and as the number that it most likely is."""
    tiny = bits < 1 << 23  # no single but zero: most likely an integer
    return f"0x{bits:08x} ({bits if tiny else format_number(bits, 'f')})"


def format_number(bits: int, letter: str) -> str:
    """A number as C's `%g` prints it; exponent field 0 gives `0` or `-0`."""
    fmt = FORMATS[letter]
    return f"{float(to_float64(np.array([bits], fmt.dtype), fmt)[0]):g}"


def format_block_number(bits: int, letter: str) -> str:
    """A block float as `%g` prints it. [A] Exponent fields 0 and all ones print as those of other numbers do."""
    fmt = block_format(letter)
    exponent = (bits & fmt.infinity) >> fmt.fraction_bits
    if exponent in (0, fmt.exponent_ones):
        return format_number(bits, fmt.letter)
    magnitude = ldexp(bits & (fmt.hidden - 1), exponent - fmt.bias - (fmt.fraction_bits - 1))
    return f"{-magnitude if bits & fmt.sign else magnitude:g}"
