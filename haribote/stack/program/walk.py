"""The walk: a program is run action by action, and at every use all copies of all values are compared with the meaning.

A layout that is right only for the copies that happen to be read shows here, and a word of a value that something else
has overwritten. What each word must be comes from the graph's reference evaluator and from `contents`; neither the
planner nor an emitter has a part in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haribote.chip.session import Array
from haribote.graph import Index, evaluate
from haribote.stack.places import BANKS, Place
from haribote.stack.plan import Become, Half, Version
from haribote.stack.planner.facts import FAR_BELOW
from haribote.stack.products.core import NEAR
from haribote.stack.products.pairs import rounded
from haribote.stack.program.builder import Built, kept
from haribote.stack.program.contents import ANYTHING, contents, parts_of
from haribote.stack.program.emitters import Places
from haribote.stack.program.session import session_of
from haribote.stack.program.work import reads, writes
from simulator import Machine, assemble, isa
from simulator.messages import tr

TOLERANCE = 1e-4
"""Largest difference of a float, as a share of the largest absolute value of its tensor."""

REST = 1e-6
"""The same for pseudo-singles, two of which together are exact."""
BLOCK_STEP = 2.0**-17
"""The most that rounding to a pseudo-single changes of a value, as the same share."""
JUNK_LONGS = 1 << 16
"""Of the DRAM of a group, which `junk` fills: it holds the rooms of small programs, which are what has padding."""


@dataclass(frozen=True)
class Wrong:
    """Words of a version that are not what they must be. when: before or after an action, by its number in the program.

    word: of its room, counted from the place's address.
    """

    action: int
    when: str
    version: Version
    place: Place
    count: int
    of: int
    unit: int
    word: int
    got: float
    wanted: float

    def __str__(self) -> str:
        name = tr("{value} in {memory} at {address}", self.version, self.place.memory, self.place.address)
        first = tr(
            "the first is word {word} of unit {unit}: {got:.9g}, wanted {wanted:.9g}",
            self.word,
            self.unit,
            self.got,
            self.wanted,
        )
        return tr(
            "{when} action {action}: {count} of {of} words of {name} are wrong; {first}",
            self.when,
            self.action,
            self.count,
            self.of,
            name,
            first,
        )


@dataclass(frozen=True)
class Walk:
    """wrong: what was found; words: how many were compared; unknown: values that the graph does not name, which could
    not be compared.
    """

    wrong: tuple[Wrong, ...]
    words: int
    unknown: tuple[str, ...]

    def __str__(self) -> str:
        head = tr("{words:,} words compared, {wrong} findings", self.words, len(self.wrong))
        missing = tr("; not compared: {unknown}", ", ".join(self.unknown)) if self.unknown else ""
        return "\n".join([head + missing, *map(str, self.wrong)])


def walk(built: Built, feeds: Mapping[str, Array], tolerance: float = TOLERANCE, engine: str = "native") -> Walk:
    """Run a built plan on the graph's inputs, junk in all other words, and compare."""
    return _Walker(built, feeds, tolerance, engine).walked()


class _Walker:
    def __init__(self, built: Built, feeds: Mapping[str, Array], tolerance: float, engine: str) -> None:
        self.built, self.tolerance = built, tolerance
        halves = {port.name for port in built.executable.inputs if port.half}
        shape = Index(built.plan.graph).shape
        feeds = {name: value.reshape(shape[name]) for name, value in feeds.items()}  # some of its axes may be one
        stored = {name: rounded(value) if name in halves else value for name, value in feeds.items()}
        self.expected = evaluate(built.plan.graph, stored, every_value=True)
        self.machine = Machine(engine)
        junk(self.machine)
        session = session_of(built.executable, self.machine)
        for name, value in feeds.items():
            session.write_whole(name, value)
        self.words, self.unknown = 0, dict[str, None]()
        self.rounded: dict[tuple[str, tuple[int, ...]], Array] = {}  # by value and by what its blocks are of

    def walked(self) -> Walk:
        wrong: list[Wrong] = []
        for number, piece in enumerate(self.built.pieces):
            wrong += self._compare(number, "before", piece.places, tuple(reads(piece.action)))
            if piece.lines:
                self.machine.run(assemble("\n".join(piece.lines)))
            if isinstance(piece.action, Become):
                name = piece.action.parameter.value
                self.expected[name] = self.expected[piece.action.source.value]
                self.rounded = {near: value for near, value in self.rounded.items() if near[0] != name}
            wrong += self._compare(number, "after", piece.places, tuple(writes(piece.action)))
        wrong += self._compare(len(self.built.pieces), "before", self.built.homes, self.built.plan.resident)
        return Walk(tuple(wrong), self.words, tuple(self.unknown))

    def _compare(
        self, number: int, when: str, places: Mapping[Version, Places], versions: tuple[Version, ...]
    ) -> Iterator[Wrong]:
        for version in dict.fromkeys(versions):
            if version.value not in self.expected:
                self.unknown[version.value] = None
                continue
            for place in places.get(version, ()):
                found = self._wrong(number, when, version, place)
                if found is not None:
                    yield found

    def _wrong(self, number: int, when: str, version: Version, place: Place) -> Wrong | None:
        value = self.expected[version.value]
        table = contents(version.map, version.split, value.shape)
        words = self._words(place, table.shape[1])
        with np.errstate(invalid="ignore", over="ignore"):
            got = _numbers(words, value.dtype, isinstance(version, Half))
            wanted = value.astype(np.float64).ravel()
            scale = np.abs(wanted[np.isfinite(wanted)]).max(initial=0.0)
            if isinstance(version, Half):
                wanted = self._part(version, wanted, scale * BLOCK_STEP, got, table)
            got, table = _joined(got, table, version)
        count, wanted = wanted.size, np.append(wanted, version.fill or 0.0)
        checked = table != ANYTHING
        if version.fill is None:
            checked &= table != count
        self.words += int(checked.sum())
        close = REST if isinstance(version, Half) else self.tolerance
        bad = checked & ~np.isclose(got, wanted[table], rtol=1e-6, atol=close * scale)
        if version.fill == FAR_BELOW:  # so low that its exponential is 0: whatever is lower is as good
            bad &= ~((table == count) & (got <= FAR_BELOW))
        if not bad.any():
            return None
        unit, word = (int(n) for n in np.argwhere(bad)[0])
        first = float(got[unit, word]), float(wanted[table[unit, word]])
        return Wrong(number, when, version, place, int(bad.sum()), int(checked.sum()), unit, word, *first)

    def _part(
        self, half: Half, value: NDArray[np.float64], step: float, got: NDArray[np.float64], table: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """What one of the pseudo-singles of a value must be: the first copy of what is rounded says how that was done.
        step: the most that rounding may change."""
        near = half.value, tuple(half.map[bit] for bit in NEAR)
        if near not in self.rounded:
            self.rounded[near] = _first(got, table, value.size)
        rounded = self.rounded[near]
        if half.part == "rest":
            return value - rounded
        return np.where(np.abs(rounded - value) <= step, rounded, value)

    def _words(self, place: Place, count: int) -> NDArray[np.uint32]:
        if place.memory == "DRAM":
            longs = np.stack([below.read(place.address, count // 2) for below in self.machine.dram])
            return longs.astype(">u8").view(">u4").astype(np.uint32)
        assert place.memory in BANKS
        memory = getattr(self.machine, place.memory.lower())
        return np.ascontiguousarray(memory[place.address : place.address + count].T)


def _numbers(words: NDArray[np.uint32], dtype: np.dtype[Any], halves: bool) -> NDArray[np.float64]:
    """Words as numbers. halves: block floats, which have no hidden bit (isa.md, section 11.3)."""
    if halves:
        sign, exponent, mantissa = words >> 31, words >> 23 & 0xFF, words & 0x7FFFFF
        return np.where(sign, -1.0, 1.0) * np.ldexp(mantissa.astype(np.float64), exponent.astype(np.int32) - 149)
    return words.view(np.float32 if dtype.kind == "f" else np.int32).astype(np.float64)


def _first(got: NDArray[np.float64], table: NDArray[np.int64], count: int) -> NDArray[np.float64]:
    """One copy of each of the first elements."""
    found = np.zeros(count)
    mine = (table >= 0) & (table < count)
    found[table[mine]] = got[mine]
    return found


def _joined(got: NDArray[Any], table: NDArray[np.int64], version: Version) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Parts added up in the unit and the word where their bits are 0; the others are not looked at."""
    units, words = parts_of(version.map)
    if not units and not words:
        return got, table
    to_unit = np.arange(got.shape[0])[:, None] & ~units
    to_word = np.arange(got.shape[1])[None, :] & ~words
    total = np.zeros_like(got)
    np.add.at(total, (to_unit, to_word), got)
    first = (to_unit == np.arange(got.shape[0])[:, None]) & (to_word == np.arange(got.shape[1])[None, :])
    return total, np.where(first, table, ANYTHING)


def junk(machine: Machine, seed: int = 0) -> None:
    """Random words in all memories on the chip and where DRAM begins, which a program must not take for anything."""
    random = np.random.default_rng(seed)
    for name in ("lm0", "lm1", "grf0", "grf1", "t", "mx", "my"):
        memory = getattr(machine, name)
        memory[...] = random.integers(1, 1 << 32, memory.shape, np.uint32)
    for name in ("l1bm", "l2bm"):
        memory = getattr(machine, name)
        memory[...] = random.integers(1, 1 << 63, memory.shape, np.uint64)
    machine.pdm[:, : 1 << 15] = random.integers(1, 1 << 63, (len(machine.pdm), 1 << 15), np.uint64)
    for below in machine.dram:
        below.write(0, random.integers(1, 1 << 63, JUNK_LONGS, np.uint64))
    machine.omr[1:16] = random.integers(0, 2, machine.omr[1:16].shape).astype(np.bool_)


def difference(built: Built, runs: int = 2, engine: str = "native", seed: int = 1) -> str:
    """What the step leaves behind otherwise than its actions one after another, on random memories: "" for nothing.

    Compared are residents, tables and DRAM, which is all that the schedule must keep; the second run shows what the
    first has left for it.
    """
    machines = []
    for program in (built.plain, built.executable.program):
        machine = Machine(engine)
        junk(machine, seed)
        session_of(built.executable, machine)  # runs the setup
        random = np.random.default_rng(seed)
        for port in built.executable.inputs:
            for below in machine.dram:
                below.write(port.address, random.integers(0, 1 << 63, port.map.longs, np.uint64))
        for _ in range(runs):
            machine.run(program)
        machines.append(machine)
    for name, ranges in kept(built.homes, built.tables).items():
        one, other = (np.asarray(getattr(machine, name)) for machine in machines)
        for words in ranges:
            if not np.array_equal(_of(one, name, words), _of(other, name, words)):
                return tr("{name} differs in {words}", name, words)
    for port in built.executable.outputs:
        for group in range(isa.GROUPS):
            first, second = (machine.dram[group].read(port.address, port.map.longs) for machine in machines)
            if not np.array_equal(first, second):
                return tr("{name} differs in DRAM {group}", port.name, group)
    return ""


def _of(memory: NDArray[Any], name: str, words: range) -> NDArray[Any]:
    """Some words of all units."""
    return memory[..., words.start : words.stop] if name in ("l1bm", "l2bm") else memory[words.start : words.stop]
