"""The profile of small programs: counts, words per path, a timeline without gaps."""

from __future__ import annotations

import pytest

from simulator import assemble
from simulator.explain.profile import Profile, profile_of, table, table_of_waiting
from simulator.language import spoken

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


@pytest.mark.parametrize(
    "step",
    ["iadd $llr0v $llr0v $lls0v; fvmul $llr0v $llr0v $llm0v", "fvfma $llr0v $lr0v4 $lr0v4 $lls0v; ipassa $t $llm0v"],
)
def test_what_two_operands_of_a_step_read_is_fetched_once(step: str) -> None:
    uses = {use.path: use for use in profiled(step).paths}
    assert (uses["GRF0 read"].words, uses["GRF0 read"].share) == (16, 1.0)


def test_timeline_is_gapless() -> None:
    profile = profiled(PROGRAM)
    times = sorted({(busy.start, busy.cycles) for busy in profile.busy})
    assert times == [(0, 8), (8, 4), (12, 4), (16, 4), (20, 8), (28, 4), (32, 4), (36, 16)]
    assert {busy.lane for busy in profile.busy if busy.start == 28} == {"MAU", "ALU"}


def test_table_reads_well() -> None:
    text = table(profiled(PROGRAM))
    assert "steps            7   of these nops 3" in text
    assert "line 4 to 6: 2 for LM0 write, then LM0 read" in text
    assert "no latency was ever published" in text
    assert "no nops" in table(profiled("lpassa $s0 $n0\n"))
    assert "steps            0" in table(profiled("# nothing\n"))


def test_what_is_waited_for_in_any_language() -> None:
    profile = profiled(PROGRAM)
    text = table_of_waiting(profile)
    assert text.startswith("nops by reason\n     2  ") and text in table(profile)
    with spoken("ja"):
        assert "\n  重ね合わせ：タグを使えば" in table(profile)
        assert table_of_waiting(profile).startswith("理由ごとの nop\n     2  ")
