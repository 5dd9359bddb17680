"""`profile`: counts on small programs, why each nop is there, and the picture."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from simulator import assemble
from simulator.__main__ import main
from simulator.explain.profile import Profile, profile_of, table
from simulator.explain.waiting import chains, waitings

PROGRAM = """\
mvb/n64 $p0@0 $lc0
l2bmb $lc0 $lb0
nop
l1bmm $llb0 $llm0v
nop/2
fvfma $lm0v $lm0v $t $lr0v ; ipassa $ls0v $ln0v
gmmul $lx $lr8v $ln8v/1000
mvp/n128 $p0@0 $d0@1
"""


def profiled(text: str) -> Profile:
    return profile_of(assemble(text, "p.vsm"))


def test_totals_and_shares() -> None:
    profile = profiled(PROGRAM)
    cost = profile.cost
    assert (cost.steps, cost.nops, cost.moves, cost.move_words) == (7, 3, 2, 192)
    assert cost.cycles == 4 * 7 + 64 / 8 + 128 / 8
    assert profile.lanes == pytest.approx(
        {"MV": 24 / 52, "L2BM": 4 / 52, "L1BM": 4 / 52, "MAU": 8 / 52, "ALU": 4 / 52, "nop": 12 / 52}
    )
    assert profile.multiply_adds == {"f": 32 * 1024, "g": 256 * 1024}


def test_words_per_path() -> None:
    words = {(use.path, use.per): use.words for use in profiled(PROGRAM).paths}
    assert words == {
        ("LM0 read", "PE"): 8,  # both factors are one fetch
        ("LM0 written", "PE"): 16,
        ("GRF0 read", "PE"): 8,
        ("GRF0 written", "PE"): 8,
        ("GRF1 read", "PE"): 8,
        ("LM1 written", "PE"): 8 + 2,  # the second only in cycle 0
        ("T read", "PE"): 16,
        ("L1BM to PE", "L1B"): 2 * 32,
        ("L2BM to L1BM", "L2B"): 2 * 64,
        ("PDM to L2BM", "MV size"): 2 * 64,
        ("PDM to DRAM", "MV size"): 2 * 128,
    }


def test_timeline_is_gapless() -> None:
    profile = profiled(PROGRAM)
    times = sorted({(busy.start, busy.cycles) for busy in profile.busy})
    assert times == [(0, 8), (8, 4), (12, 4), (16, 4), (20, 8), (28, 4), (32, 4), (36, 16)]
    assert {busy.lane for busy in profile.busy if busy.start == 28} == {"MAU", "ALU"}


def test_each_run_of_nops_has_its_reason() -> None:
    first, second = waitings(assemble(PROGRAM))
    assert (first.line, first.nops, first.needed, first.producer, first.consumer) == (3, 1, 1, 2, 4)
    assert first.rule == "L2BM to L1BM, then L1BM to PE"
    assert (second.line, second.nops, second.needed, second.producer, second.consumer) == (5, 2, 2, 4, 6)
    assert second.rule == "LM0 write, then LM0 read"


def test_nops_that_nothing_needs_or_more_than_needed() -> None:
    (idle,) = waitings(assemble('imm i"1" $r0\nnop/5\nlpassa $s0 $n0\n'))
    assert (idle.needed, idle.rule, idle.producer) == (0, "", None)
    (many,) = waitings(assemble('imm i"1" $ln0\nnop/2\nnop/3\nlpassa $ln0 $lr0\n'))
    assert (many.line, many.nops, many.needed) == (2, 5, 2)


def test_a_nop_may_serve_a_later_step() -> None:
    (late,) = waitings(assemble('imm i"1" $ln0\nnop\nimm i"2" $s0\nlpassa $ln0 $lr0\n'))
    assert (late.needed, late.producer, late.consumer) == (1, 1, 4)


def test_chains_follow_producer_and_consumer() -> None:
    program = assemble(
        'imm i"1" $ln0\nnop/2\nlpassa $ln0 $lm0\nnop/2\nlpassa $lm0 $t\nnop\nlpassa $t $lr0\n'
        'imm i"1" $s0\nnop/2\nlpassa $s0 $lln4\n'
    )
    found = chains(waitings(program))
    assert [chain.nops for chain in found] == [5, 2]
    assert [(link.producer, link.consumer) for link in found[0].links] == [(1, 3), (3, 5), (5, 7)]


def test_table_reads_well() -> None:
    text = table(profiled(PROGRAM))
    assert "steps            7   of these nops 3" in text
    assert "line 4 to 6: 2 for LM0 write, then LM0 read" in text
    assert "no latency was ever published" in text
    assert "no nops" in table(profiled("lpassa $s0 $n0\n"))
    assert "steps            0" in table(profiled("# nothing\n"))


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "p.vsm"
    file.write_text("l2bmb $lc0 $lb0\nnop\nl1bmm $llb0 $llm0v\n")
    assert main(["profile", str(file), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (
        data["cost"]["steps"] == 3 and data["chains"][0]["nops"] == 1 and data["lanes"]["nop"] == pytest.approx(1 / 3)
    )
    assert main(["profile", str(file), "-o", str(tmp_path / "a.svg")]) == 0
    assert (tmp_path / "a.svg").read_bytes().startswith(b"<svg")
    capsys.readouterr()
    assert main(["profile", str(file), "-o", str(tmp_path / "a.txt")]) == 2
    assert main(["profile", str(tmp_path / "none.vsm")]) == 2
    assert main(["profile", str(file), "-o", str(tmp_path / "a.svg" / "b.png")]) == 2
    assert "is an .svg file" in capsys.readouterr().err


def test_picture_of_a_long_program_and_of_none(tmp_path: Path) -> None:
    long = tmp_path / "long.vsm"
    long.write_text('imm i"1" $ln0\nnop/2\nlpassa $ln0 $lr0\n' * 100 + "mvp/n64 $p0@0 $d0@0\n")
    (tmp_path / "empty.vsm").write_text("")
    pictures = []
    for name in ("long", "long", "empty"):
        assert main(["profile", str(tmp_path / f"{name}.vsm"), "-o", str(tmp_path / "p.svg")]) == 0
        pictures.append((tmp_path / "p.svg").read_bytes())
    assert pictures[0] == pictures[1]  # nothing in it depends on the time of day
    assert len(pictures[2]) < len(pictures[0])
