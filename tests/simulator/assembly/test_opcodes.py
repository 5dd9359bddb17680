"""How every row of the table is spelled, and with which parameters."""

from __future__ import annotations

import contextlib

import pytest

from simulator.assembly.assembler import assemble
from simulator.assembly.opcodes import MOVE_OPCODES, OPCODES
from simulator.errors import AssemblyError
from simulator.isa import INSTRUCTIONS, MOVES
from simulator.isa.program import Matrix, PeMemory
from simulator.isa.rows import ROLES
from tests.simulator.assembly.lines import one

# One line for every spelling rule of sections 6 to 10: opcode, row, precision, reduction, half, narrow, unsigned.
OPCODE_CASES = [
    ("fvfma $lm0v $lr0v $t $ln0v", "vfma", "f", "", "", False, False),
    ("fvfmar -$lr0e $lm0v $ls0v $n0v", "vfma", "f", "", "", True, False),
    ("dvfmau $lr0 $ls0 $mauf $ln0", "vfma", "d", "", "u", False, False),
    ("dvmuldr $lr0 $ls0 $n0", "vmul", "d", "", "d", True, False),
    ("hvmul $lr0r $ls0 $lln0", "vmul", "h", "", "", False, False),
    ("dvadd $lr0 $ls0 $ln0", "vadd", "d", "", "", False, False),
    ("hvpassar $lr0 $ln0", "vpassa", "h", "", "", True, False),
    ("gmmul $lx $lr0v $ln0v", "mmul", "g", "", "", False, False),
    ("gmfma $ly $lr0v -$lm0v $ln0v", "mfma", "g", "", "", False, False),
    ("hmmulr $lx $lr0v $ln0v", "mmul", "h", "", "", True, False),
    ("dmfmad $lx $lr0v $lm0v $ln0v", "mfma", "d", "", "d", False, False),
    ("fmmul $lx $lr0v $ln0v", "mmul", "f", "", "", False, False),
    ("gmwrite $lr0v $lx4", "mwrite", "g", "", "", False, False),
    ("hmwrite $llr0v $llx2", "mwrite", "h", "", "", False, False),
    ("fmread $ly0 $lr0v", "mread", "f", "", "", False, False),
    ("hmread $llx0 $llr8v", "mread", "h", "", "", False, False),
    ("zero $lr0v $ls0v $ln0v $t", "zero", "", "", "", False, False),
    ('imm i"1" $t', "imm", "", "", "", False, False),
    ('immu f"1.5" $t', "imm", "", "", "", False, True),
    ("ulsub $lr0 $ls0 $ln0", "sub", "l", "", "", False, True),
    ("iadd $aluf $ls0 $ln0 $omr1", "add", "i", "", "", False, False),
    ("sinc $mreadf $ln0", "inc", "s", "", "", False, False),
    ("lnot $lr0 $ln0", "not", "l", "", "", False, False),
    ("llnot $lr0 $ln0", "lnot", "l", "", "", False, False),
    ("llsl $lr0 $ls0 $ln0", "lsl", "l", "", "", False, False),
    ("uilsr $lr0 $ls0 $ln0", "lsr", "i", "", "", False, True),
    ("sbsr $peid $ls0 $ln0", "bsr", "s", "", "", False, False),
    ("fmax $lr0v $ls0v $ln0v", "max", "f", "", "", False, False),
    ("ulmin $lr0v $ls0v $ln0v", "min", "l", "", "", False, True),
    ("hpackbit $lr0 $ls0 $ln0", "packbit", "h", "", "", False, False),
    ("frsqrt $lr0 $ln0", "rsqrt", "f", "", "", False, False),
    ("dfloor $lr0 $ln0", "floor", "d", "", "", False, False),
    ("ufftoi $lr0 $ln0", "ftoi", "f", "", "", False, True),
    ("frelu $lr0 $ls0 $ln0", "relu", "f", "", "", False, False),
    ("hrelu3 $lr0 $ls0 $ln0", "relu3", "h", "", "", False, False),
    ("filrelud $lr0 $ls0 $ln0", "ilrelud", "f", "", "", False, False),
    ("gbfn $lr0v $lr0v", "bfn", "g", "", "", False, False),
    ("hbfn/6 $llr0v $llr0v", "bfn", "h", "", "", False, False),
    ("hbfe/9 $llr0v $llr0v", "bfe", "h", "", "", False, False),
    ("msl $lr0 $ln0", "msl", "", "", "", False, False),
    ("lpassa/$imr1 $lr0 $ln0", "passa", "l", "", "", False, False),
    ("l1bmp $llb8 $llm0v", "l1bmp", "", "", "", False, False),
    ("l1bmm $lb4 $lm0v", "l1bmm", "", "", "", False, False),
    ("l1bmm@15 $lm0v $llb8", "l1bmm", "", "", "", False, False),
    ("l1bmm4 $lb16 $lm0v", "l1bmm4", "", "", "", False, False),
    ("l1bmm4@3 $llm0v $llb32", "l1bmm4", "", "", "", False, False),
    ("l1bmrffadd $lr0v $lb0", "l1bmr", "f", "fadd", "", False, False),
    ("l1bmrffaddr $lr0ve $llb0", "l1bmr", "f", "fadd", "", True, False),
    ("l1bmrland $lr0v $lbi", "l1bmr", "l", "and", "", False, False),
    ("l1bmr4ibor $llr0v $llb0", "l1bmr4", "i", "bor", "", False, False),
    ("l1bmd+1 $lb64 $lm0v", "l1bmd", "", "", "", False, False),
    ("l1bmd-3 $lm0v $lb64", "l1bmd", "", "", "", False, False),
    ("l1bmm $lbi $lm0v", "l1bmm", "", "", "", False, False),
    ("l2bmb@0,1 $lc16 $lb16", "l2bmb", "", "", "", False, False),
    ("l2bmb2 $lc64 $lb16", "l2bmb2", "", "", "", False, False),
    ("l2bmd@5 $lc64 $lb8", "l2bmd", "", "", "", False, False),
    ("l2bmd $lb8 $lc64", "l2bmd", "", "", "", False, False),
    ("l2bm@3 $lb16 $lc16", "l2bm", "", "", "", False, False),
    ("l2bmriiadd@0/3 $lb16 $lc16", "l2bmr", "i", "iadd", "", False, False),
    ("l2bmr2dmax $lb16 $lc64", "l2bmr2", "d", "max", "", False, False),
    ("l2bmi@1/3 $lb16 $lb32", "l2bmi", "", "", "", False, False),
    ("l2bmdars $lc0 $dar4", "l2bmdars", "", "", "", False, False),
    ("l2bmdarw", "l2bmdarw", "", "", "", False, False),
    ("nop", "nop", "", "", "", False, False),
    ("noforward", "noforward", "", "", "", False, False),
]


@pytest.mark.parametrize("case", OPCODE_CASES, ids=lambda case: case[0].split()[0])
def test_opcode_spelling(case: tuple[str, str, str, str, str, bool, bool]) -> None:
    text, *expected = case
    i = one(text)
    assert [i.op, i.precision, i.reduction, i.rows, i.narrow, i.unsigned] == expected
    assert i.text == text


def test_every_row_of_the_table_has_a_spelling_of_its_own() -> None:
    assert {opcode.row.name for opcode in OPCODES.values()} == set(INSTRUCTIONS)
    spellings = {(o.row.name, o.precision, o.reduction, o.rows, o.narrow, o.unsigned) for o in OPCODES.values()}
    assert len(spellings) == len(OPCODES)
    assert not OPCODES.keys() & MOVE_OPCODES.keys()
    assert {row.name for row, _, _ in MOVE_OPCODES.values()} == set(MOVES)


def test_parameters_of_opcodes() -> None:
    assert one("hbfn/6/$imr1 $llr0 $ls0").kept == 6
    assert one("hbfn/6/$imr1 $llr0 $ls0").flush == 1
    assert one("l1bmp/1000 $lb0 $lm0v").flush == 24
    assert one("l1bmm@7 $lm0v $lb0").mab == 7
    assert one("l1bmd-3 $lm0v $lb0").shift == -3
    assert one("l2bm@3 $lb0 $lc0").l1bs == {3}
    assert one("l2bmb $lc0 $lb0").l1bs is None
    assert one("l2bmd@1/6 $lc0 $lb0").l1bs == {1, 3, 5, 7}
    chosen = one("l2bmi@1/3 $lb0 $lb64")
    assert (chosen.l1bs, chosen.free) == ({0, 1, 2, 3}, 3)


# Section 9.1: which inputs take `e` (widening) and `r` (four singles to halves); everything else takes neither.
WIDENED = {f"{letter}{name}" for letter in "df" for name in ("vfma", "vmul", "vadd", "vpassa")} | {
    f"{letter}{name}" for letter in "dfg" for name in ("mmul", "mfma", "mwrite")
}


NARROWED = {"hvfma", "hvmul", "hvadd", "hvpassa", "hmmul", "hmfma", "hmwrite", "hbfn", "hbfe"}


def test_the_first_input_takes_e_and_r_only_where_section_9_says_so() -> None:
    seen: dict[str, set[str]] = {"e": set(), "r": set(), "": set()}
    for text, opcode in OPCODES.items():
        for form in opcode.row.forms:
            inputs = [role for role in form.sources if ROLES[role].types != (Matrix,)]
            if not inputs or PeMemory not in ROLES[inputs[0]].types:
                continue
            matrix = ["$lx"] * (len(form.sources) - len(inputs))
            target = {"lb": "$lb0", "rows": "$lx0"}.get(form.destination, "$ln0v")
            head = text + ("@0" if form.at else "")
            for suffix in seen:
                words = [head, *matrix, f"$lm0v{suffix}", *["$lr0v"] * (len(inputs) - 1), target]
                with contextlib.suppress(AssemblyError):
                    assemble(" ".join(words))
                    seen[suffix].add(f"{opcode.precision}{opcode.row.name}")
    assert seen["e"] == WIDENED | {"fl1bmr", "fl1bmr4"}
    assert seen["r"] == NARROWED
    assert seen[""] > {"msl", "msr", "l1bmd", "l1bmm", "l1bmm4", "fl1bmr", "iadd"} | WIDENED | NARROWED
