"""`compare`: the first difference of two dumps and its exit status."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator import SimulatorError
from simulator.__main__ import main
from simulator.judge.compare import compare

ONE = "DEBUG-LM0(n0c0b0m0p0,0):(1, 2) (0x3f800000, 0x40000000) #d getf $lm0n0c0b0m0p0 1"
TWO = "DEBUG-LM0(n0c0b0m0p0,2):(1, 3) (0x3f800000, 0x40400000) #d getf $lm0n0c0b0m0p0 2"


def test_no_difference_whatever_the_statement_type_or_empty_lines() -> None:
    whole = "DEBUG-LM0(n0c0b0m0p0,0):(f:0.0078125, i:{{0x3F80,0x0},{0x4000,0x0}}, v:0x3F80000040000000) #d get $lm0 1"
    assert compare(ONE, ONE.replace("#d getf", "#d getf  ")) is None
    assert compare(f"{ONE}\n", f"\n{ONE}") is None
    assert compare(whole, ONE) is None
    assert compare("", "") is None


def test_first_difference_has_place_and_values() -> None:
    found = compare(f"{ONE}\n{TWO}", f"{ONE}\n{TWO.replace('40400000', '40400001')}", "a", "b")
    assert found is not None and found.first is not None and found.second is not None
    assert (found.first.memory, found.first.unit, found.first.address, found.first.line) == ("LM0", "n0c0b0m0p0", 2, 2)
    assert found.text("a", "b").splitlines() == [
        "LM0 of n0c0b0m0p0, address 2",
        "    a:2: (1, 3) (0x3f800000, 0x40400000)",
        "    b:2: (1, 3) (0x3f800000, 0x40400001)",
    ]


def test_masks_and_signs_of_zero_differ() -> None:
    mask = "DEBUG-OMR(n0c0b0m0p0,1):Mask{%d} #d get $omr1 1"
    assert compare(mask % 15, mask % 15) is None
    assert compare(mask % 15, mask % 7) is not None
    zero = "DEBUG-LM0(n0c0b0m0p0,0):(0) (0x%016x) #d getd $lm0 1"
    assert compare(zero % 0, zero % (1 << 63)) is not None


def test_other_places_and_lengths() -> None:
    other = compare(ONE, TWO)
    assert other is not None and other.text("a", "b").startswith("the dumps show different places\n    a:1: LM0 of")
    short = compare(f"{ONE}\n{TWO}", ONE)
    assert short is not None and short.second is None and "    b ends" in short.text("a", "b")


def test_lines_that_are_no_dump() -> None:
    with pytest.raises(SimulatorError, match="b:2: `hello` is not a dump line"):
        compare(f"{ONE}\n{TWO}", f"{ONE}\nhello", "a", "b")


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "p.vsm"
    dumps = []
    for name, value in (("a", "1.5"), ("b", "1.5"), ("c", "2")):
        program.write_text(f'imm f"{value}" $lr0\nd getf $lr0n0c0b0m0p0 1\n')
        dumps.append(str(tmp_path / name))
        assert main(["run", str(program), "-d", dumps[-1]]) == 0
    assert main(["compare", dumps[0], dumps[1]]) == 0
    assert capsys.readouterr().out == "no difference\n"
    assert main(["compare", dumps[0], dumps[2]]) == 1
    assert capsys.readouterr().out.startswith("GREG0 of n0c0b0m0p0, address 0\n")
    assert main(["compare", dumps[0], str(program)]) == 2
    assert main(["compare", dumps[0], str(tmp_path / "none")]) == 2
    assert "is not a dump line" in capsys.readouterr().err
