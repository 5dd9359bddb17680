"""Reductions over L1Bs, MABs and L2Bs (isa.md, sections 6, 7, 8 and 11.5).

Letters: "d", "f", "h" for the operations fadd, max, min; "l", "i", "s" (64, 32, 16 bit integers) for iadd, band, bor,
and, or. The L1BM sums halves on its single circuit: letter "f" with `widen` and `narrow`.
"""

from __future__ import annotations

from math import prod

import numpy as np

from simulator.engine.numbers.formats import (
    FORMATS,
    NARROWER,
    Bits,
    Format,
    exponent_field,
    in_order,
    narrow,
    significand,
    widen,
)
from simulator.engine.numbers.rounding import round_integers, shift_right
from simulator.messages import tr

GUARD_BITS = 3  # zeros appended to a significand before it is shifted to the largest exponent
WIDTHS = {"d": 64, "f": 32, "h": 16, "l": 64, "i": 32, "s": 16}

_STAGES = {("PE", 16): (4, 4), ("L2BM", 8): (2, 4)}
"""Sums in more than one stage. [A] MABs 4q to 4q+3 share a first stage, and the two L2Bs of a group."""


def stages_of(memory: str, inputs: int) -> tuple[int, ...]:
    """How many inputs from PEs, L1BMs or L2BMs a floating-point sum adds at a time, rounding after each stage.

    A stage takes neighbouring inputs; all at once but for the cases of section 11.5.
    """
    return _STAGES.get((memory, inputs), (inputs,))


def reduce(
    op: str, letter: str, values: Bits, stages: tuple[int, ...], *, widening: bool = False, narrowing: bool = False
) -> Bits:
    """Reduce values[inputs, ...] (bit patterns of `letter`'s width) over its first axis.

    stages: inputs per stage; their product is the number of inputs (else ValueError). Only fadd depends on it.
    widening: values are one precision lower and are widened first (suffix `e`). narrowing: the result is one precision
    lower (suffix `r`); a sum is rounded to it directly in the last stage, max and min are narrowed at the end.
    """
    if prod(stages) != values.shape[0]:
        raise ValueError(
            tr("stages {stages} reduce {stages2} inputs, but there are {shape}", stages, prod(stages), values.shape[0])
        )
    if letter not in FORMATS:
        return _reduce_integers(op, values)
    fmt = FORMATS[letter]
    if widening:
        source = NARROWER[letter]
        values = widen(values, source, fmt)
    output = NARROWER[letter] if narrowing else fmt
    if op == "fadd":
        for number, inputs in enumerate(stages, start=1):
            groups = values.reshape(-1, inputs, *values.shape[1:])
            values = _sum_stage(groups, fmt, output if number == len(stages) else fmt)
        return np.asarray(values[0])
    choose = np.max if op == "max" else np.min
    chosen = choose(in_order(values, fmt), axis=0)
    result: Bits = in_order(chosen.view(fmt.dtype), fmt).view(fmt.dtype)
    return narrow(result, fmt, output) if narrowing else result


def initial_value(op: str, letter: str) -> int:
    """What an input that takes no part contributes, as a bit pattern (isa.md, section 6)."""
    ones = (1 << WIDTHS[letter]) - 1
    return {"max": ones, "band": ones, "and": ones, "min": ones >> 1}.get(op, 0)


def _sum_stage(values: Bits, fmt: Format, output: Format) -> Bits:
    """The sums over axis 1: each input is rounded to the largest exponent, then the sum to the output precision.

    [A] An all-ones exponent is an ordinary large one, as in the MAU.
    """
    exponent = exponent_field(values, fmt).astype(np.int64)
    largest = exponent.max(axis=1, keepdims=True)
    aligned = shift_right(significand(values, fmt) << GUARD_BITS, np.minimum(largest - exponent, 62))
    sums = np.where(values & fmt.sign, -aligned, aligned).sum(axis=1)
    return round_integers(sums, largest[:, 0] - (fmt.bias + fmt.fraction_bits + GUARD_BITS), output)


def _reduce_integers(op: str, values: Bits) -> Bits:
    """iadd wraps around; band and bor are bitwise; and and or are logical on whole elements and give 0 or 1."""
    if op == "iadd":
        return np.asarray(values.sum(axis=0, dtype=values.dtype))
    if op in ("band", "bor"):
        return np.asarray((np.bitwise_and if op == "band" else np.bitwise_or).reduce(values, axis=0))
    return np.asarray(((values != 0).all(axis=0) if op == "and" else (values != 0).any(axis=0)).astype(values.dtype))
