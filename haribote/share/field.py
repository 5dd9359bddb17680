"""What every PE holds while a line of a program runs: one brightness for each of the 64 x 64.

A PE shows the first word that the line writes into its memories, or else reads from them. Where a line moves words in a
memory above the PEs only, the words that it moves are spread over the PEs which share that memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from simulator.effects.running import Touch
from simulator.engine.machine import Machine
from simulator.engine.state.contents import KINDS, NOWHERE, UNITS, contents
from simulator.isa import ALL_PES

SIDE = 64
BRIGHTEST = 15
"""Brightness goes from 1 (zero) to this (the largest of the line); 0 is a PE that takes no part."""
LEVELS = ("pe", "mab", "l1b", "l2b", "group")
"""From below: what is nearest to the PEs is shown."""
MEMORIES: dict[str, tuple[str, ...]] = {
    "DRAM": ("dram", "dar"), "L2BM": ("l2bm", "pdm"), "L1BM": ("l1bm", "turn"), "matrix": ("mx", "my"),
    "LM0": ("lm0",), "LM1": ("lm1",), "GRF": ("grf0", "grf1"), "T": ("t",),
}  # fmt: skip
"""The memories that are named on the page, from above, and what of the machine each stands for."""

Field = NDArray[np.uint8]
Values = NDArray[np.float64]


def places() -> NDArray[np.int64]:
    """Where each PE stands in the field, row * 64 + column: groups, L2Bs, L1Bs, MABs and PEs each side by side."""
    group, l2b, l1b, mab, pe = np.unravel_index(np.arange(ALL_PES), (4, 2, 8, 16, 4))
    row = 32 * (group // 2) + 8 * (l1b // 2) + 2 * (mab // 4) + pe // 2
    column = 32 * (group % 2) + 16 * l2b + 8 * (l1b % 2) + 2 * (mab % 4) + pe % 2
    return np.asarray(SIDE * row + column, np.int64)


_PLACES = places()


def field(touches: Sequence[Touch], machine: Machine) -> Field:
    """Brightness of every PE, [4096] in the order of the field, of a line that has just touched these words."""
    found = [touch for touch in touches if touch.addresses.size]
    if not found:
        return np.zeros(ALL_PES, np.uint8)
    shown = min(found, key=_rank)
    values = np.empty(ALL_PES)
    values[_PLACES] = _spread(_words(shown, machine))
    return _brightness(values)


def used(touches: Iterable[Touch]) -> tuple[int, int]:
    """Which of MEMORIES are read and which are written, a bit each."""
    bits = [0, 0]
    for touch in touches:
        for number, names in enumerate(MEMORIES.values()):
            if touch.memory in names:
                bits[touch.write] |= 1 << number
    return bits[0], bits[1]


def _rank(touch: Touch) -> tuple[int, bool, bool]:
    """What is shown first: memories near the PEs, what is written, numbers before flags and addresses."""
    kind = KINDS[touch.memory]
    return LEVELS.index(kind.level), not touch.write, touch.memory in ("omr", "bar", "dar", "turn")


def _words(touch: Touch, machine: Machine) -> Values:
    """The size of the values, [word, unit]; no number where a unit takes no part."""
    words = contents(machine, touch.memory, touch.addresses)
    with np.errstate(all="ignore"):
        values = np.abs(np.ascontiguousarray(words).view(np.float32).astype(np.float64))
    values[~np.isfinite(values)] = 0.0
    each = len(words) // len(touch.addresses)  # two rows for a long word
    if touch.addresses.ndim == 2:
        values[np.repeat(touch.addresses == NOWHERE, each, axis=0)] = np.nan
    if touch.through is not None:
        through = touch.through if touch.through.ndim == 2 else touch.through[None]
        values[~np.broadcast_to(np.repeat(through, each, axis=0) if len(through) > 1 else through, values.shape)] = (
            np.nan
        )
    return values


def _spread(values: Values) -> Values:
    """A value for each PE, [4096] by number: the first of its own, or one of the unit that it belongs to."""
    units = values.shape[1]
    if units == UNITS["pe"]:
        first = np.argmin(np.isnan(values), axis=0)
        return np.asarray(values[first, np.arange(units)])
    each = ALL_PES // units
    rows = np.arange(each) % len(values)
    return np.asarray(values[rows].T.reshape(-1))


def _brightness(values: Values) -> Field:
    taking_part = ~np.isnan(values)
    result = np.zeros(len(values), np.uint8)
    if taking_part.any():
        present = values[taking_part]
        top = float(np.quantile(present, 0.98)) or float(present.max()) or 1.0
        share = np.sqrt(np.minimum(present / top, 1.0))
        result[taking_part] = 1 + np.floor((BRIGHTEST - 1) * share + 0.5).astype(np.uint8)
    return result
