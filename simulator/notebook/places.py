"""Parts of a machine's memories as text, `lm0[0:8,0:4]`: read as a table, or filled with values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator import isa
from simulator.columns import columns, left, right
from simulator.engine.machine import Machine
from simulator.engine.state.memories import Dram
from simulator.errors import SimulatorError
from simulator.isa import ALL_MABS, ALL_PES, L2BS
from simulator.messages import Text, shown, tr

AXES: dict[str, tuple[tuple[str, int], ...]] = {
    **dict.fromkeys(("lm0", "lm1"), ((Text("word"), isa.LM_WORDS), ("PE", ALL_PES))),
    **dict.fromkeys(("grf0", "grf1"), ((Text("word"), isa.GRF_WORDS), ("PE", ALL_PES))),
    "t": ((Text("cycle"), 4), (Text("word"), 4), ("PE", ALL_PES)),
    "omr": ((Text("entry"), 32), (Text("cycle"), 4), (Text("flag"), 4), ("PE", ALL_PES)),
    **dict.fromkeys(("mx", "my"), ((Text("row"), 16), ("MAB", ALL_MABS), (Text("word"), 8))),
    "l1bm": (("L2B", L2BS), ("L1B", isa.L1BS), (Text("long word"), isa.L1BM_LONGS)),
    "l2bm": (("L2B", L2BS), (Text("long word"), isa.L2BM_LONGS)),
    "pdm": ((Text("group"), isa.GROUPS), (Text("long word"), isa.PDM_LONGS)),
    "dram": ((Text("group"), isa.GROUPS), (Text("long word"), isa.DRAM_LONGS)),
}
"""The axes of every memory that can be named, with their lengths."""
KINDS = {"f": Text("single precision"), "i": Text("integers"), "x": Text("hexadecimal")}
MOST = 4096  # values in one table
_PLACE = re.compile(r"\s*(\w+)\s*(?:\[([^\]]*)\])?\s*(?::\s*([fix]))?\s*")
_INDEX = re.compile(r"\s*(?:(\d*)\s*:\s*(\d*)|(\d+))\s*")


@dataclass(frozen=True)
class MemoryPart:
    """A part of a memory. index: of every axis a number or (first, end). kind: how values are shown, one of KINDS."""

    text: str
    memory: str
    index: tuple[int | tuple[int, int], ...]
    kind: str

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the values, without the axes that are single numbers."""
        return tuple(one[1] - one[0] for one in self.index if not isinstance(one, int))

    @property
    def key(self) -> tuple[int | slice, ...]:
        """The index as NumPy takes it."""
        return tuple(one if isinstance(one, int) else slice(*one) for one in self.index)

    @property
    def is_long(self) -> bool:
        """Whether the memory counts in long words."""
        return AXES[self.memory][-1][0] == "long word"


def parse(text: str) -> MemoryPart:
    """The place of `lm0[0:8,0:4]` or, shown as integers, `lm0[0:8,0:4]:i`; axes left out are whole.

    Raises SimulatorError.
    """
    example = tr("lm0[0:8,0:4] is words 0 to 7 of PEs 0 to 3")
    match = _PLACE.fullmatch(text)
    if not match:
        raise SimulatorError(tr("{text!r} is no part of a memory", text), example)
    name, inside, kind = match[1].lower(), match[2], match[3]
    if name not in AXES:
        raise _refused(text, tr("there is no memory {match!r}", match[1]), ", ".join(AXES))
    axes, items = AXES[name], inside.split(",") if inside else []
    if len(items) > len(axes):
        has = ", ".join(axis for axis, _ in axes)
        what = tr("{name} has {axes} axes ({has}), received {items}", name, len(axes), has, len(items))
        raise _refused(text, what, example)
    given = [_one(text, item, *axis) for item, axis in zip(items, axes, strict=False)]
    whole = [(0, length) for _, length in axes[len(given) :]]
    default = "i" if axes[-1][0] == "long word" or name == "omr" else "f"
    return MemoryPart(text.strip(), name, (*given, *whole), kind or default)


def _one(text: str, item: str, axis: str, length: int) -> int | tuple[int, int]:
    match = _INDEX.fullmatch(item)
    if not match:
        what = tr("{strip!r} is no index", item.strip())
        raise _refused(text, what, tr("a number such as 3, or a range such as 0:8"))
    first, end = int(match[3] or match[1] or 0), int(match[2] or length)
    if match[3] is not None:
        end = first + 1
    if not 0 <= first < end <= length:
        what = tr("{strip} is not within 0:{length} ({axis})", item.strip(), length, axis)
        raise _refused(text, what, f"0:{min(length, 8)}")
    return first if match[3] is not None else (first, end)


def _refused(text: str, what: str, try_: str) -> SimulatorError:
    return SimulatorError(tr("{text!r}: {what}", text, what), try_)


def read(machine: Machine, place: MemoryPart) -> NDArray[Any]:
    """The bits of a place. Raises SimulatorError where they are too many for a table."""
    if (count := prod(place.shape)) > MOST:
        message = tr("{text}: {count:,} values are too many to show, at most {most:,}", place.text, count, MOST)
        raise SimulatorError(message, tr("fewer of each axis"))
    return np.asarray(_array(machine, place)).copy()


def _array(machine: Machine, place: MemoryPart) -> NDArray[Any]:
    if place.memory != "dram":
        return np.asarray(getattr(machine, place.memory)[place.key])
    banks, first, count = _in_dram(machine, place)
    return np.stack([bank.read(first, count) for bank in banks]).reshape(place.shape)


def _in_dram(machine: Machine, place: MemoryPart) -> tuple[Sequence[Dram], int, int]:
    """The DRAMs of the groups, and the first address and the number of long words in each."""
    (group, end), (first, last) = ((one, one + 1) if isinstance(one, int) else one for one in place.index)
    return machine.dram[group:end], first, last - first


def write(machine: Machine, place: MemoryPart, values: object) -> None:
    """Fill a place: floats as singles (two in a long word), whole numbers as they are; fewer values are repeated.

    A vector goes along the first axis where it fits there, else along the last. Raises SimulatorError.
    """
    bits = _fitted(place, _bits(place, np.asarray(values)))
    if place.memory != "dram":
        getattr(machine, place.memory)[place.key] = bits
        return
    banks, first, count = _in_dram(machine, place)
    for bank, row in zip(banks, np.broadcast_to(bits.reshape(-1, count), (len(banks), count)), strict=True):
        bank.write(first, row)


def _bits(place: MemoryPart, values: NDArray[Any]) -> NDArray[Any]:
    """Values as the words or long words of a memory."""
    if place.memory == "omr":
        return values.astype(np.bool_)
    if values.dtype.kind == "f":
        words = np.ascontiguousarray(values, np.float32).view(np.uint32)
        if not place.is_long:
            return words
        if values.ndim == 0 or values.shape[-1] % 2:
            received = tr("received shape {shape}", list(values.shape))
            raise SimulatorError(
                tr("{text}: a long word holds two singles, {received}", place.text, received),
                tr("an even number of them"),
            )
        high, low = words[..., 0::2].astype(np.uint64), words[..., 1::2].astype(np.uint64)
        return np.asarray(high << np.uint64(32) | low)
    if values.dtype.kind not in "iub":
        raise SimulatorError(
            tr("{text}: values are numbers, received {dtype}", place.text, values.dtype), tr("a number or an array")
        )
    width = 64 if place.is_long else 32
    if values.size and not (-(2 ** (width - 1)) <= int(values.min()) and int(values.max()) < 2**width):
        raise SimulatorError(
            tr("{text}: a value does not fit into {width} bits", place.text, width), tr("smaller numbers, or floats")
        )
    return values.astype(np.uint64).astype(np.uint64 if place.is_long else np.uint32)


def _fitted(place: MemoryPart, bits: NDArray[Any]) -> NDArray[Any]:
    """The bits in the shape of the place, repeated where they are fewer."""
    shape = place.shape
    if 0 < bits.ndim < len(shape) and bits.shape == shape[: bits.ndim]:
        bits = bits.reshape(*bits.shape, *[1] * (len(shape) - bits.ndim))
    try:
        return np.array(np.broadcast_to(bits, shape))
    except ValueError:
        raise SimulatorError(
            tr("{text} has shape {shape}, but the values have {shape2}", place.text, list(shape), list(bits.shape)),
            tr("an array of that shape"),
        ) from None


def table(place: MemoryPart, bits: NDArray[Any]) -> str:
    """The values as text: what it is, then a row for each index of the axes before the last, a column for the last; in
    the language of the moment.
    """
    named = [
        (shown(axis), one[0])
        for (axis, _), one in zip(AXES[place.memory], place.index, strict=True)
        if not isinstance(one, int)
    ]
    cells = _cells(bits.reshape(-1, bits.shape[-1] if bits.ndim else 1), place.kind)
    numbers = range(len(cells[0]))
    head = [f"{'' if n else named[-1][0]} {named[-1][1] + n}".strip() for n in numbers] if named else [""]
    labels = [_label(named, np.unravel_index(n, bits.shape[:-1])) if bits.ndim > 1 else "" for n in range(len(cells))]
    widths = [max(map(columns, column)) for column in zip(head, *cells, strict=True)]
    margin = max(map(columns, labels))
    lines = [
        f"{left(label, margin)}  " + "  ".join(right(cell, width) for cell, width in zip(line, widths, strict=True))
        for label, line in zip(["", *labels], [head, *cells], strict=True)
    ]
    return "\n".join([f"{place.text}, {shown(KINDS[place.kind])}", *(line.rstrip() for line in lines)])


def _label(named: Sequence[tuple[str, int]], at: Sequence[Any]) -> str:
    """The row of these indices: `word 0`, `L2B 0 L1B 3`."""
    return " ".join(f"{axis} {first + int(number)}" for (axis, first), number in zip(named, at, strict=False))


def _cells(bits: NDArray[Any], kind: str) -> list[list[str]]:
    """Every value as text."""
    if bits.dtype == np.bool_:
        return [[str(int(flag)) for flag in row] for row in bits.tolist()]
    if kind == "x":
        return [[f"0x{value:x}" for value in row] for row in bits.tolist()]
    if kind == "i":
        signed = bits.view(np.int64 if bits.dtype == np.uint64 else np.int32)
        return [[str(value) for value in row] for row in signed.tolist()]
    if bits.dtype == np.uint64:
        halves = (bits >> np.uint64(32)).astype(np.uint32), bits.astype(np.uint32)
        high, low = (_cells(half, kind) for half in halves)
        return [[f"{a} {b}" for a, b in zip(*rows, strict=True)] for rows in zip(high, low, strict=True)]
    return [[f"{value:.7g}" for value in row] for row in bits.view(np.float32).tolist()]
