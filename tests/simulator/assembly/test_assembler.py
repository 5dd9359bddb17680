"""Lines to instructions: the whole grammar of isa.md, and every finding with its line and column."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from simulator.assembly import assembler, instructions
from simulator.assembly.assembler import assemble
from simulator.assembly.checks import check_text
from simulator.assembly.instructions import Word
from simulator.engine.machine import Machine
from simulator.errors import AssemblyError
from simulator.isa.program import Instruction, Move, Step, WriteMask
from tests.simulator.assembly.lines import one
from tests.stopwatch import seconds


def move(text: str) -> Move:
    (line,) = assemble(text).lines
    assert isinstance(line, Move)
    return line


def findings(text: str) -> list[tuple[int, int, str]]:
    with pytest.raises(AssemblyError) as caught:
        assemble(text, "t.vsm")
    return [(d.line, d.column, d.message) for d in caught.value.diagnostics]


def test_decorations_and_locations() -> None:
    x, y, z = one("  fvfma -$lr0ve $lm0v $te $ln0v").sources
    assert (x.negate, x.widen, x.narrow, x.offset) == (True, True, False, 6)
    assert (y.negate, y.widen, y.offset) == (False, False, 14)
    assert (z.widen, z.offset) == (True, 20)
    assert one("hvmul $llr0r $ls0 $ln0").sources[0].narrow


def test_steps_nops_comments_blank_lines_and_quit() -> None:
    program = assemble(
        "# comment\n\nnop/7   # seven\nnop ; wait i3f\nfvadd $lm0v $lr0v $ln0v; l1bmp $lb0 $t # two\nquit\nnonsense"
    )
    assert [line.line for line in program.lines] == [3, 4, 5]
    assert (program.steps, program.nops) == (9, 8)
    last = program.lines[-1]
    assert isinstance(last, Step)
    assert [i.op for i in last.instructions] == ["vadd", "l1bmp"]
    assert last.text == "fvadd $lm0v $lr0v $ln0v; l1bmp $lb0 $t"
    assert last.columns == (1, 26)


def test_mask_statements_govern_what_follows() -> None:
    text = "maskllrtk 3\nlpassa $ls0 $lr0 $ln0 $t $omr2\nmaskm 17\nlpassa $ls0 $lm0\nlpassa $ls0 $mb\n"
    text += "mask 0\nlpassa $ls0 $lm0"
    first, second, third, last = (line for line in assemble(text).lines if isinstance(line, Step))
    default = WriteMask(3, 4, explicit=False)
    assert [d.mask for d in first.instructions[0].destinations] == [default, None, default, default]
    assert second.instructions[0].destinations[0].mask == WriteMask(17, 1, explicit=False)
    assert third.instructions[0].destinations[0].mask == WriteMask(17, 1, explicit=False)
    assert last.instructions[0].destinations[0].mask is None


def test_an_explicit_mask_disables_the_default_of_the_whole_line() -> None:
    (line,) = assemble("maskrn 3\nlpassa $ls0 $lr0 ; l1bmp $lb0 $ln0/$llimr4").lines
    assert isinstance(line, Step)
    assert [i.destinations[0].mask for i in line.instructions] == [None, WriteMask(4, 4)]


@pytest.mark.parametrize(
    ("text", "op", "size", "tag", "priority", "units"),
    [
        ("mvp/n64 $p0@1 $d16@2", "mvp", 64, None, 0, 1),
        ("mvp/i02n64 $d0@1 $lc0@1.0", "mvp", 64, 2, 0, 1),
        ("mvp/n64i3fp3 $lc0@.1 $p0", "mvp", 64, 0x3F, 3, 1),
        ("mvp/n128 $lc0 $d0", "mvp", 128, None, 0, 1),
        ("mvp/n64 $p0@0 $p64@3", "mvp", 64, None, 0, 1),
        ("mvp/n64nd2 $di3@1 $p0@1", "mvp", 64, None, 0, 2),
        ("mvb/n64 $p0@3 $lc0", "mvb", 64, None, 0, 1),
        ("mvb/n64 $d0 $lc0", "mvb", 64, None, 0, 1),
        ("mvb2/n64 $d0 $lc0", "mvb2", 64, None, 0, 1),
        ("mvb4/n64 $d0 $lc0", "mvb4", 64, None, 0, 1),
        ("mvd/n64 $p0@0 $d0", "mvd", 64, None, 0, 1),
        ("mvd/n64 $lc0 $p0@0", "mvd", 64, None, 0, 1),
        ("mvrffadd/n64 $lc0 $p0@0", "mvr", 64, None, 0, 1),
        ("mvr2dfadd/n64 $lc0 $d0", "mvr2", 64, None, 0, 1),
        ("mvr4sand/n64 $lc0 $d0", "mvr4", 64, None, 0, 1),
        ("mvnop", "mvnop", 0, None, 0, 1),
    ],
)
def test_moves(text: str, op: str, size: int, tag: int | None, priority: int, units: int) -> None:
    found = move(text)
    assert (found.op, found.size, found.tag, found.priority, found.units) == (op, size, tag, priority, units)


def test_a_move_keeps_its_reduction() -> None:
    assert (move("mvr4sand/n64 $lc0 $d0").precision, move("mvr4sand/n64 $lc0 $d0").reduction) == ("s", "and")


WRONG = {
    # opcodes
    "fvfmaa $lr0 $ls0 $t $ln0": (1, "`fvfmaa` is not an instruction"),
    "dvfma $lr0 $ls0 $t $ln0": (1, "`dvfma` is not complete"),
    "vfma $lr0 $ls0 $t $ln0": (1, "`vfma` is not complete"),
    "FVADD $lr0 $ls0 $ln0": (1, "`FVADD` is not an instruction"),
    "fvadd $lr0 $ls0 $ln0 ; mvp/n64 $p0 $d0": (24, "`mvp` cannot share a line"),
    "fvadd+1 $lr0 $ls0 $ln0": (1, "`fvadd` takes no shift `+1`"),
    "l1bmd+16 $lb0 $lm0v": (1, "the shift `+16` must be between -15 and +15"),
    "fvadd@1 $lr0 $ls0 $ln0": (1, "`vadd` with these operands takes no `@1`"),
    "nop/0": (1, "`/0` is out of range for `nop`"),
    "hbfn/5 $lr0 $ls0": (1, "`/5` is neither a number for `hbfn` nor a zero-flush mask"),
    "fmwrite/$imr1 $lr0 $lx0": (1, "`fmwrite` takes no `/$imr1`"),
    "lpassa/$imr1/$imr2 $lr0 $ls0": (1, "`lpassa` has two zero-flush masks"),
    "lpassa/$llimr1 $lr0 $ls0": (1, "a zero-flush mask has no length"),
    "l1bmm@1/1000 $lr0v $lb0": (1, "`@1/1000` does not name a MAB"),
    "l1bmrffadd/1000 $lr0v $lb0": (1, "zero-flush works only on what goes to the PEs"),
    "l1bmp $lbi $lr0v": (7, "this operand cannot stand here"),  # no transfer to the L1BM is of its family
    "l1bmm $lr0v $lb0": (1, "`l1bmm` does not say which MAB it reads"),
    "l1bmm@16 $lr0v $lb0": (1, "`@16` does not name a MAB"),
    "l1bmm4@4 $lr0v $lb0": (1, "`@4` does not name a MAB"),
    "l1bmm@1 $lb0 $lr0v": (1, "`l1bmm` with these operands takes no `@1`"),
    "l2bm $lb0 $lc0": (1, "`l2bm` does not say which L1B it reads"),
    "l2bm@0/3 $lb0 $lc0": (1, "`l2bm` reads one L1B, not 4"),
    "l2bmd@0 $lb0 $lc0": (1, "`l2bmd` with these operands takes no `@0`"),
    "l2bmi@0/7 $lb0 $lb64": (1, "`l2bmi` cannot have all L1Bs as sources"),
    "nop ; wait i00": (7, "`wait` needs a tag from i01 to i3f"),
    "nop ; wait 1": (7, "`wait` needs a tag from i01 to i3f"),
    # characters
    "fvadd $lr0 $lＳ0 $ln0": (14, "`Ｓ` is not ASCII"),
    f"nop/{'9' * 20}": (5, "the number 99999999999999999999… is too large"),
    f"lpassa $lr{'1' * 5000} $ln0": (1, "the line has 5015 characters"),
    "hmwrite $llr0vr $llx0": (1, "`r` gives four halves, which is one row per cycle, not two"),
    # operand counts and kinds
    "fvadd $lr0 $ln0": (1, "`fvadd` is short of operands: 2 given"),
    "nop $lr0": (1, "`nop` has too many operands: 1"),
    "l1bmm@0 $lr0 $lb0 $lb4": (1, "`l1bmm@0` has too many operands: 3"),
    "fvadd 1.0 $ls0 $ln0": (7, "`1.0` is not an operand"),
    "fvadd $lr0 $peid $ln0": (12, "fixed values and $mreadf may be only the first ALU input"),
    "iadd $lr0 $mreadf $ln0": (11, "fixed values and $mreadf may be only the first ALU input"),
    "l1bmm@0 $mreadf $lb0": (9, "fixed values and $mreadf may be only the first ALU input"),
    "fvadd $lr0 $ls0 $mauf": (17, "this operand cannot stand here"),
    "fvadd $lr0 $ls0 $lb0": (17, "this operand cannot stand here"),
    'iadd $lr0 i"1" $ln0': (11, "this operand cannot stand here"),
    "zero $omr1": (6, "`zero` makes no mask flags"),
    "lpassa $lr0 $nowrite $ls0": (1, "$nowrite must be the only destination"),
    "gmmul $lx0 $lr0v $ln0v": (7, "a product reads the whole matrix, without row"),
    "gmwrite $lr0v $lx": (15, "`$lx` needs a row here"),
    "gmwrite $llr0v $llx0": (16, "`$llx` exists only for half precision"),
    "hmread $lx0 $lr0v": (8, "hmread always reads two columns per cycle"),
    # decorations
    "iadd -$lr0 $ls0 $ln0": (6, "`-` is only for the inputs of MAU instructions"),
    "hvadd $lr0e $ls0 $ln0": (7, "this input cannot be widened with `e`"),
    "lpassa $lr0e $ln0": (8, "this input cannot be widened with `e`"),
    "fvadd $lr0r $ls0 $ln0": (7, "`r` is only for MAU factors that are halves, hmwrite, hbfn and hbfe"),
    "hvadd $lr0 $ls0r $ln0": (12, "`r` is only for MAU factors that are halves, hmwrite, hbfn and hbfe"),
    "hmwrite $lr0e $lx0": (9, "this input cannot be widened with `e`"),
    "gmwrite $lr0r $lx0": (9, "`r` is only for MAU factors"),
    "gbfn $lm0vr $lr0v": (6, "`r` is only for MAU factors"),
    "hbfn $lm0ve $lr0v": (6, "this input cannot be widened with `e`"),
    "l1bmrffadd $lm0vr $lb0": (12, "`r` is only for MAU factors"),
    "l1bmrliadd $lm0ve $lb0": (12, "this input cannot be widened with `e`"),
    "lpassa $lr0 $ln0e": (13, "a destination has no `-`, `e` or `r`"),
    # alignment and masks of transfers
    "l1bmm $lb2 $lm0v": (7, "L1BM address 2 must be a multiple of 4 here"),
    "l1bmm $llb4 $llm0v": (7, "L1BM address 4 must be a multiple of 8 here"),
    "l1bmm4 $lb8 $lm0v": (8, "L1BM address 8 must be a multiple of 16 here"),
    "l1bmd $lm0v $lb32": (13, "L1BM address 32 must be a multiple of 64 here"),
    "l1bmd $lm0v $llb64": (13, "`l1bmd` moves one long word per PE"),
    "l1bmrdfadd $lm0v $llb0": (18, "`$llb` reductions are single precision or bor, not dfadd"),
    "l2bmb $lc8 $lb0": (7, "L2BM address 8 must be a multiple of 16 here"),
    "l2bmd $lc64 $lb4": (13, "L1BM address 4 must be a multiple of 8 here"),
    "l2bmd $lb0 $lc32": (12, "L2BM address 32 must be a multiple of 64 here"),
    "l2bmb2 $lc16 $lb0": (8, "L2BM address 16 must be a multiple of 64 here"),
    "l2bmi@0 $lb8 $lb64": (9, "L1BM address 8 must be a multiple of 16 here"),
    "l2bmb $lc0@0.0 $lb0": (7, "L2BM instructions run in every L2B"),
    "l2bmb $lc0 $llb0": (12, "`l2bmb` moves one long word per PE"),
    "l1bmm@0 $lm0v $lb0/1000": (15, "`$lb0` takes no write mask"),
    "lpassa $lr0 $ln0/10": (13, "`/10` is not a write mask"),
    # MV
    "mvx/n64 $p0 $d0": (1, "`mvx` is not an MV instruction"),
    "mvr/n64 $lc0 $d0": (1, "`mvr` is not an MV instruction"),
    "mvp $p0 $d0": (1, "`mvp` has no size"),
    "mvp/n32 $p0 $d0": (1, "the size 32 is not a multiple of 64 long words"),
    "mvp/n0 $p0 $d0": (1, "the size 0 is not a multiple of 64 long words"),
    "mvp/n64n64 $p0 $d0": (1, "`mvp` has the parameter `n` twice"),
    "mvp/n64p4 $p0 $d0": (1, "cannot read `p4` in the parameters of `mvp`"),
    "mvp/n64nd2 $p0 $d0": (1, "`nd` is only for addresses from the DRAM table"),
    "mvp/n64 $p0": (1, "`mvp` needs a source and a destination"),
    "mvp/n64 $p0@0 $d0": (1, "`mvp` does not move from $p0@g to $d0"),
    "mvp/n64 $d0 $d64": (1, "`mvp` does not move from $d0 to $d0"),
    "mvb/n64 $p0 $lc0": (1, "`mvb` does not move from $p0 to $lc0"),
    "mvp/n64 $lm0 $d0": (9, "MV instructions move between $p, $d and $lc only"),
    "mvp/n64 -$p0 $d0": (9, "an MV operand has no `-`, `e` or `r`"),
    "mvnop/n64": (1, "`mvnop` takes no parameters"),
    # statements
    "nop !": (5, "`!` is not allowed in a program"),
    "mask": (1, "cannot read the mask statement `mask`"),
    "maskr 32": (1, "`32` is not an entry of the mask register"),
    "mask 3": (1, "the mask statement lists no memory"),
}


@pytest.mark.parametrize("text", WRONG)
def test_what_is_wrong_and_where(text: str) -> None:
    column, message = WRONG[text]
    ((line, found_column, found),) = findings(f"nop\n{text}")
    assert (line, found_column) == (2, column)
    assert message in found


def test_all_findings_of_a_file_come_at_once() -> None:
    found = findings("fvadd $lm1v $lr512 $ln0v\nnop\n  fvadd $lm0 $lr0 $lq0 ; lpasa $t $ln0\nmvp/n1 $p0 $d0")
    assert [(line, column) for line, column, _ in found] == [(1, 7), (1, 13), (3, 19), (3, 26), (4, 1)]


def test_an_error_renders_with_place_and_remedy() -> None:
    with pytest.raises(AssemblyError) as caught:
        assemble("nop\n  dvmul $lr0 $ls0 $nowrite", "relu.vsm")
    assert str(caught.value) == ("relu.vsm:2:3: error: `dvmul` is not complete\n    try: did you mean dvmulu, dvmuld?")


def test_an_instruction_in_a_precision_that_it_does_not_have_is_named_in_those_that_it_has() -> None:
    with pytest.raises(AssemblyError, match="did you mean drelu, frelu, hrelu"):
        assemble("lrelu $lm0v $lm0v $ln0v")


def test_assembling_is_quick() -> None:
    """A whole train step is about 2,700 lines; it must not take longer than 0.3 s (generous here: slow machines)."""
    text = "\n".join(
        f"fvfma $lm{2 * i % 4096}v $lr{2 * i % 512}v $mauf $ls0v ; l1bmm $lb{4 * i % 8192} $ln0v\nnop/2"
        for i in range(1350)
    )

    def work() -> None:
        assembler.known_under.cache_clear()
        assert assemble(text).steps == 1350 * 3

    assert seconds(work) < 1.5


@pytest.mark.slow
def test_golden_files_assemble(shared: Path) -> None:
    files = sorted((shared / "golden").glob("*.vsm"))
    assert files
    for path in files:
        text = path.read_text()
        statements = [line for line in text.splitlines() if line.split("#")[0].strip()]
        assert len(assemble(text, path.name).lines) == len(statements)


# --- large texts -----------------------------------------------------------------------------------------------------


def test_equal_lines_are_decoded_once_but_stand_where_they_stand(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ["  lpassa $lm0v $lr0v/$imr1; l1bmm $lb0 $ln0v", "nop/3", "iadd $lr0 $ls0 $t $omr1"]
    text = "\n".join([*lines, *lines, "maskt 5", *lines, "mask 0", *lines])
    decoded: list[str] = []

    def decode(words: Sequence[Word], text: str, *more: Any) -> Instruction | None:
        decoded.append(text)
        return instructions.decode(words, text, *more)

    monkeypatch.setattr(assembler, "decode", decode)
    assembler.known_under.cache_clear()
    steps = [line for line in assemble(text).lines if isinstance(line, Step)]
    assert len(decoded) == 4 + 2  # four instructions; again under a mask, but for a line that has one of its own
    assembler.known_under.cache_clear()
    numbers = [1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 13, 14]
    for step, number in zip(steps, numbers, strict=True):
        (alone,) = [
            x for x in assemble("\n" * (number - 1) + text.split("\n")[number - 1]).lines if isinstance(x, Step)
        ]
        masked = number == 10
        assert (step == alone) is not masked and step.line == number
    assert steps[8].instructions[0].destinations[0].mask == WriteMask(5, 1, explicit=False)


@pytest.mark.slow
def test_a_million_nops_take_seconds() -> None:
    def work() -> None:
        program, found = check_text("nop\n" * 100_000)
        assert (program.steps, found) == (100_000, [])
        Machine().run(program)

    assert seconds(work, tries=1) < 10  # a tenth of a million; about one second


@pytest.mark.slow
def test_too_many_lines_and_too_many_mistakes(monkeypatch: pytest.MonkeyPatch) -> None:
    def work() -> None:
        with pytest.raises(AssemblyError, match="the rest of the text was not read") as caught:
            assemble("lpasa $lr0 $ls0\n" * 100_000)
        assert len(caught.value.diagnostics) == assembler.MOST_FINDINGS + 1

    assert seconds(work, tries=1) < 10
    monkeypatch.setattr(assembler, "MOST_LINES", 10)
    assert assemble("nop\n" * 9).steps == 9
    with pytest.raises(AssemblyError, match=r":11:1: error: the text has 12 lines\n +try: split it"):
        assemble("nop\n" * 11)
    assert assemble("nop\n" * 5 + "quit\n" + "nop\n" * 11).steps == 5


def test_a_number_of_nops_has_a_limit() -> None:
    assert assemble("nop/2147483647").steps == 2**31 - 1
    for number in ("2147483648", "9" * 30, "0", "-1"):
        with pytest.raises(AssemblyError):
            assemble(f"nop/{number}")


@pytest.mark.parametrize(
    "literal", ['i"1_0"', 'i"0o17"', 'i" 5"', 'i""', 'ui"0x"', 'f"1_0"', 'f"nan"', 'f" 1"', 'h"1e"', 'f"."']
)
def test_numbers_are_written_as_the_text_says(literal: str) -> None:
    """Decimal, 0x, 0b; signs, exponents, inf (isa.md, section 3): not all that Python takes for a number."""
    with pytest.raises(AssemblyError, match="is not a"):
        assemble(f"imm {literal} $t")
