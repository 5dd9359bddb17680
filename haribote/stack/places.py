"""Where tensors are in the machine, and the room that a move may use on its way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from haribote.errors import HariboteError
from haribote.stack.maps import BitMap
from simulator.messages import tr

BANKS: Mapping[str, str] = {"LM0": "m", "LM1": "n", "GRF0": "r", "GRF1": "s"}
"""The memories of a PE and their letters in operands; a map speaks of all of them as LM."""
UNIT_LONGS = 64
"""Addresses of buffers are multiples of this many long words, as MV instructions and all transfers want them."""


class NoRoom(HariboteError):
    """A tensor does not fit where it is to go, or where it has to pass. words, banks: how many are asked for, where;
    none where it is not the PEs that have no room.
    """

    words = 0
    banks: tuple[str, ...] = ()

    def of(self, words: int, banks: Iterable[str]) -> NoRoom:
        """The same with what is asked for."""
        self.words, self.banks = words, tuple(banks)
        return self


class NoBuffer(NoRoom):
    """No buffer on the way is large enough."""


class NoDram(HariboteError):
    """The DRAM of a group does not hold all that a graph needs: nothing can be moved out of the way."""


def operand_text(bank: str, addresses: Sequence[int], words: int = 2) -> str:
    """The operand of 1, 2 or 4 words at each of four word addresses: `$lr8`, `$lr8v`, `$lr8v4` or `$lr[8,12,10,14]`."""
    name = f"${'l' * (words // 2)}{BANKS[bank]}"
    first, second, *_ = addresses
    stride = second - first
    if stride >= 0 and list(addresses) == [first + stride * cycle for cycle in range(4)]:
        tail = "" if stride == 0 else "v" if stride == words else f"v{stride}"
        return f"{name}{first}{tail}"
    return f"{name}[{','.join(map(str, addresses))}]"


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
            raise NoRoom(tr("a map for {memory} cannot place a tensor in {memory2}", self.map.memory, self.memory))
        if self.address % unit:
            raise NoRoom(
                tr("address {address} in {memory}: a move needs a multiple of {unit}", self.address, self.memory, unit)
            )

    @property
    def words(self) -> int:
        """Words (in a bank), else long words, from the address to the tensor's end."""
        return self.map.longs * (2 if self.memory in BANKS else 1)
