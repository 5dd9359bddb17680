"""Maps on bits in the notation of the problem set: `((8_L2B:1, 4:2, 8_L1B:1), (2:1, 4_PE:1, 2_W:1))`.

`haribote.layout` reads the notation; here its digits become bits and bits become digits again. What the notation cannot
say has an addition: ` * (2_L2B:1)` after the lists names digits of a level that are copies while others of that level
are not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

from haribote.layout import LEVELS, Digit, Layout, LayoutError
from haribote.stack.maps import COPY, UNITS, Bit, BitMap, Memory, W, axis_bits, unit_bits
from simulator.messages import tr


def parse(text: str, memory: Memory = "LM") -> BitMap:
    """The map that a text means. Raises LayoutError where it is malformed or no map on bits."""
    lists, _, copied = text.partition("*")
    return of_layout(Layout.parse(lists), memory, Layout.parse(f"({copied})") if copied else None)


@lru_cache(maxsize=1 << 10)
def of_layout(layout: Layout, memory: Memory = "LM", copied: Layout | None = None) -> BitMap:
    """The map of a layout. copied: digits of levels of which only these are copies."""
    shape = layout.shape
    carries: dict[Bit, int] = {}
    start = sum(map(axis_bits, shape))
    for axis, size in zip(layout.axes, shape, strict=True):
        start -= axis_bits(size)
        for digit, lowest in _lowest_bits(axis, layout):
            for bit, carry in _bits(digit, lowest + start, memory, layout):
                if bit in carries:
                    raise LayoutError(
                        tr("layout {layout}: two digits add to {bit}", layout, bit),
                        tr("strides that keep digits apart"),
                    )
                carries[bit] = carry
    named = {digit.level for part in (layout, copied) if part for axis in part.axes for digit in axis}
    for bit in unit_bits(memory):
        if ("L2B" if bit.level == "group" else bit.level) not in named and memory not in ("DRAM", "PDM"):
            carries[bit] = COPY
    for digit in (digit for axis in (copied.axes if copied else ()) for digit in axis):
        carries |= {bit: COPY for bit, _ in _bits(digit, 0, memory, layout)}
    return BitMap.of(memory, shape, carries)


def _lowest_bits(axis: tuple[Digit, ...], layout: Layout) -> Iterator[tuple[Digit, int]]:
    """The digits of an axis with the lowest index bit of each."""
    lowest = 0
    for number, digit in reversed(list(enumerate(axis))):
        yield digit, lowest
        bits = axis_bits(digit.size)
        if digit.size != 1 << bits and any(other.size > 1 for other in axis[:number]):
            raise LayoutError(
                tr("layout {layout}: digit {digit} is no row of bits", layout, digit),
                tr("sizes that are powers of two after the first"),
            )
        lowest += bits


def _bits(digit: Digit, lowest: int, memory: Memory, layout: Layout) -> Iterator[tuple[Bit, int]]:
    """The bits of the place that a digit sets, each with the index bit that it carries."""
    width, stride = axis_bits(digit.size), digit.stride
    if (width > 1 and stride & (stride - 1)) or (width and not stride):
        raise LayoutError(
            tr("layout {layout}: digit {digit} is no row of bits", layout, digit), tr("a stride that is a power of two")
        )
    for number in range(width):
        for place in range(64):
            if (stride << number) >> place & 1:
                yield _place(digit, place, memory, layout), lowest + number


def _place(digit: Digit, number: int, memory: Memory, layout: Layout) -> Bit:
    if digit.level == "":
        return Bit("address", number)
    bit = Bit(digit.level, number)
    if digit.level == "L2B":
        bit = Bit("group", number - 1) if number else Bit("L2B", 0)
    if bit not in (*unit_bits(memory), W):
        raise LayoutError(
            tr(
                "layout {layout}: digit {digit} goes beyond the {level}s of {memory}",
                layout,
                digit,
                digit.level,
                memory,
            )
        )
    return bit


# --- printing --------------------------------------------------------------------------------------------------------


def text_of(found: BitMap) -> str:
    """The notation; `parse` gives the same map again. Raises LayoutError for a map that it cannot write."""
    axes = [_axis_text(found, number) for number in range(len(found.shape))]
    levels = [level for level in LEVELS if level in UNITS[found.memory] or level == "L2B"]
    copied: list[str] = []
    for level in levels:
        bits = {number: found[bit] for number, bit in _numbered(level, found.memory).items()}
        if found.memory in ("DRAM", "PDM") or any(carry != COPY for carry in bits.values()):
            copied += _runs(level, [number for number, carry in bits.items() if carry == COPY])
            bare = all(carry < 0 for carry in bits.values()) and found.memory not in ("DRAM", "PDM")
            if bare and not any(carry == COPY for carry in bits.values()):
                axes[0] = f"1_{level}:1{', ' if axes[0] else ''}{axes[0]}"
    text = "(" + ", ".join(f"({axis or '1:1'})" for axis in axes) + ")"
    return f"{text} * ({', '.join(copied)})" if copied else text


def _numbered(level: str, memory: Memory) -> Mapping[int, Bit]:
    """The bits of a level's number as the notation counts it: L2B 0 to 7 includes the group."""
    bits = [bit for bit in unit_bits(memory) if bit.level == level or (level == "L2B" and bit.level == "group")]
    return {_number(bit): bit for bit in bits}


def _number(bit: Bit) -> int:
    return bit.number + 1 if bit.level == "group" else bit.number


def _axis_text(found: BitMap, axis: int) -> str:
    """The digits of an axis; neighbouring bits in neighbouring places make one."""
    runs: list[tuple[str, int, int, int]] = []  # level, stride, lowest bit along the axis, bits; slowest last
    bits = found.axes[axis]
    for along, carry in enumerate(bits):
        places = found.places[carry]
        level = _level_name(places[0])
        stride = sum(1 << _number(bit) for bit in places)
        if any(_level_name(bit) != level for bit in places):
            raise LayoutError(
                tr("bit {carry} stands at several levels, which the notation cannot say", found.name(carry))
            )
        if runs and runs[-1][0] == level and len(places) == 1 and runs[-1][1] << runs[-1][3] == stride:
            runs[-1] = (*runs[-1][:3], runs[-1][3] + 1)
        else:
            runs.append((level, stride, along, 1))
    texts = []
    for level, stride, lowest, count in reversed(runs):
        top = lowest + count == len(bits)
        size = -(-found.shape[axis] >> lowest) if top else 1 << count
        texts.append(str(Digit(size, level, stride)))
    return ", ".join(texts)


def _level_name(bit: Bit) -> str:
    return {"address": "", "group": "L2B"}.get(bit.level, bit.level)


def _runs(level: str, numbers: list[int]) -> Iterator[str]:
    """Digits for the bits of a level that are copies."""
    start = 0
    for end in range(1, len(numbers) + 1):
        if end == len(numbers) or numbers[end] != numbers[end - 1] + 1:
            yield str(Digit(1 << (end - start), level, 1 << numbers[start]))
            start = end
