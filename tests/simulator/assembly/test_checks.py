"""Same-step rules and waits (isa.md, section 12): every rule with a program it accepts and one that it refuses."""

from __future__ import annotations

import random
from itertools import combinations_with_replacement

import pytest

from simulator.assembly.assembler import assemble
from simulator.assembly.checks import boundary_nops, check, check_text, fix_nops
from simulator.engine.machine import Machine
from simulator.errors import AssemblyError, Diagnostic, ExecutionError

# --- one step --------------------------------------------------------------------------------------------------------

ACCEPTED = [
    "fvadd $lm0v $lr0v $ln0v ; lpassa $lm0v $ls0v ; l1bmp $lb0 $t",
    "nop ; wait i01",
    "fvadd $lm0v $lr0v $ln0v ; wait i01",
    "noforward ; lpassa $lr0 $ls0",
    "gmfma $lx $lr0v $ls0v $ln0v ; gmwrite $lm0v $ly0",
    "fvfma $lm0v -$lr0v $ls0v $ln0v ; fmwrite -$lr0v $lx0",
    "fmread $lx0 $lr0v ; fmwrite $lm0v $ly0",
    "l2bmb $lc0 $lb64 ; l1bmm $lb0 $lm0v ; l1bmm $lbi $ln0v",
    "l2bmb $lc0 $lb64 ; l1bmm@0 $lm0v $lb0",
    "l2bm@0 $lb0 $lc0 ; l1bmm $lb0 $lm0v",
    "iadd $lr0v $lr[0,2,4,6] $ls0v",
    "lpassa $lm0v $lm0v",
    "lpassa $lr0v $lr8v",
    "iadd $t $lmt0 $t",
    'imm i"1" $ln0 ; fvadd $ln0 $lr0 $t',
    "lpassa/$imr1 $lr0 $ln0/$imr1",
    "lpassa $lr0 $ln0/1000 $ls0",
    "lpassa $lr0 $ln0/1000 $ls0/1000",
    "zero $lm0 $ln0 $lr0 $ls0 $t",
    "iadd $lr0 $ls0 $omr1/$imr2",
    "lpassa $lr0 $mb $lm0",
]


@pytest.mark.parametrize("text", ACCEPTED)
def test_steps_that_are_allowed(text: str) -> None:
    assert len(assemble(text).lines) == 1


REFUSED = {
    "lpassa $lr0 $ln0 ; lpassa $lr0 $t": (20, "two ALU instructions in one step"),
    "fvadd $lr0 $ls0 $ln0 ; fvpassa $lr0 $t": (24, "two MAU calculation instructions in one step"),
    "l1bmp $lb0 $lm0 ; l1bmm $lb0 $ln0v": (19, "two L1BM instructions in one step"),
    "l1bmd $lbi $lm0 ; l1bmm $lbi $ln0v": (19, "two turnaround instructions in one step"),
    "l2bmb $lc0 $lb0 ; l2bmb $lc0 $lb64": (19, "two L2BM instructions in one step"),
    "lpassa $lr0 $ln0 ; nop": (20, "nop can share a step only with wait"),
    "wait i01": (1, "wait cannot stand alone"),
    "fvmul $lm0v $lr0v $ln0v ; fmwrite $lr0v $lx0 ; fmread $ly0 $nowrite": (48, "at most two of"),
    "gmfma $lx $lr0v $ls0v $ln0v ; fmwrite $lm0v $ly0": (31, "have one precision, not f and g"),
    "fvmul $lm0v $lr0v $ln0v ; fmwrite $lm0v $lx0": (35, "must read exactly its second input"),
    "fvmul $lm0v $lr0v $ln0v ; fmwrite -$lr0v $lx0": (35, "must read exactly its second input"),
    "gmfma $lx $lr0v $ls0v $ln0v ; gmwrite $lm0v $lx0": (45, "matrix register x is used twice"),
    "iadd $lr0v $lr4v $ln0v": (12, "GRF0 is read at two addresses in one step"),
    "fvadd $lm0v $lr0v $t ; lpassa $lm0 $ls0": (31, "LM0 is read at two addresses in one step"),
    "iadd $lr0j1 $lr0 $ln0": (13, "GRF0 is read at two addresses in one step"),
    "iadd $lm0 $lmt0 $ln0": (11, "LM0 is read at two addresses in one step"),
    "lpassa $lm0v $lm8v": (14, "LM0 is read and written at different addresses"),
    "lpassa $ln0v $lr0 ; l1bmp $lb0 $ln8v": (32, "LM1 is read and written at different addresses"),
    "zero $lr0 $lr4": (11, "GRF0 is written twice in one step"),
    "lpassa $lr0 $t ; l1bmp $lb0 $t": (29, "T is written twice in one step"),
    "iadd $lr0 $ls0 $omr1 $omr2": (22, "the mask register is written twice"),
    "zero $mb $lmb": (10, "the base address of LM0 is written twice"),
    'imm i"1" $lm0': (10, "imm and LM0 cannot be used in one step"),
    'imm i"1" $t ; fvadd $lm0 $lr0 $ln0': (21, "imm and LM0 cannot be used in one step"),
    "lpassa/$imr1 $lr0 $t ; fvadd/$imr1 $lr0 $ls0 $ln0": (24, "two zero-flush masks in one step"),
    "lpassa/$imr1 $lr0 $ln0/$imr2": (19, "all masks of a step use one entry and one length"),
    "lpassa $lr0 $ln0/1000 $ls0/0100": (23, "all masks of a step use one entry and one length"),
    "lpassa $lr0 $ln0/1000 $ls0/l1000": (23, "all masks of a step use one entry and one length"),
    "l2bmb $lc0 $lb0 ; l1bmm $lb16 $lm0v": (25, "two instructions use the same L1BM address"),
    "l2bmd $lb0 $lc0 ; l1bmm@0 $lm0v $lb16": (33, "two instructions use the same L1BM address"),
    "l2bmb $lc0 $lb0 ; l1bmm@0 $lm0v $lb48": (33, "two instructions use the same L1BM address"),
    "l2bmb@1/6 $lc0 $lb16; l1bmr4lband $r[31,2,510,60] $lb8160": (51, "two instructions use the same L1BM address"),
    "l2bmd $lc0 $lb8184 ; l1bmm $lb16 $lm0v": (28, "two instructions use the same L1BM address"),
}


@pytest.mark.parametrize("text", REFUSED)
def test_steps_that_are_refused(text: str) -> None:
    with pytest.raises(AssemblyError) as caught:
        assemble(text)
    (finding,) = caught.value.diagnostics
    column, message = REFUSED[text]
    assert (finding.line, finding.column) == (1, column)
    assert message in finding.message
    assert finding.fix


def warnings(text: str) -> list[str]:
    return [finding.message for finding in check(assemble(text)) if finding.severity == "warning"]


def test_an_unknown_pair_is_a_warning() -> None:
    assert any(
        "vadd may stand beside a matrix write" in w for w in warnings("fvadd $lr0v $ls0v $ln0v ; fmwrite $lr0v $lx0")
    )
    assert not warnings("fvmul $ls0v $lr0v $ln0v ; fmwrite $lr0v $lx0")


# --- waits -----------------------------------------------------------------------------------------------------------

# producer; consumer; steps that must lie between (section 12.2 and the worked examples below its table)
WAITS = [
    ("lpassa $lr0 $lm0", "lpassa $lm64 $ls0", 2),
    ("lpassa $lm0 $lr0", "lpassa $lr510j3 $ln0", 2),
    ("lpassa $ls0 $lr0/$imr3", "lpassa $lr0 $ln0", 0),
    ("lpassa $ls0 $llr0/$llimr15", "lpassa $lr0 $ln0", 0),
    ("lpassa $ls0 $lr0/1111", "lpassa $lr0 $ln0", 2),
    ("lpassa $ls0 $ln0/$imr3", "lpassa $ln0 $t", 2),
    ("lpassa $ls0 $t/$imr3", "lpassa $t $ln0", 1),
    ("lpassa $lm0 $lr510j0", "lpassa $lr0 $ln0", 2),
    ("lpassa $lm0 $lr508", "lpassa $lr508j3 $ln0", 0),
    ("lpassa $lm0 $lr0v1", "lpassa $lr2 $ln0", 2),
    ("l1bmd $lm0v $lb8128", "l2bmd $lb0 $lc0", 2),
    ("l2bmb $lc0 $lb8160", "l1bmd $lb0 $ln0", 2),
    ("lpassa $lr0 $ln0/1000", "lpassa $ln64 $ls0", 2),
    ("lpassa $ls0v $lr0v", "lpassa $lr0v $ln0", 1),
    ("lpassa $ls0 $lr0", "lpassa $lr0 $ln0", 2),
    ("lpassa $ls0 $lr0/1000", "lpassa $lr0 $ln0", 1),
    ("lpassa $ls0 $lr0/0100", "lpassa $lr0 $ln0", 1),
    ("lpassa $ls0 $lr0/0010", "lpassa $lr0 $ln0", 2),
    ("lpassa $ls0 $lr0/0001", "lpassa $lr0 $ln0", 2),
    ("lpassa $ls0 $lr0/0000", "lpassa $lr0 $ln0", 0),
    ("lpassa $ls0v $lr0v", "lpassa $lr8v $ln0", 0),
    ("lpassa $lr0 $s0", "lpassa $ls0 $ln0", 2),
    ("lpassa $lr0 $s2", "lpassa $ls0 $ln0", 0),
    ("lpassa $lr0 $ls2", "lpassa $ls0j0 $ln0", 2),
    ("lpassa $lr0 $t", "lpassa $t $ln0", 1),
    ("lpassa $lr0 $t", "lpassa $lmt0 $ln0", 1),
    ("lpassa $lr0 $t", "lpassa $ls0 $lmt0", 1),
    ("lpassa $lr0 $lnb", "lpassa $ls0 $ln0", 2),
    ("lpassa $lr0 $lmb", "lpassa $lm0 $ls0", 2),
    ("iadd $lr0 $ls0 $omr1", "lpassa $lr0 $ln0/$imr1", 0),
    ("gmwrite $lr0v $lx0", "gmmul $lx $ls0v $ln0v", 0),
    ("l1bmm@0 $lr0v $lb0", "l1bmm $lb64 $ln0v", 2),
    ("l1bmm@0 $lr0v $lb0", "l2bm@0 $lb0 $lc0", 3),
    ("l1bmrffadd $lr0v $lb0", "l2bmrffadd $lb0 $lc0", 3),
    ("l1bmm@0 $lr0v $lb0", "l2bmd $lb0 $lc0", 3),
    ("l1bmm@0 $llr0v $llb0", "l2bmd $lb0 $lc0", 2),
    ("l1bmm@0 $llr0v $llb0", "l2bm@0 $lb0 $lc0", 3),
    ("l1bmd $lr0v $lb0", "l2bmd $lb0 $lc0", 2),
    ("l1bmm@0 $lr0v $lb0", "l2bm@0 $lb64 $lc0", 0),
    ("l1bmm@0 $lr0v $lb0", "l2bmi@0 $lb0 $lb128", 3),
    ("l2bmb $lc0 $lb0", "l1bmp $lb0 $lm0", 1),
    ("l2bmb $lc0 $lb0", "l1bmd $lb0 $lm0", 2),
    ("l2bmb $lc0 $lb0", "l1bmm $lb0 $lm0v", 1),
    ("l2bmd $lc0 $lb0", "l1bmm $llb0 $llm0v", 1),
    ("l2bmb $lc0 $lb0", "l1bmm $lb64 $lm0v", 0),
    ("l2bm@0 $lb0 $lc0", "l2bmb $lc1024 $lb64", 3),
]


def waits(text: str) -> list[Diagnostic]:
    return [finding for finding in check(assemble(text)) if finding.severity == "error"]


@pytest.mark.parametrize(("producer", "consumer", "steps"), WAITS)
def test_waits(producer: str, consumer: str, steps: int) -> None:
    enough = f"{producer}\nnop/{steps}\n{consumer}" if steps else f"{producer}\n{consumer}"
    assert not waits(enough)
    if not steps:
        return
    too_few = f"{producer}\nnop/{steps - 1}\n{consumer}" if steps > 1 else f"{producer}\n{consumer}"
    (finding,) = waits(too_few)
    line = 3 if steps > 1 else 2
    assert finding.line == line
    assert "(line 1)" in finding.message
    assert f"(line {line})" in finding.message
    assert f"{steps - 1} steps lie between" in finding.message
    assert finding.fix == f"insert `nop` before line {line}"


@pytest.mark.parametrize(("producer", "consumer", "steps"), WAITS)
def test_nops_are_placed_with_none_to_spare(producer: str, consumer: str, steps: int) -> None:
    bare = assemble(f"{producer}\n{consumer}")
    fixed = assemble(fix_nops(bare))
    assert fixed.nops == steps
    assert not waits(fixed.source)
    assert boundary_nops([assemble(producer)], assemble(consumer)) == steps


def test_the_finding_points_at_the_reading_operand() -> None:
    (finding,) = check(assemble("lpassa $lr0 $lm0\n  iadd $ls0 $lm0 $t"))
    assert finding.render("x.vsm") == (
        "x.vsm:2:13: error: LM0 write (line 1), then LM0 read (line 2): needs 2 steps; "
        "0 steps lie between (docs/isa.md, Waits)\n    try: insert `nop/2` before line 2"
    )


def test_one_nop_serves_two_producers() -> None:
    text = "# start\nlpassa $lr0 $lm0\nlpassa $lr0 $ln0  # second\n  fvadd $lm0 $ln0 $t\nlpassa $t $ls0\n"
    assert fix_nops(assemble(text)) == (
        "# start\nlpassa $lr0 $lm0\nlpassa $lr0 $ln0  # second\n  nop/2\n  fvadd $lm0 $ln0 $t\nnop\nlpassa $t $ls0\n"
    )


def test_nops_come_before_a_transfer_not_between_it_and_its_turnaround() -> None:
    first, *pair = "iinc $ls0v $lm0v", "l1bmm@0 $lr0v $lb0", "l1bmm $lbi $ln0v; fvadd $lm0v $lm0v $lr8v"
    (early,) = check(assemble("\n".join([first, *pair])))
    assert early.line == 3 and early.fix == "insert `nop` before line 2"
    fixed = fix_nops(assemble("\n".join([first, *pair])))
    assert fixed == "\n".join([first, "nop", *pair]) and not check(assemble(fixed))
    waiting = ["iinc $ls0v $lm0v; l1bmm@0 $lr0v $lb0", pair[1]]  # for the transfer's own step: there is no other way
    assert check(assemble("\n".join(waiting)))[0].fix == "insert `nop/2` before line 2"
    assert fix_nops(assemble("\n".join(waiting))) == "\n".join([waiting[0], "nop/2", waiting[1]])


def test_mv_and_debug_lines_do_not_count_as_steps() -> None:
    assert waits("lpassa $lr0 $t\nmvp/n64 $p0 $d0\nd get $lt0 1\nlpassa $t $ls0")
    assert not waits("lpassa $lr0 $t\nmvp/n64 $p0 $d0\nnop\nlpassa $t $ls0")


def test_pieces_that_are_shorter_than_the_wait_are_looked_through() -> None:
    first, middle, last = assemble("l1bmm@0 $lr0v $lb0"), assemble("lpassa $lr0 $ls0"), assemble("l2bm@0 $lb0 $lc0")
    assert boundary_nops([first, middle], last) == 2
    assert boundary_nops([middle], last) == 0
    assert boundary_nops([], last) == 0


def test_a_later_step_of_the_next_piece_waits_less() -> None:
    assert boundary_nops([assemble("lpassa $lr0 $lm0")], assemble("lpassa $lr0 $ls0\nlpassa $lm0 $t")) == 1


@pytest.mark.parametrize(
    ("producer", "consumer"),
    [
        ("l2bmb $lc0 $lb0", "l2bm@0 $lb64 $lc64"),
        ("l2bmb $lc0 $lb0", "l2bmi@0 $lb64 $lb128"),
        ("l2bmi@0 $lb64 $lb128", "l2bm@0 $lb0 $lc64"),
        ("l2bmi@0 $lb64 $lb128", "l2bmi@0 $lb0 $lb192"),
        ("l2bmi@0 $lb64 $lb128", "l1bmm $lb0 $lm0v"),
    ],
)
def test_limits_that_nobody_documented_are_warnings(producer: str, consumer: str) -> None:
    text = f"{producer}\nnop/6\n{consumer}"
    (finding,) = check(assemble(text))
    assert finding.severity == "warning"
    assert finding.fix == "insert `nop` before line 3"
    assert fix_nops(assemble(text)) == text
    assert not check(assemble(f"{producer}\nnop/7\n{consumer}"))


# --- forwarding paths, turnaround, odd addresses ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "path"),
    [
        ("lpassa $lr0 $ls0", "$aluf"),
        ("fvpassa $lr0 $ls0", "$mauf"),
        ("l1bmp $lb0 $ls0", "$lbf"),
        ("gmread $lx0 $nowrite", "$mreadf"),
    ],
)
def test_a_path_holds_what_the_last_step_put_there(before: str, path: str) -> None:
    use = f"lpassa {path} $ln0"
    assert not check(assemble(f"{before}\n{use}"))
    assert not check(assemble(f"{before}\nnop/4\nnoforward\n{use}"))
    assert not check(assemble(f"{before}\nlpassa $lr8 $t ; noforward\n{use}"))
    other = "fvpassa $lr8 $t" if path != "$mauf" else "lpassa $lr8 $t"
    (finding,) = check(assemble(f"{before}\n{other}\n{use}"))
    assert (finding.line, finding.column, finding.severity) == (3, 8, "warning")
    assert path in finding.message


def test_the_turnaround_register_replays_the_step_before() -> None:
    assert not check(assemble("l1bmm@0 $lr0v $lbi\nl1bmm $lbi $ln0v"))
    assert not check(assemble("l1bmd+1 $lr0v $lb0\nl1bmd+1 $lbi $ln0v"))
    assert "the step before sends nothing" in warnings("l1bmm@0 $lr0v $lbi\nlpassa $lr0 $t\nl1bmm $lbi $ln0v")[0]
    (finding,) = waits("l1bmd+1 $lr0v $lbi\nl1bmd $lbi $ln0v")
    assert (finding.line, finding.column, finding.fix) == (2, 7, "write l1bmd+1")


def test_products_after_hbfe_are_warnings() -> None:
    assert "products of what hbfe has flagged" in warnings("hbfe/8 $lm0v $lr0v\nnop\nhmmul $lx $lr0v $lln0v")[0]
    assert not warnings("hbfn/8 $lm0v $lr0v\nnop\nhmmul $lx $lr0v $lln0v")
    assert not warnings("hbfe/8 $lm0v $lr0v\nnop\nhvadd $lr0v $lls0v $lln0v")


def test_odd_addresses_are_warnings() -> None:
    assert "rounded down" in warnings("lpassa $llm0v2 $lr0")[0]
    assert not warnings("lpassa $llm0v8 $lr0")
    assert "multiples of 4" in warnings("l1bmp $lb2 $lr0")[0]
    assert "multiples of 8" in warnings("l1bmp $llb4 $llr0")[0]
    assert not warnings("l1bmp $llb8 $llr0")


# --- texts and their findings ----------------------------------------------------------------------------------------


def test_all_findings_of_a_text_come_in_one_run() -> None:
    text = "lpasa $lr0 $ls0\nlpassa $lr0 $lm0\nlpassa $lm0 $ln9 ; wait i00\nd get $lm4096 1\n"
    text += "lpassa $lm0 $t\nlpassa $t $lr0"
    found = [(f.line, f.column, f.message[:21], f.fix) for f in check_text(text, "all.vsm")[1]]
    assert found == [
        (1, 1, "`lpasa` is not an ins", "did you mean lpassa, spassa, ipassa?"),
        (3, 13, "address 9 of `$ln` mu", "use 8 or 10"),
        (3, 20, "`wait` needs a tag fr", "write two hexadecimal digits, e.g. `wait i01`"),
        (4, 1, "address 4096 lies out", "its last address is 4094"),
        (6, 8, "T write (line 5), the", "insert `nop` before line 6"),  # LM0 is not: what line 3 will be is not known
    ]


def test_warnings_wait_for_a_whole_program() -> None:
    assert [f.severity for f in check_text("lpassa $mauf $lr0")[1]] == ["warning"]
    assert [f.severity for f in check_text("lpassa $mauf $lr0\nwhat")[1]] == ["error"]


PIECES = [
    "lpassa $lr0 $lm0", "lpassa $lm0 $lr8", "lpassa $lr8v $ls0v", "lpassa $ls0 $t", "iadd $t $ls0 $ln0", "nop",
    "l1bmm@0 $lr0v $lb0", "l1bmm $lb0 $ls8v", "l2bm@0 $lb0 $lc0", "l2bmb $lc0 $lb64", "lpassa $lr0 $ls0/0100",
    "l2bmd $lc0 $lb64; lpassa $ls0 $lr8", "l1bmm $lb64 $ln0v", "l1bmd $lr0v $lb64", "lpassa $lmt0 $ls8",
    "lpassa $lr0 $mb",
]  # fmt: skip


def fits(lines: list[str]) -> bool:
    return all(finding.severity == "warning" for finding in check(assemble("\n".join(lines))))


def test_fix_nops_inserts_the_fewest() -> None:
    """Against trying out: no placement of one nop less is free of errors, for random programs of six steps."""
    rng = random.Random(7)
    repaired = 0
    while repaired < 60:
        lines = rng.choices(PIECES, k=6)
        program = assemble("\n".join(lines))
        fixed = assemble(fix_nops(program))
        assert fits(fix_nops(program).split("\n"))
        inserted = fixed.steps - program.steps
        if not 1 <= inserted <= 4:  # trying out more takes long
            continue
        repaired += 1
        for places in combinations_with_replacement(range(6), inserted - 1):
            padded = [[*["nop"] * places.count(i), line] for i, line in enumerate(lines)]
            assert not fits([line for part in padded for line in part]), (lines, places)


def test_a_mask_statement_counts_as_a_mask_of_its_own() -> None:
    assert not waits("maskr 3\nlpassa $ls0 $lr0\nmask 0\nlpassa $lr0 $ln0")
    assert waits("maskr 31\nlpassa $ls0 $lr0\nmask 0\nlpassa $lr0 $ln0")


REFUSED_BY_THE_MACHINE = [
    "l1bmm $lbi $ln0v",
    "noforward; l1bmm@0 $lm0v $lb0\nl1bmm $lbi $ln0v",
    "l1bmd $lr0v $lbi\nl1bmm $lbi $ln0v",
    "l1bmm@0 $llm0v $llb0\nl1bmm $lbi $ln0v",
    "l1bmm@0 $lm0v $lb0\nl1bmm $llbi $lln0v",
    "l1bmm@0 $lm0v $lb0\nl1bmm4 $lbi $ln0v",
    "l1bmr4ffadd $lm0v $lb0\nl1bmm $lbi $ln0v",
]


@pytest.mark.parametrize("text", REFUSED_BY_THE_MACHINE)
def test_what_the_machine_cannot_replay_is_an_error(text: str) -> None:
    (finding,) = waits(text)
    assert "bi " in finding.message and finding.fix
    with pytest.raises(ExecutionError, match="turnaround register holds"):
        Machine().run(assemble(text))


@pytest.mark.parametrize(
    "text",
    ["l1bmm@0 $llm0v $llb0\nl1bmm $llbi $lln0v", "l1bmr4ffadd $lm0v $lb0\nl1bmm4 $lbi $ln0v",
     "l1bmrffadd $lm0v $lbi\nl1bmm $lbi $ln0v"],
)  # fmt: skip
def test_what_the_machine_replays_is_no_error(text: str) -> None:
    assert not check(assemble(text))
    Machine().run(assemble(text))


@pytest.mark.parametrize("send", ["l1bmd $lr0 $lb0", "l1bmm@3 $lr0 $lb0", "l1bmrffadd $lr0 $lbi"])
def test_a_constant_may_be_sent_after_one_nop(send: str) -> None:
    for constant in ('imm i"1" $lr0', "zero $lr0"):
        (finding,) = check(assemble(f"{constant}\nnop\n{send}"))
        assert finding.severity == "warning" and "1 steps lie between" in finding.message
        (finding,) = check(assemble(f"{constant}\n{send}"))
        assert finding.severity == "error"
        assert not check(assemble(f"{constant}\nnop/2\n{send}"))
        assert assemble(fix_nops(assemble(f"{constant}\n{send}"))).nops == 2
    assert waits(f"lpassa $ls0 $lr0\nnop\n{send}") and waits('imm i"1" $lr0\nnop\nlpassa $lr0 $ln0')


def test_tags_above_the_documented_ones_are_doubtful() -> None:
    assert (
        warnings("mvp/n64i9f $p0@0 $d0@0\nnop; wait i9f") == ["the tag i9f is above i3f, the last one documented"] * 2
    )
    assert not check(assemble("mvp/n64i3f $p0@0 $d0@0\nmvp/n64i00 $p0@0 $d0@0\nnop; wait i3f"))


@pytest.mark.slow
def test_a_program_of_a_compiler_that_tags_every_move_alike() -> None:
    """In the shape of the public first compiler's output: every MV is tagged i9f and never waited for."""
    block = "mvb2/n64i9f $d0 $lc0\nl2bmb $lc0 $lb0\nnop/2\nl1bmm $lb0 $lm0v\nmvp/n64i9f $p0@0 $lc64@1.0"
    program = assemble("\n".join([block] * 500))
    assert not [finding for finding in check(program) if finding.severity == "error"]
    cost = Machine().run(program).profile
    assert (cost.steps, cost.moves, cost.cycles) == (2000, 1000, 4 * 2000 + 500 * (64 / 16 + 64 / 8))


def test_an_odd_address_of_a_grf_is_printed_with_a_warning() -> None:
    program = assemble("d set $lr268n0c0b0m0p0 2 0000000000000001000000020000000A\nd get $r269n0c0b0m0p0 1")
    (finding,) = check(program)
    assert (finding.severity, finding.line) == ("warning", 2)
    (entry,) = Machine().run(program).entries
    assert entry.value == 1 << 32 | 2
    for refused in ("d get $m1n0c0b0m0p0 1", "d set $r1n0c0b0m0p0 1 0000000000000001"):
        with pytest.raises(AssemblyError, match="is odd"):
            assemble(refused)
