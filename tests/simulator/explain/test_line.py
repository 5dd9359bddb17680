"""`explain`: what it says about each kind of instruction, on lines small enough to check by eye."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator import assemble, isa
from simulator.__main__ import main
from simulator.explain.line import explain, explain_line, sentences
from simulator.view.words import frame_words


def told(text: str) -> list[str]:
    return [line.strip() for line in explain(assemble(text)).splitlines()]


def test_every_operand_and_cycle_of_an_addition() -> None:
    assert told("fvadd $lm8v -$lr[0,4,8,12] $n0v4/1010") == [
        "1: fvadd $lm8v -$lr[0,4,8,12] $n0v4/1010",
        "fvadd (MAU): x + y, element by element",
        "single precision, 2 elements per PE and cycle",
        "x = LM0[8 + 2c, +1]",
        "y = GRF0[4c, +1], negated",
        "result = LM1[4c], only in cycle 0, 2",
        "cycle  x           y            to",
        "0      LM0[8-9]    GRF0[0-1]    LM1[0]",
        "1      LM0[10-11]  GRF0[4-5]    not written",
        "2      LM0[12-13]  GRF0[8-9]    LM1[8]",
        "3      LM0[14-15]  GRF0[12-13]  not written",
        "evidence: G",
        "the next step finds the result on $mauf",
    ]


def test_a_transfer_by_its_formula() -> None:
    lines = told("l1bmm $llb16 $llr8v")
    assert "PE[m, p, c, w] = L1BM[16 + 8c + 4w + p]" in lines
    assert "1      L1BM[24-31]  GRF0[12-15]" in lines
    assert lines[-1] == "the next step finds the result on $lbf"


def test_l2bm_names_the_l1bs() -> None:
    lines = told("l2bmd@0/3 $lc64 $lb8")
    assert "L1BM[b, 8 + 8c + k] = L2BM[64 + 64c + 8b + k]   for k < 8, b in {0, 1, 2, 3}" in lines
    assert "0      L2BM[64-95]    L1BM[8-15] of L1B 0-3" in lines


def test_mv_with_units_and_cost() -> None:
    lines = told("mvp/n64i01 $d0@1 $lc128@1.0")
    assert "to: L2BM[128-191] of group 1, L2B 0" in lines
    assert "from: DRAM[0-63] of group 1" in lines
    assert "tag 01: `wait i01` holds the program until this is done" in lines
    assert "64 long words at 16 per cycle: 4 cycles" in lines
    assert "combined by fadd, single precision" in told("mvrffadd/n64 $lc0 $p0@0")
    assert any("DRAM address table" in line for line in told("mvp/n64nd2 $di3@0 $p0@0"))


def test_masks_of_every_kind() -> None:
    written = told("iinc $lr0v $ls0v/$imr3")
    assert any("mask register entry 3 is 1, its flags guard the halves of long word 0" in line for line in written)
    double = told("lpassa $llr0v $lls0v/$llimr3")
    assert any("its four flags guard the four words" in line for line in double)
    default = told("maskr 18\niinc $ls0v $lr0v")
    assert any("only in cycle 2 (by the `mask` statement)" in line for line in default)
    flushed = told("iinc/1000 $ls0v $lr0v")
    assert any(line.startswith("zero-flush: the result is kept only in cycle 0") for line in flushed)
    flags = told("iinc $ls0v $lr0v $omr2")
    assert "result = mask register entry 2: the flags of the instruction" in flags
    masked = told("iinc $ls0v $omr2/1000")
    assert any("only in cycle 0, cleared elsewhere" in line for line in masked)
    assert any(line.startswith("3 ") and line.endswith("mask 2 cleared") for line in masked)
    assert any("entry 3 is 1, flag by flag, cleared elsewhere" in line for line in told("iinc $ls0v $omr2/$imr3"))


def test_a_zero_flush_of_four_singles_guards_words() -> None:
    halves, words = "its flags guard the halves of long word 0", "its four flags guard the four words"
    for line in ("fvadd/$imr1 $lm0v $lr0v $ln0v", "hvmulr/$imr1 $lm0v $lr0v $ln0v", "sadd/$imr1 $lm0v $lr0v $ln0v"):
        assert halves in " ".join(told(line))
    for line in ("hvmul/$imr1 $lm0v $lr0v $lln0v", "hmmul/$imr1 $lx $lm0v $lln0v"):
        assert words in " ".join(told(line))


def test_addresses_that_a_run_decides() -> None:
    lines = told("lpassa $lmt8v $ln0v")
    assert "x = LM0[T[c] + 8 + 2c, +1]" in lines
    assert "1      LM0[T[1] + 10-11]  LM1[2-3]" in lines
    assert "result = GRF0[0, +1], 2 further on in PEs 0 to 1 of each MAB" in told("lpassa $lm0 $lr0j1")
    assert "result = the base address register of LM0: the low 12 bits" in told('imm i"8" $lmb')


def test_matrix_instructions() -> None:
    write = told("gmwrite $lr0v $lx4")
    assert "M[(4 + c + d) mod 8, 2p + k] = PE[p, c, d, k]   for d < 1, k < 2" in write
    assert "3      GRF0[6-7]  row 7 of $x" in write
    assert "0      column 2-3 of $x  GRF0[0-3]" in told("hmread $llx2 $llr0v")
    assert "3      column 12-13 of $x  GRF0[12-15]" in told("hmread $llx6 $llr0v")
    assert "3      GRF0[12-15]  row 12-13 of $x" in told("hmwrite $llr0v $llx6")
    single = "j counts the 4 PEs: M[i, 2j] times the first word of x in PE j"
    assert single in told("fmmul $lx $lr0v $ln0v") and single not in told("gmmul $lx $lr0v $ln0v")
    product = told("dmfmau $lx $lr0v $mauf $ln0v")
    assert "products only in PEs 0 and 1 of each MAB" in product
    assert "y = $mauf, what the MAU put out in the same cycle of the last step" in product


def test_widening_rounding_and_fixed_values() -> None:
    assert "x = GRF0[c], widened from half precision" in told("fvadd $r0ve $lm0v $ln0v")
    assert "x = GRF0[4c, +1, +2, +3], rounded to half precision first" in told("hvmul $llr0vr $lm0v $lln0v")
    assert "the result is rounded directly to half precision and packed" in told("fvaddr $lr0v $lm0v $n0v")
    assert "x = $peid, the number of the PE in its L1B (0 to 63)" in told("lpassa $peid $ln0")
    assert "0 to 3  $peid  LM1[0-1]" in told("lpassa $peid $ln0")
    assert "unsigned" in told("uiadd $lm0v $lr0v $ln0v")


def test_steps_of_several_instructions_nops_and_statements() -> None:
    lines = told("fvmul $lm0v $lr0v $ln0v ; l1bmm $lb0 $ls0v")
    assert "2 instructions in one step; all read before any of them writes" in lines
    assert lines[-1] == "the next step finds the result on $mauf, $lbf"
    assert told("nop/3")[1] == "nothing for 3 steps = 12 cycles; the forwarding paths keep what they hold"
    assert told('noforward; imm i"1" $t')[-1] == "evidence: G"
    assert told("d set $lm0n0 1 3F80000040000000")[1] == "sets 1 long words of LM0 from address 0 on, in n0"
    assert told("d getf $lc8 2")[1] == "prints 2 long words of L2BM from address 8 on, of every unit"
    assert "DRAM of group 2 from address 16 on" in told("r 2 000000010 001 0000000000000001")[1]
    assert "what is sent also stays in the turnaround register, for `$lbi` in the next step" in told(
        "l1bmm@0 $lm0v $lbi"
    )


@pytest.mark.parametrize("row", [*isa.INSTRUCTIONS.values(), *isa.MOVES.values()], ids=lambda row: row.name)
def test_meaning_comes_from_the_table(row: isa.Row) -> None:
    text = explain(assemble(row.example))
    if row.name != "nop":
        assert row.meaning in text


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.vsm"
    file.write_text("nop\n\nfvadd $lm0v $lr0v $ln0v\n")
    assert main(["explain", str(file)]) == 0
    assert [line for line in capsys.readouterr().out.splitlines() if line and line[0].isdigit()] == [
        "1: nop",
        "3: fvadd $lm0v $lr0v $ln0v",
    ]
    assert main(["explain", "fvadd $lm0v $lr0v $ln0v"]) == 0
    assert "x + y" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("fvadd $lm0v $lr1v $ln0v", "line:1:13: error: address 1 of `$lr` must be a multiple of 2 words"),
        ("fvad $lm0v $lr0v $ln0v", "line:1:1: error: `fvad` is not complete"),
        ("nop; fvadd $lm0v", "line:1:6: error:"),
        ("# nothing", "contains no instruction"),
        ("missing.vsm", "cannot read missing.vsm"),
    ],
)
def test_mistakes_are_messages_with_columns(what: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", what]) == 2
    assert message in capsys.readouterr().err


def test_text_and_viewer_are_made_of_the_same_sentences() -> None:
    (line,) = assemble("fvadd $lm0v $lr0v $ln0v; l1bmd $lb0 $ls0v").lines
    found = sentences(line)
    assert [sentence.text.split()[0] for sentence in found] == ["2", "fvadd", "l1bmd", "the"]
    assert [bool(sentence.details and sentence.evidence) for sentence in found] == [False, True, True, False]
    for sentence in found:
        assert not sentence.text.startswith(" ") and "evidence:" not in " ".join(sentence.details)
    heads, unfolded = frame_words([line])
    assert heads == [sentence.text for sentence in found]
    assert unfolded.split("\n") == [text[4:] for text in explain_line(line)[1:]]
    assert len(explain_line(line, evidence=False)) == len(explain_line(line)) - 2
