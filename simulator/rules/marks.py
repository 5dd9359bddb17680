"""What cannot share a step (isa.md, section 12.1), as data: the marks that instructions leave on their step, and which
marks exclude each other. The checks read them as sentences, the scheduler as bits.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from simulator.isa import BANK_WORDS
from simulator.isa.program import (
    BaseAddress,
    Immediate,
    Instruction,
    MaskRegister,
    Matrix,
    PeMemory,
    Source,
    TRegister,
    Turnaround,
)
from simulator.isa.units import UNITS
from simulator.messages import Text, tr

SPLIT = Text("put one of them on a line of its own")
MAU_UNITS = ("mau", "mau-write", "mau-read")


class Mark(NamedTuple):
    """name: what an instruction uses of its step; key: how, as far as rules ask; offset: of what uses it; op: what a
    sentence says of the instruction.
    """

    name: str
    key: Hashable
    offset: int
    op: str = ""


class Exclusion(NamedTuple):
    """Two marks, `first` and `second` in either order, that cannot share a step; told where `second` stands.

    keys: whether they must not have the same key, or must have it ("other": not another one), or may not meet at all;
    "third": three of different keys may not meet. says: the sentence, of the first mark and the second.
    """

    first: str
    second: str
    keys: Literal["same", "other", "any", "third"]
    says: Callable[[Mark, Mark], str]
    fix: str = SPLIT
    warning: bool = False

    def forbids(self, one: Hashable, other: Hashable) -> bool:
        """Whether two marks with these keys exclude each other ("third": in the presence of a third one)."""
        return one == other if self.keys == "same" else one != other if self.keys in ("other", "third") else True


def _twice(bank: str) -> Callable[[Mark, Mark], str]:
    return lambda *_: tr("{name} is read at two addresses in one step; it has one read address", bank)


def _read_and_written(bank: str) -> Callable[[Mark, Mark], str]:
    return lambda *_: tr("{name} is read and written at different addresses in one step", bank)


_EARLIER = Text("read one of them a step earlier, or keep a copy in another memory")
_ELSEWHERE = Text("use the same addresses, or write to another memory")
_SAME_MASK = Text("use the same mask")

EXCLUSIONS = (
    Exclusion("unit", "unit", "same", lambda _, b: tr("two {key} instructions in one step", b.key)),
    Exclusion("MAU", "MAU", "third",
              lambda *_: tr("at most two of MAU calculation, matrix write and matrix read share a step")),
    Exclusion("precision", "precision", "other",
              lambda a, b: tr("MAU instructions of one step have one precision, not {value}",
                              " and ".join(sorted((a.op, b.op))))),
    Exclusion("factor", "matrix data", "other",
              lambda a, _: tr("beside {op}, a matrix write must read exactly its second input", a.op),
              Text("make both operands identical, `-`, `e` and `r` included")),
    Exclusion("matrix data", "sum", "any",
              lambda _, b: tr("it is not known whether {op} may stand beside a matrix write", b.op), warning=True),
    Exclusion("matrix", "matrix", "same", lambda _, b: tr("matrix register {key} is used twice in one step", b.key)),
    *(Exclusion(f"{bank} read", f"{bank} read", "other", _twice(bank), _EARLIER)
      for bank in map(str.upper, BANK_WORDS)),
    *(Exclusion(f"{bank} read", f"{bank} written", "other", _read_and_written(bank), _ELSEWHERE)
      for bank in ("LM0", "LM1")),
    Exclusion("written", "written", "same", lambda _, b: tr("{key} is written twice in one step", b.key)),
    Exclusion("immediate", "LM0 used", "any", lambda *_: tr("imm and LM0 cannot be used in one step"),
              Text("use another memory, e.g. LM1 or $t")),
    Exclusion("zero-flush", "zero-flush", "same", lambda *_: tr("two zero-flush masks in one step")),
    *(Exclusion(name, name, "other", lambda *_: tr("all masks of a step use one entry and one length"), _SAME_MASK)
      for name in ("mask entry", "mask length")),
)  # fmt: skip
BY_NAME: dict[str, list[tuple[Exclusion, str]]] = defaultdict(list)
"""Name of a mark to what it is in, each with the name of the other mark."""
for _exclusion in EXCLUSIONS:
    BY_NAME[_exclusion.first].append((_exclusion, _exclusion.second))
    if _exclusion.second != _exclusion.first:
        BY_NAME[_exclusion.second].append((_exclusion, _exclusion.first))


def issue_group(instruction: Instruction) -> str:
    """The issue group. Reading the turnaround register is one of its own; writing it alone goes with L1BM. [A]"""
    if any(isinstance(source.operand, Turnaround) for source in instruction.sources):
        return "turnaround"
    return UNITS[instruction.unit].group


@lru_cache(maxsize=1 << 14)
def marks_of(instruction: Instruction) -> tuple[Mark, ...]:
    """The marks of one instruction."""
    return tuple(_marks(instruction))


def _marks(instruction: Instruction) -> Iterator[Mark]:
    yield Mark("unit", issue_group(instruction), 0)
    if instruction.unit in MAU_UNITS:
        yield Mark("MAU", instruction.unit, 0)
        yield Mark("precision", instruction.precision, 0, instruction.precision)
    if instruction.unit == "mau-write":
        yield Mark("matrix data", _decorated(instruction.sources[0]), instruction.sources[0].offset)
    elif instruction.op in ("vfma", "vmul"):
        yield Mark("factor", _decorated(instruction.sources[1]), 0, instruction.op)
    elif instruction.op in ("vadd", "vpassa"):
        yield Mark("sum", None, 0, instruction.op)
    for end in instruction.ends:
        yield from _of_operand(end.operand, isinstance(end, Source), end.offset)
    if instruction.flush is not None:
        yield Mark("zero-flush", None, 0)
        yield Mark("mask entry", instruction.flush, 0)
    for destination in instruction.destinations:
        if destination.mask is not None:
            yield Mark("mask entry", destination.mask.entry, destination.offset)
            yield Mark("mask length", destination.mask.words, destination.offset)


def _decorated(source: Source) -> Hashable:
    return source.operand, source.negate, source.widen, source.narrow


def _of_operand(operand: object, read: bool, offset: int) -> Iterator[Mark]:
    if isinstance(operand, PeMemory):
        name = operand.bank.upper()
        shifted = None if operand.j is None else (operand.j, operand.words)
        yield Mark(f"{name} {'read' if read else 'written'}", (operand.addresses, operand.indirect, shifted), offset)
        if not read:
            yield Mark("written", name, offset)
        if name == "LM0":
            yield Mark("LM0 used", None, offset)
    elif isinstance(operand, Matrix):
        yield Mark("matrix", operand.register, offset)
    elif isinstance(operand, Immediate):
        yield Mark("immediate", None, offset)
    elif isinstance(operand, BaseAddress):
        yield Mark("written", Text("the base address of {upper}", {"upper": operand.bank.upper()}), offset)
    elif isinstance(operand, MaskRegister):
        yield Mark("written", Text("the mask register"), offset)
    elif isinstance(operand, TRegister) and not read:
        yield Mark("written", "T", offset)
