"""What the proof of schedules compares."""

from __future__ import annotations

import pytest

from benchmarks.schedule import unsound, used
from simulator import assemble
from simulator.schedule import schedule


@pytest.mark.parametrize(
    ("text", "longs"),
    [("l1bmd $lm0 $lbi", 0), ("l1bmd $lm0 $lb0", 256), ("l1bmm@3 $lm0 $lb64", 80), ("mvp/n64 $d48 $p32", 0)],
)
def test_the_turnaround_register_is_no_word_of_the_l1bm(text: str, longs: int) -> None:
    assert used(assemble(text))["l1bm"] == longs


@pytest.mark.slow
def test_another_result_is_found() -> None:
    before, after = assemble("iinc $lr0 $lm0"), assemble("iinc $lr0 $lm2")
    assert unsound(before, after, 1, renamed=False) == "native: lm0"
    assert not unsound(before, schedule(before), 1, renamed=False)
