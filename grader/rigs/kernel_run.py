"""Run a kernel's text on the machine: operands in their places, junk everywhere else (`grader.rigs.poisoned`)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from grader.rigs.kernel_cases import Case
from grader.rigs.poisoned import POISON
from grader.rigs.rig import DramTensor, Free, Given, Inputs, Left, Room, Words, results, run
from haribote.errors import HariboteError
from haribote.kernel import Op, Operand
from haribote.layout import LEVELS, PE_STRIDE, Layout
from simulator.effects.places import Place as Word
from simulator.isa import LM_WORDS
from simulator.isa.program import Program
from simulator.messages import tr

Array = NDArray[Any]
Ints = NDArray[np.int64]
Scratch = tuple[str, int, int]
"""What `op.scratch` gave: memory, first word, words."""

DRAM_UNIT = 64
"""Long words: what one MV moves at least. The rest of the last such block of a tensor in DRAM belongs to it too."""


@dataclass(frozen=True, eq=False)
class KernelOutcome:
    """What a run left: the output tensor (of copy 0, or in DRAM), wrong copies, words that it should not have written.

    others: the copies that differ from copy 0. stray: as text, at most one; stray_at, stray_bits: as in `Left`.
    """

    output: Array
    others: tuple[Array, ...]
    stray: str
    stray_at: Word | None = None
    stray_bits: int = 0


def run_case(case: Case, program: Program, poison: int = POISON, scratch: tuple[Scratch, ...] = ()) -> KernelOutcome:
    """Run a program on a case. scratch: what `op.scratch` gave. Raises ExecutionError."""
    output = case.op.output
    left: Left = run(program, inputs_of(case), (place_of(output),), free_words(case, scratch), poison)
    found, *others = (
        bits.view(output.dtype).reshape(output.shape) for bits in (left.outputs[0], *left.others[0].copies)
    )
    return KernelOutcome(found, tuple(others), left.stray, left.stray_at, left.stray_bits)


def result_of(case: Case, program: Program, poison: int = POISON) -> Array:
    """The output tensor alone. Raises ExecutionError."""
    output = case.op.output
    (bits,) = results(program, inputs_of(case), (place_of(output),), poison)
    return bits.view(output.dtype).reshape(output.shape)


def inputs_of(case: Case) -> Inputs:
    """Where the inputs are, with the names of the operands and their bits."""
    return tuple(
        Given(operand.name, place_of(operand, case.only_copy_0), array.view(np.uint32))
        for operand, array in zip(case.op.inputs, case.arrays, strict=True)
    )


def place_of(operand: Operand, only_copy_0: bool = False) -> Words | DramTensor:
    """Where an operand is, of its shape."""
    if operand.memory == "DRAM":
        return DramTensor(operand.address, operand.shape)
    return _in_lm(operand.memory, operand.address, operand.layout, only_copy_0)


@lru_cache(maxsize=32)
def _in_lm(memory: Literal["LM0", "LM1"], address: int, layout: Layout, only_copy_0: bool) -> Words:
    word, pe, copies = _words(layout)
    return Words(memory, address + word, pe, (0,) if only_copy_0 else copies)


@lru_cache(maxsize=32)
def _words(layout: Layout) -> tuple[Ints, Ints, tuple[int, ...]]:
    """Word and PE of copy 0 of every element, and how far away in PEs the copies are."""
    word = 2 * layout.position("") + layout.position("W")
    pe = sum((layout.position(level) * PE_STRIDE[level] for level in LEVELS), np.zeros(layout.shape, np.int64))
    copies = [0]
    for level, stride in PE_STRIDE.items():
        if not layout.names(level):
            copies = [first + number * stride for first in copies for number in range(LEVELS[level])]
    return word, pe, tuple(copies)


def free_words(case: Case, scratch: tuple[Scratch, ...] = ()) -> tuple[Free, ...]:
    """What the contract lets a kernel change: its output, and of LM what it says is free or `op.scratch` gave.

    Raises HariboteError for scratch that `op.scratch` cannot have given.
    """
    op, row = case.op, case.row
    words = op.output.words
    own = Room(
        op.output.memory, op.output.address, -(-words // DRAM_UNIT) * DRAM_UNIT if _in_dram(op.output) else words
    )
    if row.room is None:
        return (own,)
    for memory, first, count in scratch:
        behind = max((o.address + o.words for o in op.inputs if o.memory == memory), default=0)
        if memory not in ("LM0", "LM1") or not behind <= first <= first + count <= LM_WORDS:
            raise HariboteError(
                tr("{count} words of scratch at word {first} of {memory} are not free", count, first, memory)
            )
    held = {operand.memory for operand in op.inputs}
    promised = "LM1" if row.task == "5.34" and held == {"LM0"} else "LM0"
    return (
        own,
        Room(promised, _end(op, promised), row.room),
        *(Room(memory, first, count) for memory, first, count in scratch),
    )


def _end(op: Op, memory: str) -> int:
    """The first word of a local memory behind all operands."""
    return max((o.address + o.words for o in (*op.inputs, op.output) if o.memory == memory), default=0)


def _in_dram(operand: Operand) -> bool:
    return operand.memory == "DRAM"
