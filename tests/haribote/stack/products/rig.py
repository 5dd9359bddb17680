"""Running a product on the machine: operands laid out by their maps amid junk, results with their parts added up."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from benchmarks.moved import PE_WEIGHT, places_of
from haribote.stack.code import GRF, LM, Code
from haribote.stack.maps import COPY, NOTHING, PART, UNITS, Bit, BitMap
from haribote.stack.places import BANKS, Place
from haribote.stack.products import Core, emit, halve
from simulator import Machine, assemble
from simulator.assembly.checks import check, fix_nops

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Words = NDArray[np.uint32]


def program(lines: Sequence[str]) -> str:
    """Lines with the nops between them that they need; no warning is left."""
    text = fix_nops(assemble("\n".join(lines)))
    assert check(assemble(text)) == [], check(assemble(text))[0]
    return text


class Rig:
    """A machine full of junk, and the room that a program may use."""

    def __init__(self, seed: int = 0, engine: str = "native") -> None:
        self.random = np.random.default_rng(seed)
        self.machine = Machine(engine)
        for bank in BANKS:
            memory = getattr(self.machine, bank.lower())
            memory[:] = self.random.integers(1, 1 << 32, memory.shape, np.uint32)
        self.machine.l1bm[:] = self.random.integers(1, 1 << 63, self.machine.l1bm.shape, np.uint64)
        self.code = Code()

    def place(self, found: BitMap, bank: str) -> Place:
        if found.memory == "L1BM":
            return Place("L1BM", 128, found)
        slot = self.code.take(-(-2 * found.longs // 4) * 4, (bank,))
        return Place(slot.bank, slot.address, found)

    def store(self, place: Place, padded: Words) -> None:
        """padded: of the map's shape filled up to powers of two."""
        units, words = places_of(place.map.padded)
        getattr(self.machine, place.memory.lower())[place.address + words, units] = padded.ravel()

    def load(self, place: Place) -> list[Doubles]:
        """Every copy of the result, parts added up."""
        found = place.map
        parts = [bit for bit, carry in found.carries if carry == PART]
        bare = BitMap.of(found.memory, found.shape, {b: NOTHING if c == PART else c for b, c in found.carries})
        units, words = places_of(bare)
        total = np.zeros(units.shape, np.float64)
        for values in product(range(2), repeat=len(parts)):
            unit, word = units.copy(), words.copy()
            for bit, value in zip(parts, values, strict=True):
                unit += value * self._step(found, bit)
                word += value * {"W": 1, "address": 2 << bit.number}.get(bit.level, 0)
            total += self._words(place, unit, word)
        return [copy.reshape(found.shape) for copy in total]

    @staticmethod
    def _step(found: BitMap, bit: Bit) -> int:
        if bit.level not in UNITS[found.memory]:
            return 0
        least = min(PE_WEIGHT[level] for level in UNITS[found.memory])
        return (PE_WEIGHT[bit.level] << bit.number) // least

    def _words(self, place: Place, unit: NDArray[np.int64], word: NDArray[np.int64]) -> Doubles:
        if place.memory in BANKS:
            words = getattr(self.machine, place.memory.lower())[place.address + word, unit]
        else:
            longs = self.machine.l1bm.reshape(-1, self.machine.l1bm.shape[-1])[unit, place.address + word // 2]
            words = np.where(word % 2 == 0, longs >> np.uint64(32), longs & np.uint64(0xFFFFFFFF)).astype(np.uint32)
        return np.ascontiguousarray(words).view(np.float32).astype(np.float64)

    def run(self) -> int:
        """Setup and step; what was taken in banks (but targets) must not change. Returns the steps."""
        self.machine.run(assemble(program([*self.code.setup, "nop/3"])))
        return self.machine.run(assemble(program(self.code.lines))).steps

    def kept(self) -> dict[str, NDArray[np.bool_]]:
        """For each bank the words that are taken."""
        found = {}
        for bank in (*GRF, *LM):
            taken = np.ones(len(getattr(self.machine, bank.lower())), np.bool_)
            for start, end in self.code._free[bank]:
                taken[start:end] = False
            found[bank] = taken
        return found


def operand(random: np.random.Generator, found: BitMap, letters: str, out: str) -> tuple[Floats, Words]:
    """Random singles, and the same amid padding: zeros along what is summed over, junk along the rest."""
    values = random.standard_normal(found.shape).astype(np.float32)
    wide = random.integers(1, 1 << 32, found.padded.shape, np.uint32)
    for axis, letter in enumerate(letters):
        if letter not in out:
            beyond = [slice(None)] * wide.ndim
            beyond[axis] = slice(found.shape[axis], None)
            wide[tuple(beyond)] = 0
    wide[tuple(slice(size) for size in found.shape)] = values.view(np.uint32)
    return values, wide


def run_core(
    core: Core,
    homes: tuple[Sequence[str], Sequence[str]],
    target: Sequence[str],
    seed: int = 0,
    engine: str = "native",
    full: Sequence[str] = (),
    halves: Sequence[str] = (),
) -> int:
    """A product on the machine compared with float64; returns the steps without any scheduling. full: banks of which
    nothing is left. halves: those of the halves of `b`, which are then made first."""
    rig = Rig(seed, engine)
    letters = core.spec.a, core.spec.b
    values, places = [], []
    for found, own, banks in zip((core.a, core.b), letters, homes, strict=True):
        array, wide = operand(rig.random, found, own, core.spec.out)
        values.append(array)
        places.append([rig.place(found, bank) for bank in banks])
        for place in places[-1]:
            rig.store(place, wide)
    result = core.target if target[0] in BANKS else core.target_above
    assert result is not None
    taken = rig.kept()
    before = {bank: getattr(rig.machine, bank.lower()).copy() for bank in taken}
    goals = [rig.place(result, bank) for bank in target]
    for bank in full:
        while rig.code.largest(bank):
            rig.code.take(rig.code.largest(bank), (bank,))
    parts = [[rig.place(core.b, bank)] for bank in halves]
    if parts:
        halve(rig.code, places[1], *parts)
    emit(rig.code, core, places[0], places[1], goals, parts or None)
    steps = rig.run()
    for bank, mask in taken.items():
        assert np.array_equal(getattr(rig.machine, bank.lower())[mask], before[bank][mask]), f"{bank} has changed"
    exact = np.einsum(str(core.spec), *(array.astype(np.float64) for array in values))
    for goal in goals:
        copies = rig.load(goal)
        assert copies
        for found in copies:
            assert np.max(np.abs(found - exact), initial=0) <= bound(core, *values), (core, goal)
    return steps


def bound(core: Core, a: Floats, b: Floats) -> float:
    """What a result may differ: the split singles' rest, and the rounding of sums."""
    size = core.spec.size
    terms = int(np.prod([size[letter] for letter in core.spec.summed]))
    sums = float(np.max(np.einsum(str(core.spec), np.abs(a).astype(np.float64), np.abs(b).astype(np.float64))))
    largest = float(np.max(np.abs(a))) * float(np.max(np.abs(b)))
    if core.precision == "float":
        return terms * 2.0**-33 * largest + 8 * 2.0**-24 * sums
    return terms * {"pseudo": 2.0**-17, "half": 2.0**-8}[core.precision] * largest + 8 * 2.0**-24 * sums


__all__ = ["COPY", "Rig", "bound", "operand", "program", "run_core"]
