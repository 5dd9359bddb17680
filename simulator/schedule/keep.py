"""What must be right at the end of a program: everything, or only words that something is read from later."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from simulator import isa
from simulator.errors import SimulatorError
from simulator.messages import tr

Keep = Mapping[str, Sequence[range]]
"""Of each memory, ranges of words (T, mask register and matrix registers: entries and rows; others above the PEs: long
words) that hold something at the end. Of a memory that is not named nothing is needed, but for DRAM, which is kept."""

SIZES = {
    **{name: isa.BANK_WORDS[name] for name in ("lm0", "lm1", "grf0", "grf1")},
    "t": isa.STEP_CYCLES,
    "omr": 16,
    "mx": 16,
    "my": 16,
    "l1bm": isa.L1BM_LONGS,
    "l2bm": isa.L2BM_LONGS,
    "pdm": isa.PDM_LONGS,
    "dram": isa.DRAM_LONGS,
}


class Kept:
    """Asks of words whether they are kept."""

    def __init__(self, keep: Keep | None) -> None:
        """Raises SimulatorError where a name or a range is none of the machine's."""
        self._keep = keep
        for name, ranges in (keep or {}).items():
            if name not in SIZES:
                raise SimulatorError(tr("keep names no memory {name!r}", name), f"use {', '.join(SIZES)}")
            for words in ranges:
                if words.step != 1 or words.start < 0 or words.stop > SIZES[name]:
                    raise SimulatorError(
                        tr("{name} has no words {words}", name, words), tr("name some of range({sizes})", SIZES[name])
                    )

    @property
    def some(self) -> bool:
        """False where everything is kept."""
        return self._keep is not None

    def block(self, memory: str, size: int, number: int) -> bool:
        """True where a word of a block of `size` words is kept."""
        return self.any(memory, size * number, size * (number + 1))

    def any(self, memory: str, first: int, stop: int) -> bool:
        """True where some of these words is kept."""
        if self._keep is None or memory == "dram":
            return True
        return any(first < words.stop and words.start < stop for words in self._keep.get(memory, ()))

    def untouched(self, memory: str) -> Sequence[range]:
        """Words that keep what they hold, whether the program uses them or not. Where everything is kept: none, for
        then words that the program does not use are free."""
        return () if self._keep is None else self._keep.get(memory, ())
