"""Test cases in the judge's form (isa.md, section 3.2) with random values, for a kernel of which we have no other.

A prefix of `d set` and `r` lines puts the inputs into their places, a marker line stands for the answer, and `d get`
lines say what is expected in copy 0 of the output.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haribote.kernel import Op, Operand
from haribote.kernel_table import TILE, KernelRow
from haribote.layout import LEVELS
from haribote.problems.meaning import RELATIVE, meaning
from simulator.judge.verdict import MARKER

Array = NDArray[Any]

_LETTERS = {"L1B": "b", "MAB": "m", "PE": "p"}
_MEMORIES = {"LM0": "lm", "LM1": "ln", "DRAM": "d"}
MOST_READS = 512
"""Of a large output some places, chosen at random, must do."""


def judge_case(row: KernelRow, op: Op, seed: int = 0) -> str:
    """A test case for `op`; the same for the same seed."""
    rng = np.random.default_rng([seed, *row.name.encode()])
    inputs = values(row, op, rng)
    expected, allowed = meaning(row, inputs, float(op.attributes.get("constant", 1.0)))
    lines = [line for operand, array in zip(op.inputs, inputs, strict=True) for line in _setting(operand, array)]
    reads = list(_getting(op.output, expected, _tolerance(row, expected, allowed)))
    some = sorted(rng.choice(len(reads), MOST_READS, replace=False)) if len(reads) > MOST_READS else range(len(reads))
    return "\n".join([*lines, MARKER, *(reads[number] for number in some), ""])


def values(row: KernelRow, op: Op, rng: np.random.Generator) -> tuple[Array, ...]:
    """Values for the inputs of an operator: float32, labels int32; every element of a DL or UL is different."""
    if row.op == "OneHot":
        return (rng.integers(0, TILE, op.x.shape).astype(np.int32),)
    if row.op in ("DL", "UL"):
        return ((rng.permutation(prod(op.x.shape)) + 0.5).astype(np.float32).reshape(op.x.shape),)
    arrays = [rng.standard_normal(operand.shape).astype(np.float32) for operand in op.inputs]
    if row.op == "Div":
        arrays[1] = 1 + np.abs(arrays[1])
    return tuple(arrays)


def _tolerance(row: KernelRow, right: Array, allowed: Array) -> str:
    """What a file says about accuracy, for all its values; they are written as singles."""
    if not allowed.any():
        return ""
    rtol = RELATIVE.get(row.op, 0.0) + 2.0**-24
    atol = float(np.maximum(allowed - rtol * np.abs(right), 2.0**-126).max())
    return f" atol={atol:.6g} rtol={rtol:.6g}"


def _setting(operand: Operand, array: Array) -> Iterator[str]:
    """The lines that put an input into its place: `d set $lm0n0c0b0p0 2 …`, or `r 0 000000000 008 …` for DRAM."""
    for unit, address, elements in _runs(operand):
        words = array.reshape(-1).view(np.uint32)[elements]
        payload, count = "".join(f"{word:08X}" for word in words), len(words) // 2
        if operand.memory == "DRAM":
            yield f"r {unit} {address:09X} {count:03X} {payload}"
        else:
            yield f"d set ${_MEMORIES[operand.memory]}{address}{unit} {count} {payload}"


def _getting(operand: Operand, expected: Array, tolerance: str) -> Iterator[str]:
    """The lines that look at copy 0 of the output."""
    indices = list(np.ndindex(expected.shape))
    flat = expected.reshape(-1)
    for unit, address, elements in _runs(operand, copy_0=True):
        unit = f"n{unit}" if operand.memory == "DRAM" else unit
        shown = ", ".join(repr(float(np.float32(flat[element]))) for element in elements)
        where = ",".join(f"[{','.join(map(str, indices[element]))}]" for element in elements)
        head = f"d getd ${_MEMORIES[operand.memory]}{address}{unit} {len(elements) // 2}"
        yield f"{head} # expect=[{shown}] / Float @{where}{tolerance}"


def _runs(operand: Operand, copy_0: bool = False) -> Iterator[tuple[str, int, NDArray[np.int64]]]:
    """Unit, address, and the elements that lie there in long words one behind the other.

    unit: as in `d set`, levels without a number being all of them (copy_0: number 0); of DRAM the group. Elements are
    numbers in the flattened tensor, two per long word.
    """
    layout = operand.layout
    levels = {level: layout.position(level).ravel() for level in LEVELS}
    long_word = layout.position("").ravel()
    keys = [*levels.values(), long_word, layout.position("W").ravel()]
    order = np.lexsort(keys[::-1])
    keyed = np.stack(keys[:-1])[:, order]
    pairs = keyed[:, ::2]  # every long word has two elements, the high word first
    breaks = (np.diff(pairs[:-1], axis=1) != 0).any(axis=0) | (np.diff(pairs[-1]) != 1)
    for part in np.split(np.arange(pairs.shape[1]), np.flatnonzero(breaks) + 1):
        first = part[0]
        numbers = dict(zip(LEVELS, (int(number) for number in pairs[:-1, first]), strict=True))
        address = int(pairs[-1, first])
        elements = order[2 * first : 2 * (part[-1] + 1)]
        if operand.memory == "DRAM":
            yield str(numbers["L2B"] // 2), operand.address + address, elements
        else:
            yield _unit(numbers, operand, copy_0), operand.address + 2 * address, elements


def _unit(numbers: dict[str, int], operand: Operand, copy_0: bool) -> str:
    """`n0c1b3p2`: the unit's numbers, only of levels that the layout names unless copy 0 is meant."""
    text = f"n{numbers['L2B'] // 2}c{numbers['L2B'] % 2}" if copy_0 or operand.layout.names("L2B") else ""
    for level, letter in _LETTERS.items():
        if copy_0 or operand.layout.names(level):
            text += f"{letter}{numbers[level]}"
    return text
