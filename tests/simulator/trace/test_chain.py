"""`trace`: the writers it names, on programs small enough to see it, and inputs that really decide the word.

The oracle for inputs is the machine: change every word except the inputs named, and the traced word must stay.
"""

from __future__ import annotations

import pytest

from simulator import Machine, assemble
from simulator.effects.places import Place, value_of
from simulator.trace.chain import Origin, trace
from tests.simulator.trace.trace_machines import put, randomise


def first(text: str, target: str, start: Machine | None = None, **options: int) -> Origin:
    return trace(assemble(text), start, target, **options)[0]


def lines(origin: Origin) -> list[int | None]:
    """The lines of the writers, going back along the first input."""
    found = [origin.line]
    while origin.inputs:
        origin = origin.inputs[0]
        found.append(origin.line)
    return found


# --- writers ---------------------------------------------------------------------------------------------------------


def test_back_to_the_input_through_every_level() -> None:
    text = """\
d set $lm0n0c0b0m0p0 1 3F80000040000000
fvadd $lm0v $lm0v $lr0v
nop/2
lpassa $lr0v $ln0v
nop/2
l1bmm@0 $ln0v $lb0
nop/3
l2bm@0 $lb0 $lc0
nop
mvp/n64 $lc0@0.0 $d64@0
"""
    origin = first(text, "$d64n0")
    assert lines(origin) == [10, 8, 6, 4, 2, 1]
    assert origin.kind == "move" and origin.value == 0x40000000
    chain = [origin]
    while chain[-1].inputs:
        chain.append(chain[-1].inputs[0])
    assert [str(o.place) for o in chain] == [
        "$d64n0 high word",
        "$lc0n0c0 high word",
        "$lb0n0c0b0 high word",
        "$n0n0c0b0m0p0",
        "$r0n0c0b0m0p0",
        "$m0n0c0b0m0p0",
    ]
    assert [o.value for o in chain[-2:]] == [0x40000000, 0x3F800000]
    assert chain[-1].kind == "statement"


def test_down_to_the_pes_with_other_units() -> None:
    text = "r 1 000000040 001 0000000500000007\nmvb2/n64 $d64 $lc0\nl2bmd@5 $lc0 $lb0\nnop/2\nl1bmm $lb0 $lr0v\n"
    machine = Machine()
    machine.dram[1][64 + 40 : 64 + 41] = 9  # b = 5, cycle 0, PE 0: long word 8 * 5 of the block
    origin = first(text, "$lr0n1c1b5m7p0", machine)
    assert lines(origin) == [5, 3, 2, None]
    leaf = origin.inputs[0].inputs[0].inputs[0]
    assert leaf.place == Place("dram", 1, 2 * (64 + 40)) and leaf.kind == "start"
    assert leaf.cause() == "never written"
    low = trace(assemble(text), machine, "$lr0n1c1b5m7p0")[1]
    assert low.value == 9 == next(low.leaves()).value


def test_the_last_write_counts_and_before_looks_earlier() -> None:
    text = 'imm i"1" $r0\nimm i"2" $r0\nimm i"3" $r4\n'
    assert first(text, "$r0").line == 2
    assert first(text, "$r0", before=2).line == 1
    assert first(text, "$r0", before=1).line is None
    assert first(text, "$r0").value == 2


def test_masks_decide_who_wrote() -> None:
    text = """\
d set $lr0n0c0b0m0p0 1 0000000100000000
d set $lr0n0c0b0m0p1 1 F000000000000000
iinc $r0 $t $omr1
imm i"1" $s0
imm i"2" $s0/$imr1
imm i"3" $s0/0000
"""
    assert first(text, "$s0n0c0b0m0p0").line == 5  # 2 >= 0: flag 1
    negative = first(text, "$s0n0c0b0m0p1")
    assert negative.line == 4 and negative.value == 1  # flag 0 keeps line 4's word
    assert first(text, "$omr1n0c0b0m0p0").line == 3
    assert first(text, "$omr1").inputs[0].place == Place("grf0", 0, 0)


def test_flags_that_a_mask_excludes_are_cleared_by_its_line() -> None:
    text = """\
iinc $peid $omr2
iinc $subpeid $omr1/1000
ipassa $peid $omr3
iinc $subpeid $omr2/$imr3
"""
    kept, cleared = trace(assemble(text), None, "$omr1")[0], Place("omr", 5, 4 * 1 + 3)
    assert (kept.line, kept.kept, kept.value) == (2, None, 15)
    (last,) = trace(assemble(text), None, cleared)
    assert (last.line, last.value, last.kept, last.inputs) == (2, 0, None, [])
    for pe, value in ((0, 15), (5, 0)):  # $peid is 0, or not: line 1 left nothing
        (origin,) = trace(assemble(text), None, Place("omr", pe, 8))
        assert (origin.line, origin.value, origin.kept) == (4, value, None)


def test_a_zero_flush_is_among_what_decides() -> None:
    """The word is 0 since the flags of its PE are, whatever x is."""
    found = first('imm i"7" $r0\nnop/2\niinc/$imr1 $r0 $n0\n', "$n0")
    assert found.value == 0
    assert [str(given.part) for given in found.inputs] == ["x", "zero-flush"]
    assert str(found.inputs[1].place) == "$omr1 cycle 3 n0c0b0m0p0" and found.inputs[1].value == 0
    assert len(first('imm i"7" $r0\nnop/2\niinc/1000 $r0 $n0\n', "$n0").inputs) == 1  # a fixed one stands in the text


def test_a_mask_of_halves_leaves_two_writers() -> None:
    text = """\
d set $lr0 1 0001800100010001
sinc $lr0 $t $omr1
imm i"-1" $s0
zero $s0/$imr1
"""
    origin = first(text, "$s0")
    assert (origin.line, origin.kept and origin.kept.line) == (4, 3)
    assert origin.value == 0x0000FFFF


def test_t_indirection_and_its_address() -> None:
    text = """\
d set $t0n0c0b0m0p2 1 0000000000000006
d set $lm6n0c0b0m0p2 1 0000002A00000000
lpassa $lmt0 $ln0/1000
"""
    # The low 12 bits of the long word are the address.
    origin = first(text, "$n0n0c0b0m0p2")
    assert [(o.part, o.place, o.line) for o in origin.inputs] == [
        ("x", Place("lm0", 2, 6), 2),
        ("address", Place("t", 2, 1), 1),
    ]
    assert origin.value == 0x2A
    other = first(text, "$n0n0c0b0m0p1")
    assert other.inputs[0].place == Place("lm0", 1, 0) and other.inputs[0].kind == "start"


def test_base_addresses_and_j() -> None:
    text = 'imm i"8" $lmb\nnop/2\nzero $lm2\nimm i"5" $lr0j0\n'
    assert first(text, "$m10").line == 3
    assert first(text, "$m2").line is None
    assert first(text, "$r2n0c0b0m0p0").line == 4
    assert first(text, "$r0n0c0b0m0p0").line is None
    assert first(text, "$r0n0c0b0m0p1").line == 4


def test_forwarding_survives_nops_and_noforward() -> None:
    text = 'imm i"1" $nowrite\nnop/2\nlpassa $aluf $r0\n'
    assert lines(first(text, "$r0")) == [3, 1]
    text = 'imm i"1" $nowrite\nimm i"2" $nowrite; noforward\nlpassa $aluf $r0\n'
    origin = first(text, "$r0")
    assert lines(origin) == [3, 1] and origin.value == 1


def test_turnaround_register() -> None:
    text = "d set $lm0n0c0b0m3p1 1 0000000B0000000C\nl1bmm@3 $lm0v $lbi\nl1bmm $lbi $lr0v\n"
    origin = first(text, "$r0n0c0b0m9p1")
    assert lines(origin) == [3, 2, 1] and origin.value == 0xB
    assert origin.inputs[0].place == Place("turn", 0, 2)


def test_table_of_dram_addresses() -> None:
    text = """\
d set $lc0n0c0 1 0000000400000007
l2bmdars $lc0 $dar0
nop
l2bmdarw
nop
d set $d112n0 1 0000000100000002
mvp/n64 $di0@0 $p0@0
"""
    origin = first(text, "$p16n0")
    assert origin.inputs[0].place == Place("dram", 0, 2 * 112)
    assert lines(origin) == [7, 6] and origin.value == 1


def test_wrapping_addresses() -> None:
    machine = Machine()
    machine.pdm[0, 5] = 3
    origin = trace(assemble("mvp/n64 $p0@0 $lc32736@0.0\n"), machine, "$lc5n0c0")
    assert origin[0].inputs[0].place == Place("pdm", 0, 2 * 37)
    origin = trace(assemble("mvp/n64 $p0@0 $lc32736@0.0\nmvp/n64 $p0@0 $d536870880@0\n"), machine, "$d0n0")
    assert origin[0].inputs[0].place == Place("pdm", 0, 64)


# --- causes ----------------------------------------------------------------------------------------------------------


def test_causes() -> None:
    text = 'imm i"1" $ln0\nimm i"2" $ln2\n'
    program = assemble(text)
    assert trace(program, None, "$n8")[0].cause() == "never written"
    assert trace(program, None, "$n0")[0].cause(since=2).startswith("stale: last written by line 1, before line 2")
    assert trace(program, None, "$n2")[0].cause(since=2) == 'written by line 2: imm i"2" $ln2'


def test_a_hasty_reader_is_named() -> None:
    origin = first('imm i"1" $ln0\nlpassa $ln0 $lr0\n', "$r0")
    assert "LM1 write (line 1)" in origin.cause() and origin.findings


def test_the_machine_given_is_left_alone() -> None:
    machine = Machine()
    machine.lm0[0, 0] = 5
    origin = trace(assemble("iinc $m0 $r0\n"), machine, "$r0")[0]
    assert origin.value == 6
    assert int(machine.grf0[0, 0]) == 0


def test_depth_and_width() -> None:
    text = 'imm i"1" $r0\nlpassa $r0 $s0\nnop\nlpassa $s0 $n0\n'
    assert lines(first(text, "$n0", depth=1)) == [4, 2]
    shallow = first(text, "$n0", depth=0)
    assert shallow.inputs == [] and shallow.omitted == 1
    reduced = first("l1bmriiadd $lm0v $lb0\n", "$lb0n0c0b0", width=3)
    assert (len(reduced.inputs), reduced.omitted) == (3, 13)


# --- inputs decide the word ------------------------------------------------------------------------------------------

DECIDED = [
    ("fvfma $lm0v -$lr0v $t $ln0v", "$n5"),
    ("fvfmar $lm0v $lr0v $ls0v $n0v", "$n2"),
    ("fvadd $m0ve $lr0v $ln0v", "$n3"),
    ("dvfmau $lm0v $lr0v $ls0v $ln0v", "$n3n0c0b0m0p0"),
    ("dvfmau $lm0v $lr0v $ls0v $ln0v", "$n3n0c0b0m0p3"),
    ("dvpassar $lm0v $n0v", "$n1"),
    ("hvfma $lm0v $lr0v $lls0v $lln0v", "$n6"),
    ("hvfmar $lm0v $lr0v $lls0v $ln0v", "$n3"),
    ("hvmul $llm0vr $lr0v $lln0v", "$n7"),
    ("ladd $lm0v $lr0v $ln0v $omr1", "$n2"),
    ("ladd $lm0v $lr0v $ln0v", "$n3"),
    ("sadd $lm0v $lr0v $ln0v", "$n1"),
    ("iadd $llm0v $lr0v $lln0v", "$n6"),
    ("lpassa $llm0v $lln0v", "$n7"),
    ("iadd $subpeid $lr0v $ln0v", "$n2"),
    ("gbfn $lm0v $ln0v", "$n1n0c0b0m2p1"),
    ("dbfn $lm0v $ln0v", "$n2n0c0b0m2p1"),
    ("fbfn $llm0v $lln0v", "$n1"),
    ("hbfn/8 $llm0v $lln0v", "$n6"),
    ("hbfn/8 $llm0vr $ln0v", "$n5n0c0b0m2p1"),
    ("msl $lm0v $ln0v", "$n2n0c0b0m4p0"),
    ("msr $llm0v $lln0v", "$n7n0c0b0m4p0"),
    ("gmmul $lx $lm0v $ln0v", "$n5n0c0b0m1p2"),
    ("gmfmar $lx $lm0v $lr0v $n0v", "$n1n0c0b0m1p2"),
    ("fmfma $ly $m0v $lr0v $ln0v", "$n5n0c0b0m1p2"),
    ("dmfmad $lx $lm0v $lr0v $ln0v", "$n4n0c0b0m1p2"),
    ("dmfmad $lx $lm0v $lr0v $ln0v", "$n4n0c0b0m1p1"),
    ("hmfma $lx $lm0v $llr0v $lln0v", "$n6n0c0b0m1p2"),
    ("hmmulr $lx $lm0v $ln0v", "$n3n0c0b0m1p2"),
    ("gmread $lx4 $ln0v", "$n3n0c0b1m0p2"),
    ("dmread $lx1 $ln0v", "$n3n0c0b1m0p2"),
    ("hmread $llx6 $lln0v", "$n7n0c0b1m0p2"),
    ("l1bmp $llb8 $lln0v", "$n6n0c0b1m0p2"),
    ("l1bmd+3 $lb64 $ln0v", "$n5n0c0b1m1p2"),
    ("l1bmm4 $llb32 $lln0v", "$n5n0c0b1m9p2"),
    ("l1bmm@5 $llm0v $llb8", "$lb21n0c0b1"),
    ("l1bmrffaddr $lm0v $lb0", "$lb5n1c0b1"),
    ("l1bmrffadd $m0ve $lb0", "$lb5n1c0b1"),
    ("l1bmrhfadd $lm0v $lb0", "$lb5n1c0b1"),
    ("l1bmrdfaddr $lm0v $lb0", "$lb5n1c0b1"),
    ("l1bmr4liadd $lm0v $lb16", "$lb25n1c0b1"),
    ("l2bmrdfadd $lb0 $lc0", "$lc9n1c1"),
    ("l2bmr2iiadd $lb16 $lc64", "$lc130n1c1"),
    ("l2bmi@0/3 $lb0 $lb64", "$lb70n1c1b6"),
    ("l2bmd $lb8 $lc64", "$lc200n1c1"),
    ("mvrdfadd/n64 $lc64 $p0@2", "$p5n2"),
    ("mvr4ffadd/n128 $lc0 $d0", "$d20n3"),
    ("mvb4/n128 $d64 $lc0", "$lc70n3c1"),
]


@pytest.mark.some(4)
@pytest.mark.parametrize(("text", "target"), DECIDED)
def test_inputs_decide_the_word(text: str, target: str) -> None:
    program = assemble(text)
    one, without = Machine(), Machine()
    randomise(one, 1)
    randomise(without, 2)
    without.run(program)
    for origin in trace(program, one, target, depth=1, width=1000):
        assert origin.line == 1
        other = Machine()
        randomise(other, 2)
        for leaf in origin.inputs:
            put(other, leaf.place, leaf.value)
        other.run(program)
        assert value_of(other, origin.place) == origin.value
        if origin.inputs:  # words that an instruction fills with zeros have none
            assert value_of(without, origin.place) != origin.value
