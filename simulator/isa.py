"""The instruction set: one table of every PE and MV instruction (isa.md, sections 6 to 10).

A row holds what the assembler, the checks, the cost model and `explain` need to know about an instruction. How its
opcode is spelled follows from the row: see `simulator.opcodes`.

How to read a row: its forms are written as `source source -> destination` in the words of `ROLES`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from simulator import program as p

Unit = Literal["nop", "noforward", "alu", "mau", "mau-write", "mau-read", "l1bm", "l2bm", "l2bmdarw", "wait"]

# --- sizes (isa.md, section 1) ---------------------------------------------------------------------------------------

LM_WORDS = 4096
GRF_WORDS = 512
BANK_WORDS: Mapping[str, int] = {"lm0": LM_WORDS, "lm1": LM_WORDS, "grf0": GRF_WORDS, "grf1": GRF_WORDS}
L1BM_LONGS = 8192
L2BM_LONGS = 32768
PDM_LONGS = 524288
DRAM_LONGS = 2**29
DAR_ENTRIES = 1024
MASK_ENTRIES = 32
MATRIX_ROWS = 16
GROUPS, L2BS_PER_GROUP, L1BS, MABS, PES_PER_MAB = 4, 2, 8, 16, 4
MV_UNIT = 64
"""The size of an MV instruction is a multiple of this many long words."""
STEP_CYCLES = 4
WAIT_TAGS = 0x40


# --- operand roles ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Role:
    """What may stand at an operand position. widen, narrow: the precisions in which `e` and `r` may be appended."""

    description: str
    types: tuple[type, ...]
    negate: bool = False
    widen: str = ""
    narrow: str = ""
    many: bool = False


_PE = (p.PeMemory, p.TRegister, p.Path)
_OUT = (p.PeMemory, p.TRegister, p.BaseAddress, p.NoWrite)
_INPUT = "a PE memory, $t, $aluf, $mauf or $lbf"
_OUTPUT = "a PE memory, $t, a base address register or $nowrite"

ROLES: Mapping[str, Role] = {
    "literal": Role('an immediate such as i"1"', (p.Immediate,)),
    "first": Role("a PE memory, $t, a forwarding path or a fixed value", (*_PE, p.Fixed)),
    "second": Role(_INPUT, _PE),
    "factor": Role(_INPUT, _PE, negate=True, widen="dfg", narrow="h"),
    "addend": Role(_INPUT, _PE, negate=True, widen="dfgh"),
    "written": Role(_INPUT, _PE, negate=True, widen="dfg", narrow="h"),
    "sent": Role(_INPUT, _PE),
    "reduced": Role(_INPUT, _PE, widen="f"),
    "matrix": Role("$lx or $ly", (p.Matrix,)),
    "rows": Role("$lx<row> or $ly<row>", (p.Matrix,)),
    "lb": Role("$lb<address>, $llb<address>, $lbi or $llbi", (p.L1bm, p.Turnaround)),
    "l1bm": Role("$lb<address>", (p.L1bm,)),
    "lc": Role("$lc<address>", (p.L2bm,)),
    "dar": Role("$dar<entry>", (p.Dar,)),
    "out": Role(_OUTPUT, _OUT, many=True),
    "flags": Role(f"{_OUTPUT}, or $omr1 to $omr15", (*_OUT, p.MaskRegister), many=True),
}


# --- rows ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Form:
    """One order of operands. l2bm, l1bm: long words per cycle on that side, which the address is a multiple of
    (except for l1bmp, whose alignment is only what is usual).

    l1bm counts one long word per PE (`$lb`); `$llb` doubles it. at: what `@` selects: "mab" (one of `units`, required),
    "l1b" (one L1B, required), "set" (L1Bs, may be left out) or "indirect" (as set, required, never all: `l2bmi`).
    """

    sources: tuple[str, ...]
    destination: str
    at: Literal["", "mab", "l1b", "set", "indirect"] = ""
    units: int = 0
    l2bm: int = 0
    l1bm: int = 0

    def traffic(self, wide: int = 1) -> tuple[int, int, int]:
        """Long words per step on the L2BM, L1BM and PE side; wide = 2 for `$llb` (isa.md, section 13)."""
        per_pe = wide if self.l1bm and not self.l2bm and self.at != "indirect" else 0
        return self.l2bm * STEP_CYCLES, self.l1bm * wide * STEP_CYCLES, per_pe * STEP_CYCLES


@dataclass(frozen=True, slots=True)
class Row:
    """One instruction. fma: multiply-adds per MAB and step, by precision (isa.md, section 13).

    unsigned: precisions that may take a leading `u`; narrow: an appended `r` exists; halves: precisions that need `u`
    or `d` appended; reduces: letter and reduction follow the name; number: what `/n` may be, by precision.
    """

    name: str
    unit: Unit
    precisions: str
    forms: tuple[Form, ...]
    meaning: str
    unsigned: str = ""
    narrow: bool = False
    halves: str = ""
    reduces: bool = False
    shifts: bool = False
    flush: bool = False
    number: Mapping[str, range] = field(default_factory=dict)
    fma: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MoveRow:
    """One MV instruction; forms: pairs as `p@ lc.`: `@` a group is named, `.` only the L2B is (isa.md, section 6)."""

    name: str
    forms: frozenset[tuple[str, str]]
    meaning: str
    reduces: bool = False


def _form(
    signature: str, at: Literal["", "mab", "l1b", "set", "indirect"] = "", units: int = 0, l2bm: int = 0, l1bm: int = 0
) -> Form:
    sources, _, destination = signature.partition("->")
    return Form(tuple(sources.split()), destination.strip(), at, units, l2bm, l1bm)


def _alu(name: str, precisions: str, signature: str, meaning: str, unsigned: str = "", number: str = "") -> Row:
    numbers = {letter: range(6, 10) for letter in number}
    return Row(name, "alu", precisions, (_form(signature),), meaning, unsigned, flush=True, number=numbers)


_ONE, _TWO = "first -> flags", "first second -> flags"

_ALU = (
    _alu("zero", "", "-> out", "every destination = 0"),
    _alu("imm", "", "literal -> out", "the literal word in every word (immu: words 1 and 3 are 0)"),
    _alu("passa", "dfhlis", _ONE, "x unchanged, both long words"),
    _alu("inc", "lis", _ONE, "x + 1", "lis"),
    _alu("dec", "lis", _ONE, "x - 1", "lis"),
    _alu("add", "lis", _TWO, "x + y", "lis"),
    _alu("sub", "lis", _TWO, "x - y", "lis"),
    _alu("not", "lis", _ONE, "the bits of x inverted"),
    _alu("lnot", "lis", _ONE, "1 where x is 0, else 0"),
    _alu("and", "lis", _TWO, "x AND y, bit by bit"),
    _alu("or", "lis", _TWO, "x OR y, bit by bit"),
    _alu("xor", "lis", _TWO, "x XOR y, bit by bit"),
    _alu("lsl", "lis", _TWO, "x shifted left by y", "lis"),
    _alu("lsr", "lis", _TWO, "x shifted right by y, with its sign unless `u`", "lis"),
    _alu("bsl", "lis", _TWO, "x rotated left by y", "lis"),
    _alu("bsr", "lis", _TWO, "x rotated right by y", "lis"),
    _alu("max", "dfhlis", _TWO, "the larger of x and y", "lis"),
    _alu("min", "dfhlis", _TWO, "the smaller of x and y", "lis"),
    _alu("packbit", "dfhlis", _TWO, "x shifted left by one, the top bit of y below it"),
    _alu("rsqrt", "dfh", _ONE, "roughly 1 / sqrt(|x|)"),
    _alu("floor", "dfh", "first -> out", "x rounded toward minus infinity"),
    _alu("ftoi", "dfh", "first -> out", "x as an integer, truncated (u: |x|)", "dfh"),
    _alu("relu", "dfh", _TWO, "y where the top bit of x is 0, else -0"),
    _alu("relu0", "dfh", _TWO, "y where the top bit of x is 0, else -0"),
    _alu("relu1", "dfh", _TWO, "y where the 2nd bit of x is 0, else -0"),
    _alu("relu2", "dfh", _TWO, "y where the 3rd bit of x is 0, else -0"),
    _alu("relu3", "dfh", _TWO, "y where the 4th bit of x is 0, else -0"),
    _alu("lrelud", "dfh", _TWO, "y where the top bit of x is 0, else y / 2"),
    _alu("lreluo", "dfh", _TWO, "y where the top bit of x is 0, else y / 8"),
    _alu("ilrelud", "dfh", _TWO, "y where the top bit of x is 0, else 2 y"),
    _alu("bfn", "dfgh", "first -> out", "x as a block float: one common exponent", number="h"),
    _alu("bfe", "h", "first -> out", "x as an extended block float", number="h"),
    _alu("msl", "", "first -> out", "PE p gets x of PE p-1 of its MAB (long word 0)"),
    _alu("msr", "", "first -> out", "PE p gets x of PE p+1 of its MAB (long word 0)"),
)

_VECTOR = {"d": 8, "f": 32, "h": 64}
_PRODUCT = {"d": 32, "f": 128, "g": 256, "h": 1024}


def _mau(name: str, signature: str, meaning: str, fma: Mapping[str, int], halves: str = "") -> Row:
    forms = (_form(signature),)
    return Row(name, "mau", "".join(fma), forms, meaning, narrow=True, halves=halves, flush=True, fma=fma)


_MAU = (
    _mau("vfma", "factor factor addend -> flags", "x * y + z, element by element", _VECTOR, "d"),
    _mau("vmul", "factor factor -> flags", "x * y, element by element", _VECTOR, "d"),
    _mau("vadd", "factor addend -> flags", "x + y, element by element", _VECTOR),
    _mau("vpassa", "factor -> flags", "x * 1 + 0: x normalised", _VECTOR),
    _mau("mmul", "matrix factor -> flags", "matrix times vector, one vector per cycle", _PRODUCT, "d"),
    _mau("mfma", "matrix factor addend -> flags", "matrix times vector, plus y", _PRODUCT, "d"),
    Row("mwrite", "mau-write", "dfgh", (_form("written -> rows"),), "writes one matrix row per cycle"),
    Row("mread", "mau-read", "dfgh", (_form("rows -> out"),), "reads one matrix column per cycle", flush=True),
)


def _l1bm(name: str, *forms: Form, meaning: str, reduces: bool = False, shifts: bool = False) -> Row:
    return Row(name, "l1bm", "", forms, meaning, narrow=reduces, reduces=reduces, shifts=shifts, flush=True)


def _l2bm(name: str, *forms: Form, meaning: str, reduces: bool = False) -> Row:
    return Row(name, "l2bm", "", forms, meaning, reduces=reduces)


_TRANSFERS = (
    _l1bm("l1bmp", _form("lb -> out", l1bm=1), meaning="every PE gets the same long words, one per cycle"),
    _l1bm(
        "l1bmm",
        _form("lb -> out", l1bm=4),
        _form("sent -> lb", at="mab", units=16, l1bm=4),
        meaning="the 4 PEs of every MAB share out 4 long words per cycle; with @k, MAB k sends them back",
    ),
    _l1bm(
        "l1bmr",
        _form("reduced -> lb", l1bm=4),
        meaning="the 16 MABs are combined into 4 long words per cycle",
        reduces=True,
    ),
    _l1bm(
        "l1bmm4",
        _form("lb -> out", l1bm=16),
        _form("sent -> lb", at="mab", units=4, l1bm=16),
        meaning="as l1bmm, with other words for each quarter of the MABs",
    ),
    _l1bm("l1bmr4", _form("reduced -> lb", l1bm=16), meaning="4 MABs of each quarter are combined", reduces=True),
    _l1bm(
        "l1bmd",
        _form("lb -> out", l1bm=64),
        _form("sent -> lb", l1bm=64),
        meaning="each of the 64 PEs has a long word of its own per cycle; ±n turns the MABs",
        shifts=True,
    ),
    _l2bm(
        "l2bmb", _form("lc -> l1bm", "set", l2bm=16, l1bm=16), meaning="the L1BMs get the same 16 long words per cycle"
    ),
    _l2bm(
        "l2bmb2",
        _form("lc -> l1bm", "set", l2bm=64, l1bm=16),
        meaning="each pair of L1BMs gets 16 long words per cycle",
    ),
    _l2bm(
        "l2bmd",
        _form("lc -> l1bm", "set", l2bm=64, l1bm=8),
        _form("l1bm -> lc", l2bm=64, l1bm=8),
        meaning="64 long words per cycle dealt out to (or gathered from) the 8 L1BMs, 8 each",
    ),
    _l2bm(
        "l2bm", _form("l1bm -> lc", "l1b", l2bm=16, l1bm=16), meaning="16 long words per cycle of one L1BM to the L2BM"
    ),
    _l2bm(
        "l2bmr", _form("l1bm -> lc", "set", l2bm=16, l1bm=16), meaning="the L1BMs combined into the L2BM", reduces=True
    ),
    _l2bm("l2bmr2", _form("l1bm -> lc", l2bm=64, l1bm=16), meaning="each pair of L1BMs combined", reduces=True),
    _l2bm("l2bmi", _form("l1bm -> l1bm", "indirect", l1bm=16), meaning="L1BMs copied to other L1BMs of the same L2B"),
    _l2bm("l2bmdars", _form("lc -> dar"), meaning="DRAM addresses fetched into a buffer, 128 per cycle"),
    Row("l2bmdarw", "l2bmdarw", "", (_form("->"),), "writes fetched DRAM addresses to the table, one per cycle"),
)

_CONTROL = (
    Row("nop", "nop", "", (_form("->"),), "lets time pass", number={"": range(1, 2**31)}),
    Row("noforward", "noforward", "", (_form("->"),), "keeps the forwarding paths as they are"),
    Row("wait", "wait", "", (_form("->"),), "holds the stream until the MV instruction with this tag is done"),
)

INSTRUCTIONS: Mapping[str, Row] = {row.name: row for row in (*_CONTROL, *_ALU, *_MAU, *_TRANSFERS)}


def _copies() -> frozenset[tuple[str, str]]:
    """mvp: any two different memories, and PDM to PDM; groups named on both sides or on neither."""
    pairs = [(a, b) for a in "pdc" for b in "pdc" if a != b] + [("p", "p")]
    named = {(f"{a}@", f"{b}@") for a, b in pairs}
    bare = {(a, b) for a, b in pairs}
    return frozenset(named | bare | {(a.replace("c", "c."), b.replace("c", "c.")) for a, b in bare})


def _pairs(*texts: str) -> frozenset[tuple[str, str]]:
    return frozenset((text.split()[0], text.split()[1]) for text in texts)


MOVES: Mapping[str, MoveRow] = {
    row.name: row
    for row in (
        MoveRow("mvp", _copies(), "a plain copy"),
        MoveRow("mvb", _pairs("p@ c", "d c"), "one source to all 8 L2BMs"),
        MoveRow("mvb2", _pairs("d c"), "each group's DRAM to both its L2BMs"),
        MoveRow("mvb4", _pairs("d c"), "the four DRAMs, interleaved, to the L2BMs of every group"),
        MoveRow("mvd", _pairs("p@ d", "d p@", "p@ c", "c p@"), "a PDM dealt out to (or gathered from) all groups"),
        MoveRow("mvr", _pairs("c p@", "c d"), "all 8 L2BMs combined", reduces=True),
        MoveRow("mvr2", _pairs("c d"), "the two L2BMs of each group combined", reduces=True),
        MoveRow("mvr4", _pairs("c d"), "the four groups combined, for each of the two L2Bs", reduces=True),
        MoveRow("mvnop", frozenset(), "an MV instruction that does nothing"),
    )
}
