"""Where an error is, drawn with characters: over the tensor and over the machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haribote.kernel import Operand
from haribote.layout import LEVELS, Layout, layout_of
from simulator.isa import GROUPS, L2BS_PER_GROUP, TREE
from simulator.messages import tr

Array = NDArray[Any]
ROWS, COLUMNS = 16, 32


def over_machine(operand: Operand, error: Array) -> Array:
    """The largest error in every PE, [L2B, L1B, MAB, PE], where copy 0 is; in DRAM, in every group, [4]."""
    if operand.memory == "DRAM":
        groups = np.zeros(GROUPS)
        np.maximum.at(groups, _in_dram(operand)[0], error)
        return groups
    machine = np.zeros(TREE)
    np.maximum.at(machine, tuple(operand.layout.position(level) for level in LEVELS), error)
    return machine


def _in_dram(operand: Operand) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Group and long word of every element of an operand in DRAM, both in its shape."""
    group = operand.layout.position("L2B") // L2BS_PER_GROUP  # the layout has one axis, row-major
    return group.reshape(operand.shape), operand.address + operand.layout.position("").reshape(operand.shape)


def first_unit(machine_of: Callable[[Array], Array], wrong: NDArray[np.bool_]) -> tuple[int, ...]:
    """The unit of the first wrong element; machine_of: from an error over the tensor to one over the machine."""
    alone = np.zeros(wrong.shape)
    alone[tuple(np.argwhere(wrong)[0])] = 1
    return tuple(int(number) for number in np.argwhere(machine_of(alone))[0])


def unit_of(operand: Operand, layout: Layout, index: tuple[int, ...]) -> str:
    """Where an element lives: `L2B 0, L1B 1, MAB 0, PE 3, LM1 word 12`, or its DRAM group."""
    if operand.memory == "DRAM":
        group, long_word = _in_dram(operand)
        return tr("DRAM group {group}, long word {long_word}", group[index], long_word[index])
    units = ", ".join(f"{level} {int(layout.position(level)[index])}" for level in LEVELS)
    word = operand.address + 2 * int(layout.position("")[index]) + int(layout.position("W")[index])
    return tr("{units}, {memory} word {word}", units, operand.memory, word)


def error_of(wanted: Array, received: Array, wrong: NDArray[np.bool_]) -> Array:
    """The absolute error of every wrong element, inf where it is no number; 0 elsewhere."""
    with np.errstate(invalid="ignore", over="ignore"):
        error = np.abs(received.astype(np.float64) - wanted.astype(np.float64))
    return np.where(wrong, np.where(np.isnan(error), np.inf, np.maximum(error, np.finfo(float).tiny)), 0.0)


def value_text(value: Any) -> str:
    """An element as it is shown: bits of a word in hexadecimal, whole numbers and truth values, others in 9 digits."""
    if isinstance(value, np.uint32):
        return f"0x{int(value):08x}"
    return str(value.item()) if isinstance(value, np.bool_ | np.integer) else f"{float(value):.9g}"


def picture_of(wrong: NDArray[np.bool_], machine: Array) -> str:
    """A tensor and the machine beside their scales: `.` right, `o` partly wrong, `#` wrong. machine: as `over_machine`
    gives it."""
    size, count = "x".join(map(str, wrong.shape)), int(wrong.sum())
    lines = [
        tr(
            "the tensor {size} ({count} of {size2} elements wrong; # is wrong, o partly, . right):",
            size,
            count,
            wrong.size,
        )
    ]
    lines += [f"  {line}" for line in draw(wrong.reshape(-1, wrong.shape[-1]) if wrong.ndim > 1 else wrong[None, :])]
    if machine.ndim == 1:
        marks = "".join("#" if value else "." for value in machine)
        return "\n".join([*lines, tr("the DRAM groups 0 to 3: {marks}", marks)])
    blocks = machine.max(axis=(2, 3)) > 0
    lines += [tr("the machine, a row per L2B, a column per L1B:"), *(f"  {line}" for line in draw(blocks))]
    if blocks.any():
        l2b, l1b = (int(value) for value in np.argwhere(blocks)[0])
        lines += [tr("L2B {l_b}, L1B {l_b2}: a row per PE, a column per MAB:", l2b, l1b)]
        lines += [f"  {line}" for line in draw(machine[l2b, l1b].T > 0)]
    return "\n".join(lines)


def draw(wrong: NDArray[np.bool_]) -> list[str]:
    """A matrix of marks, at most ROWS lines of COLUMNS characters; one mark may stand for several elements."""
    rows = np.array_split(wrong, min(ROWS, wrong.shape[0]), axis=0)
    lines = []
    for row in rows:
        shares = [part.mean() for part in np.array_split(row, min(COLUMNS, wrong.shape[1]), axis=1)]
        lines.append("".join("." if share == 0 else "#" if share == 1 else "o" for share in shares))
    return lines


def lm_layout(operand: Operand, tag: str) -> Layout:
    """The layout that tells the units of an operand apart, also where it lies in DRAM."""
    return layout_of(tag) if operand.memory == "DRAM" else operand.layout
