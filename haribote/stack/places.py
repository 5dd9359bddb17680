"""Where tensors are in the machine, and the room that a move may use on its way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from haribote.errors import HariboteError
from haribote.stack.maps import BitMap, Memory
from simulator import isa

BANKS: Mapping[str, str] = {"LM0": "m", "LM1": "n", "GRF0": "r", "GRF1": "s"}
"""The memories of a PE and their letters in operands; a map speaks of all of them as LM."""
UNIT_LONGS = 64
"""Addresses of buffers are multiples of this many long words, as MV instructions and all transfers want them."""


class NoRoom(HariboteError):
    """A tensor does not fit where it is to go, or where it has to pass."""


class NoBuffer(NoRoom):
    """No buffer on the way is large enough."""


class NoDram(HariboteError):
    """The DRAM of a group does not hold all that a graph needs: nothing can be moved out of the way."""


@dataclass(frozen=True)
class Place:
    """A tensor in a memory: a bank of `BANKS`, L1BM, L2BM, PDM or DRAM. address: in words in a bank, else in long
    words; the tensor's first one.
    """

    memory: str
    address: int
    map: BitMap

    def __post_init__(self) -> None:
        kind = "LM" if self.memory in BANKS else self.memory
        unit = 4 if kind == "LM" else UNIT_LONGS
        if kind != self.map.memory:
            raise NoRoom(f"a map for {self.map.memory} cannot place a tensor in {self.memory}")
        if self.address % unit:
            raise NoRoom(f"address {self.address} in {self.memory}: a move needs a multiple of {unit}")

    @property
    def words(self) -> int:
        """Words (in a bank), else long words, from the address to the tensor's end."""
        return self.map.longs * (2 if self.memory in BANKS else 1)


def _all() -> dict[str, tuple[int, int]]:
    sizes = {"GRF1": isa.GRF_WORDS, "GRF0": isa.GRF_WORDS}
    sizes |= {"L1BM": isa.L1BM_LONGS, "L2BM": isa.L2BM_LONGS, "PDM": isa.PDM_LONGS}
    return {memory: (0, size) for memory, size in sizes.items()}


@dataclass(frozen=True)
class Room:
    """What a move may overwrite: for each memory the first address and the end, in words in banks, else in long words.

    Without more: GRF, L1BM, L2BM and PDM, as kernels may; of LM and DRAM nothing. A move also uses T, the matrix
    registers and the mask entries 1 to 15.
    """

    free: Mapping[str, tuple[int, int]] = field(default_factory=_all)

    def taker(self) -> Taker:
        """A view that hands the room out."""
        return Taker(self.free)


class Taker:
    """Hands out room. What has been handed out is taken back when it runs short; `again` then tells that the steps
    before must be over before the room is used.
    """

    def __init__(self, free: Mapping[str, tuple[int, int]]) -> None:
        self._all, self._free = free, dict(free)
        self.again = False

    def bank(self, words: int, *others: str) -> tuple[str, int]:
        """Room in a memory of the PEs that is none of `others`."""
        banks = [bank for bank in BANKS if bank in self._all and bank not in others]
        for free in (self._free, self._all):
            for bank in banks:
                start, end = free[bank]
                if start + words <= end:
                    self.again |= free is self._all
                    self._free[bank] = start + -(-words // 4) * 4, end
                    return bank, start
        sizes = ", ".join(f"{self._all[bank][1] - self._all[bank][0]} of {bank}" for bank in banks)
        raise NoRoom(
            f"a move needs {words} words per PE on its way; there are {sizes or 'none'}", "more room in LM for the move"
        )

    def buffer(self, memory: Memory, longs: int, last: str) -> int:
        """Room in a memory of long words; last: the memory that the tensor is in before, whose room stays taken."""
        for free in (self._free, self._all):
            start, end = free.get(memory, (0, 0))
            start = -(-start // UNIT_LONGS) * UNIT_LONGS
            if start + longs <= end and (free is self._free or last != memory):
                self.again |= free is self._all
                self._free[memory] = start + -(-longs // UNIT_LONGS) * UNIT_LONGS, end
                return start
        start, end = self._all.get(memory, (0, 0))
        raise NoRoom(f"a move needs {longs} long words of {memory} on its way; there are {end - start}")
