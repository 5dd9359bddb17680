"""Units by their numbers in the tree of the chip, as debug statements name them: group, L2B, L1B, MAB, PE."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from simulator import isa

SIZES: Mapping[str, int] = {
    "n": isa.GROUPS, "c": isa.L2BS_PER_GROUP, "b": isa.L1BS, "m": isa.MABS, "p": isa.PES_PER_MAB,
}  # fmt: skip
"""Of each level, how many units one of the level above has."""
_LEVELS = {"l1bm": "ncb", "turn": "ncb", "l2bm": "nc", "pdm": "n", "dram": "n", "mx": "ncbm", "my": "ncbm"}


def levels_of(memory: str) -> str:
    """The levels that tell the units of a memory apart: `nc` for the L2BM; all five where each PE has its own."""
    return _LEVELS.get(memory, "ncbmp")


def name_of(numbers: Iterable[int]) -> str:
    """`n0c1b2` for the unit with these numbers, that of its group first."""
    return "".join(f"{level}{number}" for level, number in zip(SIZES, numbers, strict=False))


def index_of(numbers: Iterable[int]) -> int:
    """The number of a unit among all of its kind."""
    index = 0
    for size, number in zip(SIZES.values(), numbers, strict=False):
        index = index * size + number
    return index


def numbers_of(levels: Sequence[str], index: int) -> tuple[int, ...]:
    """The inverse of `index_of` for a unit of these levels."""
    numbers: list[int] = []
    for level in reversed(levels):
        index, number = divmod(index, SIZES[level])
        numbers.append(number)
    return tuple(reversed(numbers))
