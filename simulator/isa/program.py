"""The decoded form of a `.vsm` program: what the assembler makes and the machine executes.

Everything here is immutable data without behaviour. Addresses are resolved as far as the text allows: strides are
expanded into one address per cycle, `mask` defaults are attached to the destinations they govern. What depends on run
time (base address registers, T indirection, `j`) is left to the machine.

Units: word = 32 bit, long word = 64 bit; PE memory addresses are in words, others in long words (isa.md, section 1).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from simulator.isa.forms import Form
from simulator.isa.units import UNITS, PathName, UnitName

Bank = Literal["lm0", "lm1", "grf0", "grf1"]
FixedName = Literal["l2bid", "l1bid", "mabid", "peid", "subpeid", "msb1"]
Cycles = tuple[int, int, int, int]


# --- operands --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PeMemory:
    """`$lm8v`, `$r[0,4,8,12]`, `$lmt0v`, `$llr0j1`: LM or GRF, one word address per cycle (stride applied)."""

    bank: Bank
    words: Literal[1, 2, 4]
    addresses: Cycles
    indirect: bool = False  # add the low 12 bits of T's first long word of the same cycle (LM0 only)
    j: int | None = None  # PEs with subpeid <= j use the address + words


@dataclass(frozen=True, slots=True)
class TRegister:
    """`$t`, `$lt`, `$llt`: always two long words per cycle, one slot per cycle."""


@dataclass(frozen=True, slots=True)
class Path:
    """A forwarding path: what a unit put out in the previous step."""

    name: PathName


@dataclass(frozen=True, slots=True)
class Fixed:
    """`$peid` and its like: a value the hardware supplies, in every element of the ALU's precision."""

    name: FixedName


@dataclass(frozen=True, slots=True)
class Immediate:
    """A literal, already encoded as the 32-bit word that the ALU repeats."""

    word: int


@dataclass(frozen=True, slots=True)
class BaseAddress:
    """`$mb $lmb $nb $lnb` as destination: the base address register of LM0 or LM1."""

    bank: Literal["lm0", "lm1"]
    words: Literal[1, 2]


@dataclass(frozen=True, slots=True)
class MaskRegister:
    """`$omrN` as destination, N = 1..15: receives the flags of the instruction, not its data."""

    entry: int


@dataclass(frozen=True, slots=True)
class NoWrite:
    """`$nowrite`: the result goes nowhere but to the forwarding path."""


@dataclass(frozen=True, slots=True)
class L1bm:
    """`$lb<a>` (words = 2) or `$llb<a>` (words = 4); address in long words."""

    address: int
    words: Literal[2, 4]


@dataclass(frozen=True, slots=True)
class Turnaround:
    """`$lbi` (words = 2) or `$llbi` (words = 4): the turnaround register of the L1BM."""

    words: Literal[2, 4]


@dataclass(frozen=True, slots=True)
class Matrix:
    """`$lx<row>`, `$ly<row>`; `double` for `$llx`, `$lly`; row None where no number was written (matrix products)."""

    register: Literal["x", "y"]
    row: int | None
    double: bool = False


@dataclass(frozen=True, slots=True)
class Dram:
    """`$d<a>[@g]`; group None = in every group separately."""

    address: int
    group: int | None


@dataclass(frozen=True, slots=True)
class DramIndirect:
    """`$di<e>[@g]`: the address comes from entry `entry` of the DRAM address table on."""

    entry: int
    group: int | None


@dataclass(frozen=True, slots=True)
class Pdm:
    """`$p<a>[@g]`."""

    address: int
    group: int | None


@dataclass(frozen=True, slots=True)
class L2bm:
    """`$lc<a>[@[g].l2b]`: `@1.0` group 1, L2B 0; `@.1` L2B 1 of every group; no `@`: both None."""

    address: int
    group: int | None = None
    l2b: int | None = None


@dataclass(frozen=True, slots=True)
class Dar:
    """`$dar<e>`: the DRAM address table, where `l2bmdars` puts what it fetches."""

    entry: int


Operand = (
    PeMemory | TRegister | Path | Fixed | Immediate | BaseAddress | MaskRegister | NoWrite
    | L1bm | Turnaround | Matrix | Dram | DramIndirect | Pdm | L2bm | Dar
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Source:
    """An input operand with its decorations: `-$lr0ve` is negate, widen. offset: characters of its line between the
    beginning of the instruction and its own."""

    operand: Operand
    offset: int
    negate: bool = False
    widen: bool = False  # trailing `e`: read one precision lower, widened exactly
    narrow: bool = False  # trailing `r`: rounded to half before use


@dataclass(frozen=True, slots=True)
class WriteMask:
    """The mask of a destination: an entry of the mask register and the lane width it is read with.

    entry 1..15 are the written ones, 16..31 the fixed cycle patterns (31 = all ones). words 1: the form without
    prefix, 2: `l`, 4: `ll` (isa.md, section 10.1). `explicit` tells `dst/1000` from a `mask` statement's default.
    """

    entry: int
    words: Literal[1, 2, 4]
    explicit: bool = True

    @property
    def cycles(self) -> tuple[int, ...]:
        """The cycles that are not closed for every PE: those of a fixed pattern (cycle 0 in its top bit), or all."""
        pattern = self.entry - 16 if self.entry >= 16 else 0b1111
        return tuple(cycle for cycle in range(4) if pattern & 0b1000 >> cycle)

    @property
    def fixed(self) -> bool:
        """As `is_fixed`."""
        return is_fixed(self.entry)


def is_fixed(entry: int) -> bool:
    """True for the entries of the mask register that programs cannot write: 0 (all ones) and the cycle patterns."""
    return not 0 < entry < 16


@dataclass(frozen=True, slots=True)
class Destination:
    """An output operand and the mask in force for it (None = every lane is written); offset: as of a Source."""

    operand: Operand
    offset: int
    mask: WriteMask | None = None


# --- lines -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Instruction:
    """One PE instruction, e.g. `fvfmar $lm0v $lr0v $mauf $ln0v/1000`.

    Where it is its Step says; instructions that read alike are equal, wherever they stand.
    op: the key of its row in `isa.INSTRUCTIONS`: the opcode without precision and suffixes ("vfma", "add", "l1bmm").
    precision: one of d f g h l i s, or "" where the instruction has none.
    reduction: "fadd", "max", … for l1bmr, l1bmr4, l2bmr, l2bmr2; the letter before it is `precision`.
    rows: "u" or "d" for the double products (`dvmulu`, `dmmuld`), else "".
    narrow: trailing `r` of the opcode. unsigned: leading `u` of an ALU opcode, or `immu`.
    form: the form of the row that the operands have.
    kept: n of `bfn/n` and `bfe/n`, the mantissa bits kept (None = not written, that is all).
    shift: of `l1bmd±n`. mab: k of `l1bmm@k` and `l1bmm4@k`. free: i of `l2bmi@b0/i`, the bits of an L1B's number that
        may differ. count: N of `nop/N`. tag: of `wait iXX`.
    l1bs: the set of L1Bs after `@` of an L2BM instruction (None = not written, that is all).
    flush: entry of the zero-flush mask, or None.
    """

    op: str
    unit: UnitName
    text: str
    form: Form
    precision: str = ""
    sources: tuple[Source, ...] = ()
    destinations: tuple[Destination, ...] = ()
    reduction: str = ""
    rows: Literal["", "u", "d"] = ""
    narrow: bool = False
    unsigned: bool = False
    kept: int | None = None
    shift: int = 0
    mab: int = 0
    free: int = 0
    count: int = 1
    tag: int = 0
    l1bs: frozenset[int] | None = None
    flush: int | None = None

    def __hash__(self) -> int:
        """By how it is written, which says the rest; caches ask for it all the time."""
        return hash(self.text)

    @property
    def ends(self) -> tuple[Source | Destination, ...]:
        """All operands: the sources, then the destinations."""
        return (*self.sources, *self.destinations)

    @property
    def path(self) -> PathName | Literal[""]:
        """The forwarding path that keeps the result, "" for none."""
        return "" if self.form.from_pes else UNITS[self.unit].path


@dataclass(frozen=True, slots=True)
class Step:
    """One PE line: instructions issued together, and the columns, from 1, at which each of them begins. `count` is N
    for `nop/N`, else 1; one step = 4 cycles."""

    line: int
    text: str
    instructions: tuple[Instruction, ...]
    columns: tuple[int, ...]
    count: int = 1

    @property
    def is_nop(self) -> bool:
        """True when the line only lets time pass (nop, with or without a wait)."""
        return all(instruction.op in ("nop", "wait") for instruction in self.instructions)

    @property
    def placed(self) -> Iterator[tuple[int, Instruction]]:
        """Every instruction behind the column at which it begins."""
        return zip(self.columns, self.instructions, strict=True)


@dataclass(frozen=True, slots=True)
class Move:
    """One MV line, which begins at a column, from 1.

    size: long words; op: "mvp", "mvb", "mvb2", "mvb4", "mvd", "mvr", "mvr2", "mvr4", "mvnop".
    precision and reduction as in Instruction, for the mvr family. units: N of `nd<N>`, for `$di`.
    """

    line: int
    text: str
    op: str
    column: int
    size: int = 0
    source: Source | None = None
    destination: Destination | None = None
    precision: str = ""
    reduction: str = ""
    tag: int | None = None
    priority: int = 0
    units: int = 1

    def __hash__(self) -> int:
        """By where it is and how it is written, as an Instruction."""
        return hash((self.line, self.column, self.text))


@dataclass(frozen=True, slots=True)
class DebugTarget:
    """The memory and the units that a `d set` or `d get` names; None = all values of that level."""

    memory: Literal["lm0", "lm1", "grf0", "grf1", "t", "omr", "l1bm", "l2bm", "pdm", "dram"]
    address: int
    n: int | None = None
    c: int | None = None
    b: int | None = None
    m: int | None = None
    p: int | None = None


@dataclass(frozen=True, slots=True)
class DebugSet:
    """`d set`: long words written to every matching unit."""

    line: int
    text: str
    target: DebugTarget
    values: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class DebugGet:
    """`d get`: prints `count` long words of every matching unit. dtype: "", "d", "f", "h", "bd", "bf", "bg", "bh"."""

    line: int
    text: str
    dtype: str
    target: DebugTarget
    count: int


@dataclass(frozen=True, slots=True)
class DramPreset:
    """`r <group> <address> <count> <payload>`: long words written to DRAM before the program starts."""

    line: int
    text: str
    group: int
    address: int
    values: tuple[int, ...]


Line = Step | Move | DebugSet | DebugGet | DramPreset


@dataclass(frozen=True)
class Program:
    """An assembled program: its lines in order, comments and `mask` statements already absorbed."""

    filename: str
    lines: tuple[Line, ...]
    source: str = field(repr=False, default="")

    @property
    def steps(self) -> int:
        """PE steps, `nop/N` counting N."""
        return sum(line.count for line in self.lines if isinstance(line, Step))

    @property
    def nops(self) -> int:
        """PE steps that only wait."""
        return sum(line.count for line in self.lines if isinstance(line, Step) and line.is_nop)

    @property
    def moves(self) -> int:
        """MV lines."""
        return sum(1 for line in self.lines if isinstance(line, Move))

    @property
    def move_words(self) -> int:
        """Sum of the size operands of all MV lines, in long words."""
        return sum(line.size for line in self.lines if isinstance(line, Move))
