"""What instructions ask of the steps they stand in, as marks in time: what may not stand beside or near what.

These are the rules of `simulator.rules` that do not depend on what was written where: one instruction of a unit, one
read address of a memory, one mask in a step, and waits at any address. Waits at the same address are edges
(`dependences.py`). Every demand has a place in a table of marks, a bit for every step: an instruction sets marks where
it stands (`sets`), and cannot stand where other marks are (`bars`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from simulator.isa.program import (
    BaseAddress,
    Immediate,
    Instruction,
    MaskRegister,
    Matrix,
    PeMemory,
    Source,
    TRegister,
)
from simulator.rules.accesses import accesses, ends
from simulator.rules.conflicts import issue_group
from simulator.rules.waits import RULES, WINDOW
from simulator.schedule.nodes import Group, Node

Mark = Hashable


@dataclass(frozen=True, slots=True)
class Bar:
    """An instruction cannot stand in a step with this mark, but where the mark `unless` is too; None: never.

    beside: the bar holds only where this mark is too.
    """

    mark: Mark
    unless: Mark | None = None
    beside: Mark | None = None


@dataclass(frozen=True, slots=True)
class Demand:
    """sets: marks, and the first and last step of each, counted from the instruction's own. bars: of its own step."""

    sets: tuple[tuple[Mark, int, int], ...]
    bars: tuple[Bar, ...]


class _Found:
    def __init__(self) -> None:
        self.sets: dict[tuple[Mark, int, int], None] = {}
        self.bars: dict[Bar, None] = {}

    def one(self, name: Mark) -> None:
        """Only one in a step."""
        self.put(name)
        self.bar(name)

    def same(self, name: Mark, key: Hashable) -> None:
        """Several in a step, but only of the same key."""
        self.put(name)
        self.put((name, key))
        self.bar(name, unless=(name, key))

    def put(self, mark: Mark, first: int = 0, last: int = 0) -> None:
        self.sets[mark, first, last] = None

    def bar(self, mark: Mark, unless: Mark | None = None, beside: Mark | None = None) -> None:
        self.bars[Bar(mark, unless, beside)] = None


def demand_of(instruction: Instruction) -> Demand:
    """The demands of one instruction."""
    found = _Found()
    found.one(("unit", issue_group(instruction)))
    _mau(instruction, found)
    for end in ends(instruction):
        _operand(end.operand, isinstance(end, Source), found)
    _masks(instruction, found)
    _waits(instruction, found)
    return Demand(tuple(found.sets), tuple(found.bars))


_MAU = ("mau", "mau-write", "mau-read")


def _mau(instruction: Instruction, found: _Found) -> None:
    if instruction.unit not in _MAU:
        return
    found.same("MAU precision", instruction.precision)
    found.put(instruction.unit)
    first, second = (unit for unit in _MAU if unit != instruction.unit)
    found.bar(first, beside=second)
    if instruction.unit == "mau-write":
        written = _decorated(instruction.sources[0])
        found.put("written matrix")
        found.put(("written matrix", written))
        found.bar("second factor", unless=("second factor", written))
        found.bar("no factor")
    elif instruction.op in ("vfma", "vmul"):
        factor = _decorated(instruction.sources[1])
        found.put("second factor")
        found.put(("second factor", factor))
        found.bar("written matrix", unless=("written matrix", factor))
    elif instruction.op in ("vadd", "vpassa"):
        found.put("no factor")
        found.bar("written matrix")


def _decorated(source: Source) -> Hashable:
    return source.operand, source.negate, source.widen, source.narrow


def _operand(operand: object, read: bool, found: _Found) -> None:
    if isinstance(operand, Matrix):
        found.one(("matrix", operand.register))
    elif isinstance(operand, Immediate):
        found.put("immediate")
        found.bar("LM0 used")
    elif isinstance(operand, BaseAddress):
        found.one(("base address written", operand.bank))
    elif isinstance(operand, MaskRegister):
        found.one("mask register written")
    elif isinstance(operand, TRegister) and not read:
        found.one("T written")
    elif isinstance(operand, PeMemory):
        _pe_memory(operand, read, found)


def _pe_memory(operand: PeMemory, read: bool, found: _Found) -> None:
    """GRF has an address for reading and one for writing, LM one for both."""
    bank = operand.bank
    shifted = None if operand.j is None else (operand.j, operand.words)
    address = operand.addresses, operand.indirect, shifted
    if bank == "lm0":
        found.put("LM0 used")
        found.bar("immediate")
    if read:
        found.same(("read", bank), address)
    else:
        found.one(("written", bank))
    if bank in ("lm0", "lm1"):
        here, other = ("read", "written") if read else ("written", "read")
        found.put(((here, bank), address))
        found.bar((other, bank), unless=((other, bank), address))


def _masks(instruction: Instruction, found: _Found) -> None:
    """All masks of a step use one entry and one length."""
    if instruction.flush is not None:
        found.one("zero-flush")
        found.same("mask entry", instruction.flush)
    for destination in instruction.destinations:
        if destination.mask is not None:
            found.same("mask entry", destination.mask.entry)
            found.same("mask length", destination.mask.words)


def _waits(instruction: Instruction, found: _Found) -> None:
    """Waits at any address: the steps after a producer are closed to consumers, and the other way round."""
    for access in accesses(instruction):
        for rule in RULES:
            if rule.cycles:
                continue
            if access.kind == rule.producer:
                found.put(("after", rule), 1, rule.steps)
                found.bar(("before", rule))
            if access.kind == rule.consumer:
                found.put(("before", rule), -rule.steps, -1)
                found.bar(("after", rule))


# --- groups ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Template:
    """The demands of a group, with the numbers of marks.

    sets: (mark, bits): bit `start` is the start of the group. bars: (mark, unless, beside, time from the start of the
    group); -1: none.
    """

    sets: tuple[tuple[int, int], ...]
    bars: tuple[tuple[int, int, int, int], ...]
    start: int = WINDOW

    @cached_property
    def mirrored(self) -> Template:
        """The same where time runs backwards."""
        length = max((bits.bit_length() for _, bits in self.sets), default=0)
        sets = tuple((mark, int(f"{bits:0{length}b}"[::-1], 2)) for mark, bits in self.sets)
        bars = tuple((mark, unless, beside, -time) for mark, unless, beside, time in self.bars)
        return Template(sets, bars, length - 1 - self.start)

    @cached_property
    def marked(self) -> tuple[tuple[int, int], ...]:
        """What it sets, step by step: marks, with the times from the start of the group."""
        return tuple(
            (mark, time - self.start)
            for mark, bits in self.sets
            for time in range(bits.bit_length())
            if bits >> time & 1
        )


class Marks:
    """The marks of a program, numbered."""

    def __init__(self) -> None:
        self._numbers: dict[Mark, int] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    def number(self, mark: Mark) -> int:
        """The number of a mark."""
        return self._numbers.setdefault(mark, len(self._numbers))

    def template(self, group: Group, demands: Mapping[Node, Demand]) -> Template:
        """What a group asks for. demands: of its instructions."""
        sets: dict[int, int] = defaultdict(int)
        for mark, first, last in self._sets(group, demands):
            sets[self.number(mark)] |= ((1 << (last - first + 1)) - 1) << (WINDOW + first)
        bars: dict[tuple[int, int, int, int], None] = {}
        for bar, time in self._bars(group, demands):
            numbers = (-1 if mark is None else self.number(mark) for mark in (bar.mark, bar.unless, bar.beside))
            mark, unless, beside = numbers
            bars[mark, unless, beside, time] = None
        return Template(tuple(sets.items()), tuple(bars))

    def _sets(self, group: Group, demands: Mapping[Node, Demand]) -> Iterator[tuple[Mark, int, int]]:
        for time in group.sealed:
            yield "sealed", time, time
        for node, time in group.times.items():
            if node.instruction is not None:
                yield "used", time, time
                for mark, first, last in demands[node].sets:
                    yield mark, time + first, time + last

    def _bars(self, group: Group, demands: Mapping[Node, Demand]) -> Iterator[tuple[Bar, int]]:
        for time in group.sealed:
            yield Bar("used"), time
        for node, time in group.times.items():
            if node.instruction is not None:
                yield Bar("sealed"), time
                for bar in demands[node].bars:
                    yield bar, time
