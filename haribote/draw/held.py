"""Who holds which element of a tensor: the tensor beside the machine, both coloured by unit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haribote import layout as notation
from haribote.errors import HariboteError
from haribote.kernel import Operand
from haribote.layout import LAYOUTS, LEVELS, Layout, tags_for
from simulator.messages import tr

Ints = NDArray[np.int64]
Index = tuple[int, ...]
SHADES = 8


@dataclass(frozen=True)
class Holding:
    """A tensor in the machine. shape: of the tensor, whose elements the layout may count in one axis; memory: LM0, LM1,
    LM (either) or DRAM; address: of the first word, in DRAM of the first long word.
    """

    layout: Layout
    shape: Index
    memory: str = "LM"
    address: int = 0

    def position(self, level: str) -> Ints:
        """The unit of a level (`word` for the word address, in DRAM `long word`) of every element, copy 0."""
        if level in ("word", "long word"):
            found = notation.position(self.layout, "") + self.address * (level == "long word")
            if level == "word":
                found = self.address + 2 * found + notation.position(self.layout, "W")
        else:
            found = notation.position(self.layout, level)
        return found.reshape(self.shape)

    @cached_property
    def matrix(self) -> Index:
        """The tensor as rows and columns: the last axis runs to the right."""
        return prod(self.shape[:-1]), self.shape[-1]

    @cached_property
    def levels(self) -> list[str]:
        """The levels whose units hold different elements, from the outside in."""
        return [level for level in LEVELS if self.position(level).max(initial=0) > 0]

    @property
    def copied(self) -> list[str]:
        """The levels of which every unit holds a copy."""
        return [] if self.memory == "DRAM" else [level for level in LEVELS if not self.layout.names(level)]

    def where(self, index: Index) -> str:
        """`L2B 0, L1B 1, MAB 0, PE 3, LM word 12`, or the DRAM group and long word."""
        if self.memory == "DRAM":
            half = "low" if int(notation.position(self.layout, "W").reshape(self.shape)[index]) else "high"
            group, long_word = (int(self.position(level)[index]) for level in ("L2B", "long word"))
            return tr("DRAM group {value}, long word {long_word} ({half} word)", group // 2, long_word, half)
        units = [f"{level} {int(self.position(level)[index])}" for level in LEVELS]
        return ", ".join([*units, tr("{memory} word {value}", self.memory, int(self.position("word")[index]))])

    def unit(self, index: Index) -> tuple[int, int, int, int]:
        """L2B, L1B, MAB, PE of copy 0 of an element."""
        l2b, l1b, mab, pe = (int(self.position(level)[index]) for level in LEVELS)
        return l2b, l1b, mab, pe

    def copies(self, index: Index) -> NDArray[np.bool_]:
        """Which PEs hold the element, [L2B, L1B, MAB, PE]."""
        return self._spread(self.unit(index))

    def holders(self) -> NDArray[np.bool_]:
        """Which PEs hold any element, [L2B, L1B, MAB, PE]."""
        return self._spread(tuple(self.position(level).ravel() for level in LEVELS))

    def _spread(self, units: tuple[Any, ...]) -> NDArray[np.bool_]:
        found = np.zeros(tuple(LEVELS.values()), np.bool_)
        found[units] = True
        for axis, level in enumerate(LEVELS):
            if level in self.copied:
                found = np.broadcast_to(found.any(axis=axis, keepdims=True), found.shape).copy()
        return found

    def of_unit(self, unit: tuple[int, int, int, int]) -> dict[int, Index]:
        """What copy 0 of a PE holds: word address to element index, in order of addresses."""
        mine = np.ones(self.shape, np.bool_)
        for level, number in zip(LEVELS, unit, strict=True):
            mine &= self.position(level) == number
        words = self.position("word")[mine]
        order = np.argsort(words, kind="stable")
        elements = np.argwhere(mine)[order]
        return {int(word): tuple(map(int, e)) for word, e in zip(words[order], elements, strict=True)}


def holding_of(what: Layout | Operand | str, shape: Sequence[int] | None = None, memory: str = "LM") -> Holding:
    """The tensor that `draw.layout` is asked for: an operand of a kernel, a layout, its notation, its tag
    (`256x16.A`), or a shape and the letter of a tag (`A`; "" where the shape has one layout only).

    Raises HariboteError where there is no such layout, or it does not have as many elements as the shape.
    """
    if isinstance(what, Operand):
        return Holding(what.layout, tuple(what.shape), what.memory, what.address)
    layout = what if isinstance(what, Layout) else _named(str(what).strip(), shape)
    size = tuple(shape) if shape is not None else layout.shape
    if prod(size) != prod(layout.shape):
        raise HariboteError(
            tr("the layout {layout} has {shape} elements, the shape is {size}", layout, layout.shape, size),
            tr("the layout's shape"),
        )
    for level, count in LEVELS.items():
        largest = int(notation.position(layout, level).max(initial=0))
        if largest >= count:
            raise HariboteError(
                tr("the layout {layout} puts an element into {level} {largest}", layout, level, largest),
                tr("{level}s go from 0 to {value}", level, count - 1),
            )
    return Holding(layout, size, memory)


def _named(text: str, shape: Sequence[int] | None) -> Layout:
    if text.startswith("("):
        return Layout.parse(text)
    size = "x".join(map(str, shape)) if shape is not None else ""
    for tag in (text, f"{size}.{text}", "" if text else size):
        if tag in LAYOUTS:
            return LAYOUTS[tag]
    known = list(tags_for(tuple(shape))) if shape is not None else []
    of = f" for the shape {size}" if size else ""
    raise HariboteError(
        tr("there is no layout {text!r}{of}", text, of),
        tr("{value}, or the notation ((…), …)", ", ".join(known or LAYOUTS)),
    )


def styles(holding: Holding, units: Sequence[Ints]) -> NDArray[np.str_]:
    """The style of each of some units: the hue tells the outermost level that the tensor is spread over, the shade the
    next one. units: the numbers of L2B, L1B, MAB and PE, arrays of one shape.
    """
    levels = list(LEVELS)
    hue, shade = ([levels.index(level) for level in holding.levels] + [-1, -1])[:2]
    first = _scaled(units[hue], levels[hue]) if hue >= 0 else np.zeros(units[0].shape, np.int64)
    second = _scaled(units[shade], levels[shade]) if shade >= 0 else np.zeros(units[0].shape, np.int64)
    names = np.array([[f"h{h} s{s}" if s else f"h{h}" for s in range(SHADES)] for h in range(SHADES)])
    return np.asarray(names[first, second])


def _scaled(numbers: Ints, level: str) -> Ints:
    """Numbers of units as 0 to 7: MABs in pairs."""
    return np.asarray(numbers * SHADES // max(SHADES, LEVELS[level]))
