"""What a row of the table of instructions (__init__.py) is made of: operand roles and rows; forms are in forms.py.

How to read a row: its forms are written as `source source -> destination` in the words of `ROLES`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from simulator.isa import program as p
from simulator.isa.forms import Form
from simulator.isa.units import UnitName
from simulator.messages import Text

EVIDENCE: Mapping[str, str] = {
    "G": Text("golden: results that the vendor published or that its judge demands are reproduced"),
    "D": Text("documented in the vendor's manual; nothing that was run would fail if it were wrong"),
    "A": Text("assumed: nothing was found"),
}
"""The marks of isa.md; a row's evidence starts with one and may go on with what is less sure."""


@dataclass(frozen=True, slots=True)
class Role:
    """What may stand at an operand position. widen, narrow: the precisions in which `e` and `r` may be appended, none
    where the instruction has no precision (isa.md, section 9.1)."""

    description: str
    types: tuple[type, ...]
    negate: bool = False
    widen: str = ""
    narrow: str = ""
    many: bool = False

    def suffixes(self, precision: str) -> tuple[str, ...]:
        """What may be appended to an operand of an instruction of this precision ("" = it has none): "e", "r"."""
        letters = (("e", self.widen), ("r", self.narrow))
        return tuple(suffix for suffix, taken in letters if precision in tuple(taken))


_PE = (p.PeMemory, p.TRegister, p.Path)
_OUT = (p.PeMemory, p.TRegister, p.BaseAddress, p.NoWrite)
_INPUT = Text("a PE memory, $t, $aluf, $mauf or $lbf")
_OUTPUT = Text("a PE memory, $t, a base address register or $nowrite")

ROLES: Mapping[str, Role] = {
    "literal": Role(Text('an immediate such as i"1"'), (p.Immediate,)),
    "first": Role(Text("a PE memory, $t, a forwarding path or a fixed value"), (*_PE, p.Fixed)),
    "converted": Role(Text("a PE memory, $t, a forwarding path or a fixed value"), (*_PE, p.Fixed), narrow="h"),
    "second": Role(_INPUT, _PE),
    "factor": Role(_INPUT, _PE, negate=True, widen="dfg", narrow="h"),
    "addend": Role(_INPUT, _PE, negate=True, widen="dfgh"),
    "written": Role(_INPUT, _PE, negate=True, widen="dfg", narrow="h"),
    "sent": Role(_INPUT, _PE),
    "reduced": Role(_INPUT, _PE, widen="f"),
    "matrix": Role(Text("$lx or $ly"), (p.Matrix,)),
    "rows": Role(Text("$lx<row> or $ly<row>"), (p.Matrix,)),
    "lb": Role(Text("$lb<address>, $llb<address>, $lbi or $llbi"), (p.L1bm, p.Turnaround)),
    "block": Role(Text("$lb<address> or $llb<address>"), (p.L1bm,)),
    "l1bm": Role("$lb<address>", (p.L1bm,)),
    "lc": Role("$lc<address>", (p.L2bm,)),
    "dar": Role("$dar<entry>", (p.Dar,)),
    "out": Role(_OUTPUT, _OUT, many=True),
    "flags": Role(Text("{output}, or $omr1 to $omr15", {"output": _OUTPUT}), (*_OUT, p.MaskRegister), many=True),
}


@dataclass(frozen=True, slots=True)
class Row:
    """One instruction. fma: multiply-adds per MAB and step, by precision (isa.md, section 13).

    unsigned: precisions that may take a leading `u`; narrow: an appended `r` exists; halves: precisions that need `u`
    or `d` appended; reduces: letter and reduction follow the name; number: what `/n` may be, by precision. evidence: a
    mark of `EVIDENCE`, then what is less sure; example: a line that can be assembled and run.
    """

    name: str
    unit: UnitName
    precisions: str
    forms: tuple[Form, ...]
    meaning: str
    evidence: str = ""
    example: str = ""
    unsigned: str = ""
    narrow: bool = False
    halves: str = ""
    reduces: bool = False
    shifts: bool = False
    flush: bool = False
    number: Mapping[str, range] = field(default_factory=dict)
    fma: Mapping[str, int] = field(default_factory=dict)


def kind_of(operand: p.Operand) -> str:
    """How an operand appears in `MoveRow.forms`: memory, then `@` with a group, `.` with an L2B only; "" for others."""
    if isinstance(operand, p.L2bm):
        return "c@" if operand.group is not None else "c." if operand.l2b is not None else "c"
    if isinstance(operand, (p.Pdm, p.Dram, p.DramIndirect)):
        return ("p" if isinstance(operand, p.Pdm) else "d") + ("@" if operand.group is not None else "")
    return ""


def spelled(kind: str, address: str = "0") -> str:
    """How an operand of a kind of `MoveRow.forms` is written: `$lc0@g.l` for `c@`."""
    at = {"c@": "@g.l", "c.": "@.l"}.get(kind, "@g" if kind.endswith("@") else "")
    return f"${'lc' if kind[0] == 'c' else kind[0]}{address}{at}"


@dataclass(frozen=True, slots=True)
class MoveForm:
    """Which word an MV instruction moves where between two memories, and how sure that is."""

    formula: str
    evidence: str


@dataclass(frozen=True, slots=True)
class MoveRow:
    """One MV instruction; forms: by pairs as `p@ lc.`: `@` a group is named, `.` only the L2B (isa.md, section 6)."""

    name: str
    forms: Mapping[tuple[str, str], MoveForm]
    meaning: str
    example: str
    reduces: bool = False

    @property
    def evidence(self) -> str:
        """The marks of the forms, best first."""
        return ", ".join(sorted({form.evidence for form in self.forms.values()}, key="GDA".index)) or "D"
