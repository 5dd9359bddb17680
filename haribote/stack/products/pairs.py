"""A value that lies in DRAM as halves: half as many words travel, and the PEs widen them where they arrive.

A long word of pairs holds four elements that stand in two long words of singles, those at both values of the lowest
address bit, in order. So the pairs are a value of their own, of half the columns, with a map of its own; moves need not
know what they carry.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haribote.stack.code import GRF, LM, Code
from haribote.stack.maps import NOTHING, Bit, BitMap, W, address
from haribote.stack.places import Place, operand_text
from haribote.stack.plan import Version
from simulator.engine.numbers.formats import HALF, SINGLE

Words = NDArray[np.uint32]


def pairs_of(version: Version) -> Version | None:
    """The version's pairs, under its name: words that hold two halves each. None where no two neighbours along an axis
    share every long word.
    """
    found = version.map
    axis = _axis(found)
    if axis is None:
        return None
    own, lowest = _value_axis(version), found[W]
    last_of_its_value = axis + 1 == sum(len(sizes) for sizes in version.split[: own + 1])
    if found.axes[axis].start != lowest or not last_of_its_value:
        return None
    shape = (*found.shape[:axis], found.shape[axis] // 2, *found.shape[axis + 1 :])

    def renamed(carry: int) -> int:
        return carry - (carry > lowest)

    table: dict[Bit, int] = {}
    for bit, carry in found.carries:
        if bit.level != "address" and bit != W:
            table[bit] = renamed(carry)
    table[W] = renamed(found[address(0)])
    for number in range(1, found.address_bits):
        table[address(number - 1)] = renamed(found[address(number)])
    split = list(version.split)
    split[own] = (*split[own][:-1], split[own][-1] // 2)
    fill = None if version.fill is None else float(_words(np.full(2, version.fill, np.float32)).view(np.float32)[0])
    return Version(version.value, BitMap.of(found.memory, shape, table), tuple(split), fill)


def _axis(found: BitMap) -> int | None:
    """The axis of the map whose lowest bit is the word of the long word; None where there is none of even size, or
    where only one long word is used.
    """
    if found[address(0)] == NOTHING:
        return None
    for axis, bits in enumerate(found.axes):
        if found[W] in bits:
            return axis if found.shape[axis] % 2 == 0 else None
    return None


def _value_axis(version: Version) -> int:
    """The axis of the value to which the map's axis of pairs belongs."""
    axis = _axis(version.map)
    assert axis is not None
    ends = np.cumsum([len(sizes) for sizes in version.split])
    return int(np.searchsorted(ends, axis, side="right"))


def pairs_shape(version: Version, shape: Sequence[int]) -> tuple[int, ...]:
    """The shape of the pairs of a value of this shape."""
    own = _value_axis(version)
    return tuple(-(-size // 2) if axis == own else size for axis, size in enumerate(shape))


def packed(version: Version, value: NDArray[Any]) -> NDArray[np.float32]:
    """The value as words of two halves, which NumPy takes for singles; an odd last element has the fill beside it."""
    own = _value_axis(version)
    last = np.moveaxis(np.asarray(value, np.float32), own, -1)
    if last.shape[-1] % 2:
        last = np.pad(last, [(0, 0)] * (last.ndim - 1) + [(0, 1)], constant_values=version.fill or 0.0)
    return np.moveaxis(_words(last), -1, own).view(np.float32)


def rounded(value: NDArray[Any]) -> NDArray[np.float32]:
    """What the chip makes of singles that lie in DRAM as halves."""
    halves = _halves(np.asarray(value, np.float32))
    sign, rest = (halves & HALF.sign) << 16, halves & HALF.sign - 1
    shift = SINGLE.fraction_bits - HALF.fraction_bits
    wide = np.where(rest, (rest << shift) + (SINGLE.bias - HALF.bias << SINGLE.fraction_bits), 0)
    return np.asarray(sign | wide, np.int32).view(np.float32)


def _words(last: NDArray[np.float32]) -> Words:
    """Neighbours along the last axis in a word, the first one in the high half."""
    halves = _halves(last)
    return (halves[..., 0::2] << 16 | halves[..., 1::2]).view(np.uint32)


def _halves(value: NDArray[np.float32]) -> NDArray[np.int32]:
    """The bits of the nearest halves (isa.md, section 11.1), as `formats.narrow` has them, in a tenth of its time."""
    bits = np.ascontiguousarray(value).view(np.int32)
    magnitude = bits & 0x7FFFFFFF
    cut = SINGLE.fraction_bits - HALF.fraction_bits
    magnitude += (1 << cut - 1) - 1 + (magnitude >> cut & 1)  # to nearest, ties to even
    found = (magnitude >> cut) - (SINGLE.bias - HALF.bias << HALF.fraction_bits)
    np.minimum(found, HALF.infinity, out=found)
    found |= (bits >> 16) & HALF.sign
    found[magnitude >> cut < (SINGLE.bias - HALF.bias << HALF.fraction_bits) + HALF.hidden] = 0
    return found


def widen(code: Code, source: Place, targets: Sequence[Place]) -> None:
    """Add the lines that make singles of pairs, four long words of pairs at a time.

    source: in a bank in which no target is.
    """
    longs = targets[0].map.longs // 2
    for first in range(0, longs, 4):
        rows = [min(first + cycle, longs - 1) for cycle in range(4)]
        code.add(f"hvpassa {_operand(source, rows, 2)} {' '.join(_operand(place, rows, 4) for place in targets)}")


def _operand(place: Place, rows: Sequence[int], words: int) -> str:
    return operand_text(place.memory, [place.address + words * row for row in rows], words)


def banks_beside(targets: Sequence[Place]) -> tuple[str, ...]:
    """Where pairs may wait that become singles in these places: registers first."""
    used = {place.memory for place in targets}
    return tuple(bank for bank in (*GRF, *LM) if bank not in used)
