"""A word of the machine by name: which memory, which unit, which word of it."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from simulator import isa
from simulator.assembly.operands import OperandError
from simulator.assembly.statements import parse_debug
from simulator.engine.state.contents import contents
from simulator.engine.state.memories import Memories
from simulator.errors import SimulatorError
from simulator.isa.program import DebugGet
from simulator.isa.tree import index_of, levels_of, name_of, numbers_of
from simulator.messages import tr

PE_BANKS = {"lm0": "m", "lm1": "n", "grf0": "r", "grf1": "s"}
LONG_WORD = {"l1bm": "lb", "l2bm": "lc", "pdm": "p", "dram": "d", "turn": "lbi"}
_WORD = re.compile(r"\$([mnrs])(\d+)(.*)")


class Place(NamedTuple):
    """A 32-bit word. memory: a name of `simulator.engine.state.contents`; unit: its number among all of its kind (a PE,
    L1B, L2B, group or MAB). word: the address there, but 2 * address, + 1 for the low word, in memories of long words,
    and 4 * entry + cycle for omr.
    """

    memory: str
    unit: int
    word: int

    def __str__(self) -> str:
        """The place as `$n4n0c0b3m2p1`, or with what tells it apart in words."""
        unit = name_of(numbers_of(levels_of(self.memory), self.unit))
        if self.memory in PE_BANKS:
            return f"${PE_BANKS[self.memory]}{self.word}{unit}"
        if self.memory in LONG_WORD:
            name = f"${LONG_WORD[self.memory]}{self.word // 2}{unit}"
            return tr("{name} low word", name) if self.word % 2 else tr("{name} high word", name)
        if self.memory in ("mx", "my"):
            return f"$l{self.memory[1]} row {self.word // 8} word {self.word % 8} {unit}"
        if self.memory == "omr":
            return f"$omr{self.word // 4} cycle {self.word % 4} {unit}"
        if self.memory == "bar":
            return tr("base address of LM{word} {unit}", self.word, unit)
        return tr("${memory} cycle {value} word {value2} {unit}", self.memory, self.word // 4, self.word % 4, unit)


def parse_place(text: str) -> tuple[Place, ...]:
    """The words that a name means: one for `$n4n0c0b3m2p1`, two for a long word such as `$ln4…`, `$lc0n1c0`, `$t2…`.

    A unit field that is left out is 0. Raises SimulatorError.
    """
    name = text.strip()
    word = _WORD.fullmatch(name)
    if word:  # debug statements know long words only
        name = f"$l{word[1]}{int(word[2]) & ~1}{word[3]}"
    try:
        statement = parse_debug(f"d get {name} 1", 1)
    except OperandError as error:
        tail = error.fix if error.fix and "d get" not in error.fix else tr("a name such as $ln4n0c0b3m2p1")
        raise SimulatorError(tr("cannot trace `{text}`: {message}", text[:60], error.message[:300]), tail) from None
    assert isinstance(statement, DebugGet)
    target = statement.target
    unit = index_of(getattr(target, level) or 0 for level in levels_of(target.memory))
    if target.memory in PE_BANKS:
        words = [int(word[2])] if word else [target.address, target.address + 1]
        return tuple(Place(target.memory, unit, address) for address in words)
    if target.memory == "omr":
        return tuple(Place("omr", unit, 4 * target.address + cycle) for cycle in range(isa.STEP_CYCLES))
    first = 4 * (target.address % isa.STEP_CYCLES) if target.memory == "t" else 2 * target.address
    return Place(target.memory, unit, first), Place(target.memory, unit, first + 1)


def value_of(memories: Memories, place: Place) -> int:
    """What a place holds: 32 bits; for omr the four flags, for base address registers 12 bits."""
    memory, unit, word = place
    if memory == "omr":
        flags = contents(memories, memory, np.array([word // 4]))[0, unit]
        return int(flags) >> 4 * (3 - word % 4) & 15
    if memory in LONG_WORD:
        return int(contents(memories, memory, np.array([word // 2]))[word % 2, unit])
    return int(contents(memories, memory, np.array([word]))[0, unit])
