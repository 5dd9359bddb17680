"""The parts of a step add up to what the linked program costs."""

from __future__ import annotations

import pytest

from haribote.chip.program import ProgramPart
from haribote.lessons.coverage import on_chip
from haribote.own.shares import per_cent, shares_of
from simulator.explain.moved_words import words_moved
from simulator.language import VARIABLE
from tests.haribote.own.learner import STEP, lines, writes

MINE = {"relu": None, "dl_256x16_a": None, "ul_256x16_a": None}


def test_the_parts_add_up_to_the_linked_program(monkeypatch: pytest.MonkeyPatch) -> None:
    writes(monkeypatch, **MINE)
    compiled = on_chip().compiled
    shares, cost = shares_of(compiled), compiled.cost
    (part,) = (part for part in compiled.parts if isinstance(part, ProgramPart))
    own, course, whole = shares.part("yours"), shares.part("reference"), shares.whole
    assert own.words + course.words == whole.words == sum(words_moved(part.program).values())
    assert own.cost.steps + course.cost.steps + shares.between == cost.steps and shares.between > 0
    assert own.cost.move_words + course.cost.move_words == cost.move_words
    assert own.cost.cycles + course.cost.cycles + 4 * shares.between == cost.cycles
    assert own.pieces + course.pieces == 28 + 66
    assert len(own.tasks) == 3 and len(course.tasks) == STEP - 3 and not set(own.tasks) & set(course.tasks)
    assert shares.words("yours") + shares.words("reference") == pytest.approx(1)
    assert shares.counts("yours") == f"3 of {STEP} kernels, 7.6 % of the words moved, 7.0 % of the steps"


@pytest.mark.slow
def test_a_kernel_alone_counts_its_own_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    relu = ("frelu $lm0v $lm0v $ln0v", "nop/3", "frelu $lm8v $lm8v $ln8v")
    writes(monkeypatch, relu=lines(*relu))
    part = on_chip().shares.part("yours")
    assert (part.tasks, part.pieces, part.words, part.cost.steps) == (("5.12",), 1, 0, 5)


def test_percentages_are_never_more_than_true() -> None:
    shares = (0, 1e-5, 0.0123, 0.0996, 0.5, 0.9999, 1)
    assert [per_cent(share) for share in shares] == [
        "0 %", "under 0.1 %", "1.2 %", "10 %", "50 %", "99 %", "100 %"
    ]  # fmt: skip


def test_a_tiny_share_is_said_in_the_language_of_the_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "ja")
    assert per_cent(1e-5) == "0.1 % 未満"
