"""Dump lines in the vendor's format (isa.md, section 3.1)."""

from __future__ import annotations

import pytest

from simulator import Machine, assemble
from simulator.engine.state.dump import format_number, format_value


def dump(*lines: str) -> list[str]:
    return Machine().run(assemble("\n".join(lines))).dump


@pytest.mark.parametrize(
    ("value", "dtype", "text"),
    [
        (0x3FF8000000000000, "d", "(1.5) (0x3ff8000000000000)"),
        (0x3FC00000C0A00000, "f", "(1.5, -5) (0x3fc00000, 0xc0a00000)"),
        (0x3E00BE0000008000, "h", "(1, -1, 0, -0) (0x3e00, 0xbe00, 0x0000, 0x8000)"),
        (0xC300788E43E6C407, "", "(f:-5.79519e+14, i:{{0xC300,0x788E},{0x43E6,0xC407}}, v:0xC300788E43E6C407)"),
        (0x3FF8000000000000, "bd", "(1) (0x3ff8000000000000)"),  # no hidden bit: 2^51 * 2^-51
        (0x3FC00000BFA00000, "bf", "(1, -0.5) (0x3fc00000, 0xbfa00000)"),
        (0x3FC00000BFA00000, "bg", "(1, -0.5) (0x3fc00000, 0xbfa00000)"),
        (0x3F00BE807E0000FF, "bh", "(1, -0.5, inf, 0) (0x3f00, 0xbe80, 0x7e00, 0x00ff)"),
        (0, "", "(f:0, i:{{0x0,0x0},{0x0,0x0}}, v:0x0)"),
        (0x8000000000000ABC, "", "(f:-0, i:{{0x8000,0x0},{0x0,0xABC}}, v:0x8000000000000ABC)"),
    ],
)
def test_values(value: int, dtype: str, text: str) -> None:
    assert format_value(value, dtype) == text


@pytest.mark.parametrize(
    ("bits", "text"),
    [
        (0x00000001, "0"),  # exponent field 0 is zero whatever the mantissa
        (0x807FFFFF, "-0"),
        (0x7F800000, "inf"),
        (0xFF812345, "-inf"),
        (0x49742400, "1e+06"),
        (0x3DCCCCCD, "0.1"),
        (0x47C35000, "100000"),
        (0x38D1B717, "0.0001"),
        (0x3727C5AC, "1e-05"),
    ],
)
def test_numbers_print_as_c_does(bits: int, text: str) -> None:
    assert format_number(bits, "f") == text


def test_omitted_units_mean_all_in_order_with_the_words_innermost() -> None:
    lines = dump("d getf $lm0c1b7m15p3 2")
    assert len(lines) == 8
    assert [line.partition(":")[0] for line in lines[:3]] == [
        "DEBUG-LM0(n0c1b7m15p3,0)", "DEBUG-LM0(n0c1b7m15p3,2)", "DEBUG-LM0(n1c1b7m15p3,0)"
    ]  # fmt: skip
    assert len(dump("d getd $ln0n0c0 1")) == 512


@pytest.mark.parametrize(
    ("statement", "head", "echo"),
    [
        ("d getd $ln6n1c0b2m3p1 1", "DEBUG-LM1(n1c0b2m3p1,6):", "#d getd $ln6n1c0b2m3p1 1"),
        ("d getf $lr6n1c0b2m3p1 1 # expect", "DEBUG-GREG0(n1c0b2m3p1,6):", "#d getf $lr6n1c0b2m3p1 1"),
        ("d geth $ls6n1c0b2m3p1 1", "DEBUG-GREG1(n1c0b2m3p1,6):", "#d geth $ls6n1c0b2m3p1 1"),
        ("d getf $t2n1c0b2m3p1 1", "DEBUG-TREG(n1c0b2m3p1,2):", "#d getf $lt2n1c0b2m3p1 1"),
        ("d getd $d100n2 1", "DEBUG-DRAM(n2,100):", "#d getd $d100n2 1"),
        ("d getd $lb100n2c1b3 1", "DEBUG-L1BM(n2c1b3,100):", "#d getd $lb100n2c1b3 1"),
        ("d getd $lc100n2c1 1", "DEBUG-L2BM(n2c1,100):", "#d getd $lc100n2c1 1"),
        ("d getd $p100n2 1", "DEBUG-PDM(n2,100):", "#d getd $p100n2 1"),
    ],
)
def test_lines_name_memory_unit_and_statement(statement: str, head: str, echo: str) -> None:
    (line,) = dump(statement)
    assert line.startswith(head)
    assert line.endswith(f" {echo}")


def test_a_cycle_of_t_is_an_address() -> None:
    lines = dump("d set $lt1n0c0b0m0p0 1 3F80000040000000", "d getf $lt0n0c0b0m0p0 2")
    assert [line.partition(" #")[0] for line in lines] == [
        "DEBUG-TREG(n0c0b0m0p0,0):(0, 0) (0x00000000, 0x00000000)",
        "DEBUG-TREG(n0c0b0m0p0,1):(1, 2) (0x3f800000, 0x40000000)",
    ]


def test_mask_entries_print_a_line_per_cycle() -> None:
    lines = dump("d set $lm0n0c0b0m0p0 1 80000000FFFFFFFF", "iadd $m0v $r0 $r8 $omr2", "d get $omr2n0c0b0m0p0 1")
    values = [line.partition(":")[2].partition(" ")[0] for line in lines]
    assert values == ["Mask{3}", "Mask{3}", "Mask{15}", "Mask{15}"]
    assert lines[0] == "DEBUG-OMR(n0c0b0m0p0,2):Mask{3} #d get $omr2n0c0b0m0p0 1"


@pytest.mark.parametrize("dtype", ["", "d", "f", "h", "bd", "bf", "bg", "bh"])
@pytest.mark.parametrize(
    "place", ["$lm6n1c0b2m3p1", "$n6n1c0b2m3p1", "$lr6n1c0b2m3p1", "$ls6n1c0b2m3p1", "$lt2n1c0b2m3p1", "$lb6n1c0b2",
              "$lc6n1c1", "$p6n1", "$d6n1"]
)  # fmt: skip
def test_every_type_of_every_memory(place: str, dtype: str) -> None:
    value = 0x3FC00000BE00C100
    (line,) = dump(f"d set {place} 1 {value:016X}", f"d get{dtype} {place} 1")
    assert f":{format_value(value, dtype)} #" in line
