"""Which words a step takes of every operand: four long words of the first output, and what belongs to them.

All words of the output in a PE are gone through, those of copies included. Where the two words of a long word of the
output are not the two of one long word of an input (a bit of W that is broadcast, or stands elsewhere), `Operand.pairs`
names them one by one, and `emit` puts them together first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from haribote.layout import LayoutError
from haribote.stack.maps import COPY, NOTHING, PART, Bit, BitMap, W, broadcast, unit_bits

CYCLES = 4


@dataclass(frozen=True)
class Operand:
    """pairs: for every long word of the output, the words (from the tensor's first) that belong to its two words; the
    second one is -1 where the output has only words.
    """

    pairs: tuple[tuple[int, int], ...]

    @property
    def together(self) -> bool:
        """True where every pair is a long word, or a single word."""
        return all(second in (-1, first + 1) and (second == -1 or first % 2 == 0) for first, second in self.pairs)

    def group(self, number: int) -> tuple[int, ...]:
        """The words, or first words, of the four cycles of a step."""
        return tuple(first for first, _ in four(self.pairs, number))


def four(items: Sequence[tuple[int, int]], number: int) -> list[tuple[int, int]]:
    """Items of group `number`, repeated where there are fewer than four."""
    found = list(items[CYCLES * number : CYCLES * (number + 1)])
    return [found[cycle % len(found)] for cycle in range(CYCLES)]


def groups(operand: Operand) -> int:
    """How many steps it takes."""
    return -(-len(operand.pairs) // CYCLES)


@lru_cache(maxsize=1 << 12)
def operand(first: BitMap, other: BitMap, name: str, written: bool) -> Operand:
    """The words of `other` that belong to those of the first output.

    Raises LayoutError where they are in different units.
    """
    if len(other.shape) > len(first.shape) or any(
        own not in (1, size) for own, size in zip(reversed(other.shape), reversed(first.shape), strict=False)
    ):
        raise LayoutError(f"{name!r} of shape {other.shape} is not broadcast to the output's {first.shape}")
    wide = broadcast(other, first.shape) if other.shape != first.shape else other
    _check_units(first, wide, name, written)
    if written and any(carry == COPY and first[bit] != COPY for bit, carry in wide.addresses):
        raise LayoutError(f"output {name!r} has copies at more addresses than the first output", "write it first")
    bits = list(first.addresses)
    words = (0, 1) if first[W] != NOTHING else (0,)
    pairs = []
    for number in range(1 << len(bits)):
        known = {carry: number >> at & 1 for at, (_, carry) in enumerate(bits)}
        copied = {bit: number >> at & 1 for at, (bit, carry) in enumerate(bits) if carry == COPY}
        found = [_word(wide, known | {first[W]: word}, copied, word, name) for word in words]
        pairs.append((found[0], found[1] if len(found) == 2 else -1))
    result = Operand(tuple(pairs))
    if written and not result.together:
        raise LayoutError(f"output {name!r} has its words in another order than the first output", "the same W bit")
    return result


def _word(wide: BitMap, known: Mapping[int, int], copied: Mapping[Bit, int], word: int, name: str) -> int:
    """The word in which an operand has what belongs to the index bits that are known of the output's word."""
    total = 0
    for bit, carry in wide.carries:
        if carry == COPY:
            value = word if bit == W else copied.get(bit, 0)
        elif bit.level in ("W", "address") and carry >= 0:
            if carry not in known:
                raise LayoutError(
                    f"{name!r} has index bit {wide.name(carry)} in {bit}, the output in the number of a unit",
                    "move it into the output's layout",
                )
            value = known[carry]
        else:
            continue
        if bit.level in ("W", "address"):
            total += value << (bit.number + (bit.level == "address"))
    return total


def _check_units(first: BitMap, wide: BitMap, name: str, written: bool) -> None:
    """In every unit the operand must have what the output's elements there need."""
    for bit in (*unit_bits("LM"), W):
        mine, own = first[bit], wide[bit]
        if mine == own == PART and bit != W:
            continue  # parts of one and parts of the other, unit by unit: only `emit` knows whether that makes sense
        if PART in (mine, own):
            raise LayoutError(f"{name!r} or the output is in parts along {bit}", "sum the parts first")
        elsewhere = mine >= 0 and mine in wide.places
        if bit == W and not written:
            fits = True
        elif own == COPY:
            fits = not elsewhere and not (written and mine == NOTHING)
        elif bit == W:
            fits = own == mine
        elif own == NOTHING:
            fits = mine == NOTHING or (written and mine == COPY)
        else:
            fits = own == mine
        if not fits:
            raise LayoutError(
                f"{name!r} has {wide.name(own)} in {bit}, where the output has {first.name(mine)}",
                "move it into the output's layout, or let it be a copy there",
            )
