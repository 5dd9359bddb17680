"""Operand text to decoded operands (isa.md, section 5), with exact messages for what is wrong."""

from __future__ import annotations

import pytest

from simulator.assembly.operands import OperandError, parse_l1bs, parse_mask, parse_operand
from simulator.isa.program import (
    BaseAddress,
    Dar,
    Dram,
    DramIndirect,
    Fixed,
    Immediate,
    L1bm,
    L2bm,
    MaskRegister,
    Matrix,
    NoWrite,
    Operand,
    Path,
    Pdm,
    PeMemory,
    TRegister,
    Turnaround,
)

OPERANDS: dict[str, Operand] = {
    "$m5": PeMemory("lm0", 1, (5, 5, 5, 5)),
    "$lm8v": PeMemory("lm0", 2, (8, 10, 12, 14)),
    "$lln0v": PeMemory("lm1", 4, (0, 4, 8, 12)),
    "$r3v": PeMemory("grf0", 1, (3, 4, 5, 6)),
    "$ls0v16": PeMemory("grf1", 2, (0, 16, 32, 48)),
    "$lm[16,18,16,18]": PeMemory("lm0", 2, (16, 18, 16, 18)),
    "$llr[0, 4, 8, 12]": PeMemory("grf0", 4, (0, 4, 8, 12)),
    "$lm4094v": PeMemory("lm0", 2, (4094, 0, 2, 4)),
    "$lr0j1": PeMemory("grf0", 2, (0, 0, 0, 0), j=1),
    "$lm0v4j3": PeMemory("lm0", 2, (0, 4, 8, 12), j=3),
    "$lmt": PeMemory("lm0", 2, (0, 0, 0, 0), indirect=True),
    "$mt8v2": PeMemory("lm0", 1, (8, 10, 12, 14), indirect=True),
    "$lmt[0,2,4,6]": PeMemory("lm0", 2, (0, 2, 4, 6), indirect=True),
    "$t": TRegister(),
    "$lt": TRegister(),
    "$llt": TRegister(),
    "$aluf": Path("aluf"),
    "$lbf": Path("lbf"),
    "$mauf": Path("mauf"),
    "$mreadf": Path("mreadf"),
    "$msb1": Fixed("msb1"),
    "$l2bid": Fixed("l2bid"),
    "$subpeid": Fixed("subpeid"),
    "$mb": BaseAddress("lm0", 1),
    "$lnb": BaseAddress("lm1", 2),
    "$omr15": MaskRegister(15),
    "$nowrite": NoWrite(),
    "$lb64": L1bm(64, 2),
    "$llb8": L1bm(8, 4),
    "$lbi": Turnaround(2),
    "$llbi": Turnaround(4),
    "$lx": Matrix("x", None),
    "$ly4": Matrix("y", 4),
    "$llx2": Matrix("x", 2, double=True),
    "$d536870911@3": Dram(2**29 - 1, 3),
    "$d0": Dram(0, None),
    "$di7@1": DramIndirect(7, 1),
    "$p524287@0": Pdm(524287, 0),
    "$lc32": L2bm(32),
    "$lc32@1.0": L2bm(32, 1, 0),
    "$lc32@.1": L2bm(32, None, 1),
    "$dar4": Dar(4),
}


@pytest.mark.parametrize("text", OPERANDS)
def test_every_form_decodes(text: str) -> None:
    assert parse_operand(text) == (OPERANDS[text], False, "")


@pytest.mark.parametrize(
    ("text", "negate", "suffix"),
    [
        ("-$lr0", True, ""),
        ("$lr0e", False, "e"),
        ("-$lr0ve", True, "e"),
        ("$mauf" + "r", False, "r"),
        ("$te", False, "e"),
    ],
)
def test_decorations(text: str, negate: bool, suffix: str) -> None:
    assert parse_operand(text)[1:] == (negate, suffix)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ('i"-1"', 0xFFFFFFFF),
        ('i"0x80000000"', 0x80000000),
        ('i"0b101"', 5),
        ('ui"4294967295"', 0xFFFFFFFF),
        ('s"-2"', 0xFFFEFFFE),
        ('f"1.0"', 0x3F800000),
        ('f"-2e-1"', 0xBE4CCCCD),
        ('f"inf"', 0x7F800000),
        ('f"-0.0"', 0x80000000),
        ('h"1"', 0x3E003E00),
    ],
)
def test_immediates(text: str, word: int) -> None:
    assert parse_operand(text)[0] == Immediate(word)


WRONG = {
    "$lm3": ("must be a multiple of 2 words", "use 2 or 4"),
    "$llr[0,4,6,8]": ("address 6 of `$llr` must be a multiple of 4 words", "use 4 or 8"),
    "$lm4096": ("the address in LM0 is 4096, but must be below 4096", "use 0 to 4095"),
    "$r512": ("the address in GRF0 is 512", "use 0 to 511"),
    "$lr[0,2,4]": ("an address list has four numbers", "write $lr[0,0,0,0]"),
    "$lnt0": ("only LM0 can be addressed through T", "use $lmt"),
    "$lmt0j1": ("`j` cannot be combined with T indirection", "leave out"),
    "$lr0j4": ("the PE number after `j` is 4", "use 0 to 3"),
    "$lm": ("`$lm` has no address", "write $lm0"),
    "$lmv": ("`$lmv` has no address", "$lm0v"),
    "lm0v": ("`lm0v` is not an operand", "$lm0v"),
    "$omr0": ("entry 0 cannot be written", "$omr1 to $omr15"),
    "$omr16": ("entry 16 cannot be written", "$omr1 to $omr15"),
    "$llx3": ("must be even", "use 2 or 4"),
    "$lx16": ("the matrix row is 16", "use 0 to 15"),
    "$lb8192": ("the L1BM address is 8192", "use 0 to 8191"),
    "$lb": ("`$lb` has no address", "write $lb0"),
    "$lc32768": ("the L2BM address is 32768", "use 0 to 32767"),
    "$lc0@1": ("names a group but no L2B", "$lc0@1.0"),
    "$lc0@1.2": ("the L2B of a group is 2", "use 0 to 1"),
    "$d0@4": ("the group is 4", "use 0 to 3"),
    "$d536870912": ("the DRAM address is 536870912", "use 0 to"),
    "$p524288": ("the PDM address is 524288", "use 0 to"),
    "$di1024": ("the DRAM table entry is 1024", "use 0 to 1023"),
    'i"4294967296"': ("does not fit", "the range is"),
    'ui"-1"': ("does not fit", "the range is 0"),
    's"70000"': ("does not fit", "the range is -32768"),
    'i"1.5"': ("is not an integer", "decimal"),
    'f"nan"': ("is not a number of the machine", "1.5"),
    'h"one"': ("is not a number of the machine", "1.5"),
    "$peide": ("`$peide` is not an operand", "isa.md"),
}


@pytest.mark.parametrize("text", WRONG)
def test_what_is_wrong_and_what_to_try(text: str) -> None:
    message, fix = WRONG[text]
    with pytest.raises(OperandError) as caught:
        parse_operand(text)
    assert message in caught.value.message
    assert fix in caught.value.fix


@pytest.mark.parametrize(
    ("text", "entry", "words"),
    [
        ("1000", 24, 1),
        ("0001", 17, 1),
        ("1111", 31, 1),
        ("l0000", 16, 2),
        ("ll0111", 23, 4),
        ("$imr3", 3, 1),
        ("$limr31", 31, 2),
        ("$llimr3", 3, 4),
        ("1000t", 24, 1),
        ("$imr3p", 3, 1),
    ],
)
def test_masks(text: str, entry: int, words: int) -> None:
    assert parse_mask(text) == (entry, words)


@pytest.mark.parametrize("text", ["100", "1002", "$imr32", "imr3", ""])
def test_masks_that_do_not_exist(text: str) -> None:
    with pytest.raises(OperandError):
        parse_mask(text)


def test_exactly_27_sets_of_l1bs_can_be_chosen() -> None:
    """8 singles, 12 pairs that differ in one bit, 6 halves, all (isa.md, section 7.1)."""
    chosen = {parse_l1bs(f"{base}/{bits}")[0] for base in range(8) for bits in range(8)}
    assert sorted(map(len, chosen)) == [1] * 8 + [2] * 12 + [4] * 6 + [8]
    for l1bs in chosen:
        assert parse_l1bs(",".join(map(str, sorted(l1bs))))[0] == l1bs


@pytest.mark.parametrize("text", ["8", "0/8", "0,3", "0,1,2", "", "a", "0,1/2"])
def test_sets_of_l1bs_that_cannot_be_chosen(text: str) -> None:
    with pytest.raises(OperandError):
        parse_l1bs(text)
