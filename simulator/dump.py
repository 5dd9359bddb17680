"""The dump lines of `d get`, in the format of the vendor's emulator (isa.md, section 3.1)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from simulator import debug
from simulator.execute.action import NotExecutable
from simulator.memories import Memories
from simulator.numbers import FORMATS, to_float64
from simulator.program import DebugGet

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
class Entry:
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


def decode(statement: DebugGet) -> Callable[[Memories], list[Entry]]:
    """A function that reads what the statement asks for: units in the order n, c, b, m, p, words innermost.

    Raises NotExecutable for block floats, whose printed form is not known.
    """
    dtype, memory, text, line = statement.dtype, statement.target.memory, statement.text, statement.line
    if dtype not in ("", "d", "f", "h"):
        raise NotExecutable(f"`d get{dtype}` is not executed: how block floats are printed is not known", "use d getf")
    places = debug.addresses(statement.target, statement.count)

    def run(memories: Memories) -> list[Entry]:
        entries = []
        for unit in debug.units(statement.target):
            for address in places:
                value = debug.read(memories, memory, unit.index, address)
                # A mask entry prints one line per cycle.
                values = [value >> shift & 15 for shift in (12, 8, 4, 0)] if memory == "omr" else [value]
                entries += [Entry(memory, unit.name, address, v, dtype, text, line) for v in values]
        return entries

    return run


def format_value(value: int, dtype: str) -> str:
    """A long word as double (`d`), two singles (`f`), four halves (`h`), or with no dtype as double and hex digits."""
    if not dtype:
        halves = [f"0x{value >> shift & 0xFFFF:X}" for shift in (48, 32, 16, 0)]
        groups = f"{{{{{halves[0]},{halves[1]}}},{{{halves[2]},{halves[3]}}}}}"
        return f"(f:{format_number(value, 'd')}, i:{groups}, v:0x{value:X})"
    width = FORMATS[dtype].width
    parts = [value >> shift & ((1 << width) - 1) for shift in range(64 - width, -1, -width)]
    numbers = ", ".join(format_number(part, dtype) for part in parts)
    return f"({numbers}) ({', '.join(f'0x{part:0{width // 4}x}' for part in parts)})"


def format_number(bits: int, letter: str) -> str:
    """A number as C's `%g` prints it; exponent field 0 gives `0` or `-0`."""
    fmt = FORMATS[letter]
    return f"{float(to_float64(np.array([bits], fmt.dtype), fmt)[0]):g}"
