"""The cases of a kernel: the train step's own values, edge values at the judge's addresses, random ones elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.rigs.poisoned import OTHER_POISON, POISON
from grader.rigs.step_values import step_values
from haribote.kernel import Memory, Op
from haribote.kernel_table import TILE, TILE_ROWS, KernelRow, problem
from haribote.network import BATCH, LEARNING_RATE
from haribote.problems.meaning import meaning, not_meant
from simulator.language import language_or_english
from simulator.messages import tr

Array = NDArray[Any]

BOTH = (POISON, OTHER_POISON)


@dataclass(frozen=True, eq=False)
class Case:
    """An operator in its place with values for its inputs.

    moved: not at the addresses of the problem set. only_copy_0: inputs in LM are in copy 0 alone, as a UL finds them.
    poisons: the kinds of junk (`grader.rigs.poisoned`) that are in the memories, one after the other. The cases at the
    problem set's addresses have the same text, so that there it is enough that all of them together have both.
    counted: its cost is compared with par, which speaks of the row's own layouts.
    """

    name: str
    row: KernelRow
    op: Op
    arrays: tuple[Array, ...]
    moved: bool = False
    only_copy_0: bool = False
    poisons: tuple[int, ...] = (POISON,)
    counted: bool = True

    @property
    def constant(self) -> float:
        """Of a scaling."""
        return float(self.op.attributes.get("constant", 1.0))

    @cached_property
    def meaning(self) -> tuple[Array, Array]:
        """The right result and the largest error allowed, as in `haribote.problems.meaning`."""
        return meaning(self.row, self.arrays, self.constant)

    def wrong(self, received: Array) -> Array:
        """Which elements of a result are not right: other bits after DL and UL, elsewhere further off than allowed."""
        return not_meant(self.row, self.meaning, received)


@dataclass(frozen=True)
class Addresses:
    """Addresses of the first input and of the output, and their memories; a memory in DRAM stays there."""

    inputs: int
    output: int
    input_memory: Memory = "LM0"
    output_memory: Memory = "LM1"


# Other places that the contracts allow, by task; DRAM addresses are multiples of 64.
_TRANSFER = (Addresses(64, 4, "LM1", "LM1"), Addresses(4096, 1228, "LM0", "LM0"))
_ACROSS = (Addresses(4, 1228), Addresses(2052, 12, "LM1", "LM0"))
_ANY_OUTPUT = (Addresses(4, 1228), Addresses(8, 2052, "LM0", "LM0"))
_FROM_EITHER = (Addresses(4, 64), Addresses(1228, 4096, "LM1"))
_PLACES: dict[str, tuple[Addresses, ...]] = {
    **dict.fromkeys(("5.12", "5.13", "5.14", "5.15", "5.16", "5.18", "5.24"), _ACROSS),
    **dict.fromkeys(("5.19", "5.20", "5.21", "5.22", "5.23", "5.25"), _ANY_OUTPUT),
    "5.27": _FROM_EITHER,
    **dict.fromkeys(("5.33", "5.34"), _FROM_EITHER[1:]),  # the largest: one place, so that the answer comes quickly
    "5.26": (Addresses(4, 1228),),
    "5.28": (Addresses(4, 64), Addresses(1228, 4096)),
}

# Other layouts that the contracts promise: of the inputs, and of the output.
_OTHER_LAYOUTS: dict[str, tuple[tuple[str, ...], str]] = {
    **dict.fromkeys(("5.12", "5.24"), (("16",), "16")),
    "5.13": (("16x1024",), "16x1024"),
    "5.14": (("16x1024", "16x1024"), "16x1024"),
    "5.16": (("256x16.P", "16"), "256x16.P"),
}


def kernel_cases(row: KernelRow, seed: int) -> tuple[Case, ...]:
    """All cases of a row, those that show a mistake most clearly first."""
    return _known_cases(row, seed, language_or_english())


@lru_cache(maxsize=32)  # the rows of a generator: with the next answer they are asked for again
def _known_cases(row: KernelRow, seed: int, language: str) -> tuple[Case, ...]:
    return tuple(_made_cases(row, seed))


def _made_cases(row: KernelRow, seed: int) -> Iterator[Case]:
    rng = np.random.default_rng([seed, *row.name.encode()])
    constant = {"scale_256x16_a": 1 / BATCH}.get(row.name, LEARNING_RATE)
    op = problem(row, constant)
    transfer, up = row.op in ("DL", "UL"), row.op == "UL"
    different = (distinct(rng, op.x.shape),) if transfer else distinct_numbers(row, op, rng)
    yield Case(tr("every element different"), row, op, different, only_copy_0=up)
    yield Case(tr("the train step"), row, op, step_values(seed)[row.name], poisons=(OTHER_POISON,))
    name, judged = tr("edge values, the judge's layout"), op
    if up:
        judged = _at(op, Addresses(0, 0, "LM0", op.output.memory))
    yield Case(name, row, judged, _edge(row, op, rng), moved=up, only_copy_0=up or row.task == "5.27")
    for place in places(row):
        arrays = (distinct(rng, op.x.shape),) if transfer else _random(row, op, rng)
        moved = _at(op, place if place != places(row)[-1] else _drawn(op, place, rng))
        sources, target = described_places(moved)
        name = tr("random values, {sources} -> {target}", sources, target)
        yield Case(name, row, moved, arrays, moved=True, poisons=BOTH)
    if row.task in _OTHER_LAYOUTS:
        yield _in_other_layout(row, rng)


def _in_other_layout(row: KernelRow, rng: np.random.Generator) -> Case:
    """The operator on operands of another layout that its contract promises."""
    inputs, output = _OTHER_LAYOUTS[row.task]
    other = replace(row, inputs=inputs, output=output)
    op = _at(problem(other), Addresses(4, 1228))
    name = tr("random values, layout {output}, {words} words per PE", output, op.x.words)
    return Case(name, other, op, _random(other, op, rng), moved=True, poisons=BOTH, counted=False)


def places(row: KernelRow) -> tuple[Addresses, ...]:
    """Where else the contract lets a kernel's operands be."""
    if row.op == "UL":
        return (Addresses(4, 64, "LM1"), Addresses(1228, 4096, "LM0"))
    return _TRANSFER if row.op == "DL" else _PLACES[row.task]


def described_places(op: Op) -> tuple[str, str]:
    """Where the operands are, `LM0 word 4, LM0 word 20`, and where the output, `LM1 word 1228`."""
    at = {"LM0": tr("LM0 word {address}"), "LM1": tr("LM1 word {address}"), "DRAM": tr("DRAM long word {address}")}
    names = [at[operand.memory].format(address=operand.address) for operand in (*op.inputs, op.output)]
    return ", ".join(names[:-1]), names[-1]


def _drawn(op: Op, place: Addresses, rng: np.random.Generator) -> Addresses:
    """The place, a little further on: no answer can have been made for the addresses that a seed gives."""
    steps = [64 if operand.memory == "DRAM" else 4 for operand in (op.x, op.output)]
    inputs, output = (step * int(rng.integers(1, 32)) for step in steps)
    return replace(place, inputs=place.inputs + inputs, output=place.output + output)


def _at(op: Op, place: Addresses) -> Op:
    inputs = tuple(
        replace(o, address=o.address + place.inputs, memory=o.memory if o.memory == "DRAM" else place.input_memory)
        for o in op.inputs
    )
    memory = "DRAM" if op.output.memory == "DRAM" else place.output_memory
    return Op(op.kind, inputs, replace(op.output, address=place.output, memory=memory), op.attributes)


def distinct(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Every element has its own bits, special values of single precision among them."""
    bits = rng.permutation(np.arange(1, prod(shape) + 1, dtype=np.uint32) * np.uint32(2654435761))
    special = [0x80000000, 0x00000001, 0x7F800000, 0xFF800000, 0x7FC00001, 0x807FFFFF, 0xFFFFFFFF]
    bits[: len(special)] = special
    return bits.reshape(shape).view(np.float32)


def distinct_numbers(row: KernelRow, op: Op, rng: np.random.Generator) -> tuple[Array, ...]:
    """Ordinary numbers of both signs, no two of an operand the same, so that no exchange of elements goes unseen.

    Labels are as different as 16 values can be.
    """
    if row.op == "OneHot":
        return (rng.permutation(np.arange(prod(op.x.shape), dtype=np.int32) % 16).reshape(op.x.shape),)
    return tuple(_different(rng, operand.shape) for operand in op.inputs)


def _different(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Numbers between 1/2 and 3 in size, evenly spaced, in random order, every other one negative."""
    sizes = np.linspace(0.5, 3.0, prod(shape)) * np.where(np.arange(prod(shape)) % 2, -1, 1)
    return rng.permutation(sizes).astype(np.float32).reshape(shape)


def _random(row: KernelRow, op: Op, rng: np.random.Generator) -> tuple[Array, ...]:
    if row.op == "OneHot":
        return (rng.integers(0, 16, op.x.shape).astype(np.int32),)
    if row.op == "Gemm":  # what a pseudo-single of 18 bits cuts off adds up here, since it has always the same sign
        return tuple((1 + (rng.integers(0, 100, o.shape) + 0.45) * 2.0**-17).astype(np.float32) for o in op.inputs)
    arrays = [rng.standard_normal(operand.shape).astype(np.float32) for operand in op.inputs]
    if row.op == "Div":
        arrays[1] = np.where(np.abs(arrays[1]) < 0.1, np.float32(3), arrays[1])
    return tuple(arrays)


def _edge(row: KernelRow, op: Op, rng: np.random.Generator) -> tuple[Array, ...]:
    """Values at which kernels go wrong: zeros of both signs, ties, large and small numbers, labels outside."""
    if row.op in ("DL", "UL"):
        return ((np.arange(prod(op.x.shape), dtype=np.int32).reshape(op.x.shape) - 3).view(np.float32),)
    if row.op == "OneHot":
        labels = np.arange(TILE_ROWS, dtype=np.int32) % TILE
        labels[:8] = [-1, 16, 17, 1000, -16, 2**31 - 1, -(2**31), 15]
        return (labels,)
    if row.op == "Gemm":
        return tuple(rng.integers(-8, 9, operand.shape).astype(np.float32) for operand in op.inputs)
    if row.op == "Exp":
        x = rng.uniform(-80, 80, op.x.shape).astype(np.float32)
        x.reshape(-1)[:12] = [0, -0.0, 80, -80, -200, -1e4, 1e-30, 1, 88, 89, 1e3, np.inf]
        return (x,)
    if row.op == "Div":
        v = rng.choice(np.array([1, -1, 2.0**40, -(2.0**-40), 3, 1e10], np.float32), (TILE_ROWS,))
        x = v[:, None] * rng.choice(np.array([0, 1, -1, 0.3, 1000], np.float32), op.x.shape)
        return x.astype(np.float32), v
    if row.op == "ReduceMax":
        x = -np.abs(rng.standard_normal(op.x.shape).astype(np.float32)) * np.float32(100)
        x[:4] = [[-1e30] * 16, [1e30] * 16, [-2.5] * 16, [*[-7.0] * 15, -6.5]]
        x[4:7, 3], x[7] = [np.inf, -np.inf, np.inf], -np.inf
        return (x,)
    large = 1e30 if row.op in ("Relu", "GreaterCast", "Add", "Sub") else 1e3
    tiny = 1e-40 if row.op == "GreaterCast" else 1e-30  # too small to be anything but zero on the machine
    choice = np.array([0.0, -0.0, 1.5, -1.5, large, -large, tiny, -tiny, 2.25, -3.75], np.float32)
    return tuple(rng.choice(choice, operand.shape) for operand in op.inputs)
