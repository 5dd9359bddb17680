"""The layout notation: which element of a tensor sits in which memory of the chip (isa.md, section 4).

`((8_L2B:1, 4:2, 8_L1B:1), (2:1, 4_PE:1, 2_W:1))` has one parenthesised list per tensor axis. An axis index is split
into digits, the last item fastest; an item `size_LEVEL:stride` adds digit*stride to that level's number, an item
without a level adds digit*stride to the long-word address. A level that is not named is replicated: every unit of
that level holds the element.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import ceil, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haribote.answers.ownership import exercise
from haribote.errors import HariboteError
from simulator import isa
from simulator.messages import shown, tr

Ints = NDArray[np.int64]
Words = NDArray[np.uint32]

# The levels of the chip below its root, from the outside in, with the number of units in each parent.
LEVELS = dict(zip(("L2B", "L1B", "MAB", "PE"), isa.TREE, strict=True))
# What one unit of a level is worth in the index of a PE.
PE_STRIDE = {level: prod(isa.TREE[number + 1 :]) for number, level in enumerate(LEVELS)}

_ITEM = re.compile(r"\s*(\d+)(?:_([A-Za-z0-9]+))?\s*:\s*(\d+)\s*")


class LayoutError(HariboteError):
    """A layout is malformed, or does not fit the tensor or the memory it is used with."""


@dataclass(frozen=True)
class Digit:
    """One item `size_LEVEL:stride`; level "" adds to the long-word address."""

    size: int
    level: str
    stride: int

    def __str__(self) -> str:
        return f"{self.size}{'_' + self.level if self.level else ''}:{self.stride}"


@dataclass(frozen=True)
class Layout:
    """A parsed layout. `axes[k]` lists the digits of tensor axis k, slowest first."""

    axes: tuple[tuple[Digit, ...], ...]

    def __str__(self) -> str:
        return "(" + ", ".join("(" + ", ".join(map(str, axis)) + ")" for axis in self.axes) + ")"

    @staticmethod
    @lru_cache(maxsize=256)
    def parse(text: str) -> Layout:
        """Read the notation; raises LayoutError that names the part it cannot read."""
        body = text.strip()
        if not (body.startswith("(") and body.endswith(")")):
            raise LayoutError(
                tr("layout {text!r}: expected ((size[_LEVEL]:stride, …), …), one list per tensor axis", text)
            )
        axes = re.findall(r"\(([^()]*)\)", body[1:-1])
        rest = re.sub(r"\([^()]*\)", "", body[1:-1]).replace(",", "").strip()
        if not axes or rest:
            raise LayoutError(
                tr("layout {text!r}: cannot read {value!r}; every axis is one parenthesised list", text, rest or body)
            )
        return Layout(tuple(tuple(_parse_digit(item, text) for item in axis.split(",")) for axis in axes))

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """The tensor shape that the layout describes."""
        return tuple(prod(digit.size for digit in axis) for axis in self.axes)

    def position(self, level: str) -> Ints:
        """Number of the unit of `level` (or the long-word address for "", the word for "W") of every element.

        Returns int64 of the tensor's shape.
        """
        return np.asarray(position(self, level)).astype(np.int64)  # an answer may count in another type

    def names(self, level: str) -> bool:
        """True when some axis is spread over `level`."""
        return any(digit.level == level for axis in self.axes for digit in axis)

    @cached_property
    def words(self) -> int:
        """Words per PE that the tensor takes up in LM."""
        return 2 * int(self.position("").max() + 1)

    @cached_property
    def _words_of_elements(self) -> tuple[Ints, Ints]:
        """Word address and PE index of copy 0 of every element, flattened in row-major order."""
        word = 2 * self.position("") + self.position("W")
        pe = sum((self.position(level) * stride for level, stride in PE_STRIDE.items()), np.zeros(self.shape, np.int64))
        return word.ravel(), pe.ravel()

    @cached_property
    def _copies(self) -> Ints:
        """Offsets in the PE index from copy 0 to every copy."""
        offsets = np.zeros(1, np.int64)
        for level, stride in PE_STRIDE.items():
            if not self.names(level):
                offsets = (offsets[:, None] + np.arange(LEVELS[level]) * stride).ravel()
        return offsets

    def scatter(self, values: NDArray[Any], memory: Words, address: int, everywhere: bool = True) -> None:
        """Write a tensor of 32-bit elements into every copy in `memory` ([word, pe], LM0 or LM1) from `address` on.

        everywhere: False writes copy 0 alone.
        """
        bits = self._bits(values)
        word, pe = self._words_of_elements
        copies = self._copies if everywhere else self._copies[:1]
        memory[address + word[:, None], pe[:, None] + copies] = bits[:, None]

    def gather_copies(self, memory: Words, address: int) -> Words:
        """The bits of every copy, [copies, elements]; copy 0 comes first."""
        word, pe = self._words_of_elements
        found: Words = memory[address + word, pe + self._copies[:, None]]
        return found

    def gather(self, memory: Words, address: int, dtype: np.dtype[Any] | type = np.float32) -> NDArray[Any]:
        """Read the tensor from copy 0 in `memory` ([word, pe]); 32-bit dtype."""
        word, pe = self._words_of_elements
        return memory[address + word, pe].view(dtype).reshape(self.shape)

    def _bits(self, values: NDArray[Any]) -> Words:
        if values.size != prod(self.shape) or values.dtype.itemsize != 4:
            raise LayoutError(
                tr(
                    "layout {value} holds {shape} elements of 32 bits, got {shape2} of {dtype}",
                    value=self,
                    shape=self.shape,
                    shape2=values.shape,
                    dtype=values.dtype,
                )
            )
        return np.ascontiguousarray(values).reshape(-1).view(np.uint32)

    def formula(self) -> str:
        """The index formula in words, one line per level, in the language of the moment: `L2B = i//32`."""
        return "\n".join(f"{shown(level or tr('long word'))} = {terms}" for level, terms in self.terms().items())

    def terms(self) -> dict[str, str]:
        """The right sides of the formula, by their levels; "" is the level of long words."""
        terms: dict[str, list[str]] = {}
        for name, axis, size in zip("ijklmn", self.axes, self.shape, strict=False):
            after = size
            for digit in axis:
                whole, after = after, after // digit.size
                text = name if after == 1 else f"{name}//{after}"
                text = text if whole == size else f"{text}%{digit.size}"
                terms.setdefault(digit.level, []).append(f"{digit.stride}*({text})" if digit.stride != 1 else text)
        return {level: " + ".join(found) for level, found in terms.items()}


@exercise("4.1")
def position(layout: Layout, level: str) -> Ints:
    """The index formula, written out; see `Layout.position`."""
    raise NotImplementedError


def _parse_digit(item: str, text: str) -> Digit:
    match = _ITEM.fullmatch(item)
    if match is None:
        raise LayoutError(
            tr("layout {text!r}: cannot read item {strip!r}; expected size[_LEVEL]:stride", text, item.strip())
        )
    size, level, stride = int(match[1]), (match[2] or "").upper(), int(match[3])
    if level not in ("", "W", *LEVELS):
        raise LayoutError(
            tr("layout {text!r}: unknown level {match!r}; the levels are L2B, L1B, MAB, PE and W", text, match[2])
        )
    if size < 1:
        raise LayoutError(tr("layout {text!r}: size of {strip!r} must be at least 1", text, item.strip()))
    return Digit(size, level, stride)


# The layouts of the baseline code generator (design.md, section 5), by shape and, where there are several, a letter.
LAYOUTS: dict[str, Layout] = {
    tag: Layout.parse(text)
    for tag, text in {
        "16": "((2:1, 4_PE:1, 2_W:1))",
        "16x16": "((16:2), (2:1, 4_PE:1, 2_W:1))",
        "16x1024": "((16:1), (8_MAB:2, 8_L1B:1, 2_MAB:1, 4_PE:1, 2_W:1))",
        "1024x16": "((8_L2B:1, 16:2, 8_L1B:1), (2:1, 4_PE:1, 2_W:1))",
        "256x16.A": "((8_L2B:1, 4:2, 8_L1B:1), (2:1, 4_PE:1, 2_W:1))",
        "256x16.P": "((4_L2B:2, 64:2), (2:1, 4_PE:1, 2_W:1))",
        "256x16.B": "((8_L2B:1, 32:2), (2:1, 4_PE:1, 2_W:1))",
        "256x1024": "((8_L2B:1, 32:1), (8_MAB:2, 8_L1B:1, 2_MAB:1, 4_PE:1, 2_W:1))",
        "256": "((4_L2B:2, 32:1, 2_W:1))",
    }.items()
}


def layout_of(tag: str) -> Layout:
    """The layout of a tag of LAYOUTS, or that which the notation describes. Raises LayoutError."""
    return LAYOUTS[tag] if tag in LAYOUTS else Layout.parse(tag)


def dram_layout(shape: tuple[int, ...]) -> Layout:
    """The DRAM layout of a tensor: row-major, two elements per long word, at most 16 elements in group 0, otherwise
    four equal parts in groups 0 to 3 (design.md, section 5). Raises LayoutError where four parts are not equal.
    """
    count = prod(shape)
    pairs = ceil(count / 2)
    if count <= isa.SMALL_TENSOR:
        return Layout.parse(f"(({pairs}:1, 2_W:1))")
    if count % 8:
        raise LayoutError(
            tr("a tensor of shape {shape} in DRAM needs a multiple of 8 elements, got {count}; pad it", shape, count)
        )
    return Layout.parse(f"((4_L2B:2, {pairs // 4}:1, 2_W:1))")


def dram_long_words(shape: tuple[int, ...]) -> int:
    """Long words that a tensor of 32-bit elements takes up in each DRAM group that holds a part of it."""
    count = prod(shape)
    return ceil(count / 2) if count <= isa.SMALL_TENSOR else ceil(count / 8)


def tags_for(shape: tuple[int, ...]) -> Iterator[str]:
    """The tags of the layouts that hold a tensor of this shape; a column [n, 1] counts as a vector [n]."""
    flat = shape[:1] if len(shape) == 2 and shape[1] == 1 else shape
    return (tag for tag, layout in LAYOUTS.items() if layout.shape == flat)
