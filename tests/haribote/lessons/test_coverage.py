"""Coverage of the step by a learner's own kernels, the course's in their place, and what is said and drawn of it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from haribote.kernel import Op
from haribote.lessons import coverage
from haribote.lessons.bar import Bar
from haribote.own import working
from tests.haribote.own.learner import STEP as OF
from tests.haribote.own.learner import lines, writes
from tests.stopwatch import seconds

pytestmark = pytest.mark.usefixtures("with_solutions")
RELU = ("frelu $lm0v $lm0v $ln0v", "frelu $lm8v $lm8v $ln8v")


def drawn(found: coverage.Coverage) -> str:
    """The picture without its style sheet."""
    return found.picture.text.partition("</style>")[2]


@pytest.mark.slow
def test_with_the_solutions_the_whole_step_is_the_courses() -> None:
    found = coverage.on_chip()
    assert (found.nodes, found.of, len(found.reference), found.yours) == (28, 28, OF, ())
    head, nodes, *_ = str(found).split("\n")
    assert head == f"the course's: {OF} of {OF} kernels, 100 % of the words moved, 100 % of the steps"
    assert nodes == "28 of 28 nodes of the training step run on the chip"
    drawing = seconds(lambda: coverage.on_chip()._repr_html_())
    assert drawing < 6  # what is kept is not computed again, which takes longer on any machine
    assert "svg" in coverage.on_chip()._repr_html_()


@pytest.mark.slow
def test_three_kernels_as_if_they_were_the_learners() -> None:
    found = coverage.on_chip(["5.3", "5.9", "5.12"])
    assert found.head == f"with these 3 tasks: 3 of {OF} kernels, 7.6 % of the words moved, 7.0 % of the steps"
    assert found.nodes == 28 and "these kernels compute 1 of them, 1 with all the DL and UL around them" in str(found)
    assert f"the course's kernels ({OF - 3}): " in str(found) and f"… and {OF - 15} more" in str(found)
    assert (found.own.chip_count, len(found.own.host_nodes)) == (1, 27)
    assert "frelu" in found.own.text and found.own.text.count("mvp") == 4  # its own DL and UL: two moves each
    alone = coverage.on_chip(["5.1"])
    assert (alone.computed, alone.all_yours) == (0, 0) and alone.head.startswith(f"with this task: 1 of {OF} kernels, ")


@pytest.mark.slow
def test_without_any_kernel_the_whole_step_is_drawn_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    writes(monkeypatch)
    found = coverage.on_chip()
    assert found.head == f"yours: none of {OF} kernels yet; the course's run until yours pass"
    assert (found.nodes, found.all_yours) == (28, 0) and "frelu" in found.text
    assert drawn(found).count('class="box node course"') == 28
    assert drawn(found).count('class="box transfer course"') == 66
    assert "the course&#x27;s kernel, until yours passes" in drawn(found) or "until yours passes" in drawn(found)
    assert "instead: task 5.12 is not written" in drawn(found) and ">Y<" not in drawn(found)


def test_a_kernel_that_does_not_work_is_filled_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    writes(monkeypatch, relu=lines("frelu $lm0v"), exp=_failing)
    found = coverage.on_chip()
    assert found.nodes == 28 and set(found.broken) == {"Relu (5.12)", "Exp (5.24)"} and found.yours == ()
    assert "ZeroDivisionError" in found.broken["Exp (5.24)"]
    assert "does not pass, so the course's runs: Relu (5.12): " in str(found)


@pytest.mark.slow
def test_a_kernel_with_a_wrong_result_is_not_called_yours(monkeypatch: pytest.MonkeyPatch) -> None:
    writes(monkeypatch, relu=lines(RELU[0], "lpassa $lm8v $ln8v"))
    found = coverage.on_chip()
    assert (found.nodes, found.of, found.yours) == (28, 28, ()) and set(found.broken) == {"Relu (5.12)"}
    assert re.search(r"Relu \(5\.12\): out\[\d+, \d+\] is -[\d.]+, should be 0", str(found))
    assert drawn(found).count('class="box node failing"') == 1 and "yours fails: the course" in drawn(found)
    assert re.search(r"left_out: out\[\d+, \d+\] is -", drawn(found))
    writes(monkeypatch, relu=lines(*RELU))
    found = coverage.on_chip()
    assert (found.yours, found.broken) == (("Relu (5.12)",), {})
    assert drawn(found).count('class="box node yours"') == 1 and "failing" not in drawn(found)
    assert "right in one quick case, but not checked since the last change: Relu (5.12)" in str(found)


@pytest.mark.slow
def test_the_last_check_has_the_last_word(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a quick look says: the check saw more of the same file."""
    writes(monkeypatch, relu=lines(*RELU))
    states = {"5.12": "failed"}
    monkeypatch.setattr(working, "last_verdict", lambda task: states.get(task.id, ""))
    assert coverage.on_chip().broken == {"Relu (5.12)": "`grader check 5.12` fails"}
    assert coverage.on_chip(["5.3", "5.9", "5.12"]).all_yours == 1  # as if it were written: the reference stands in
    states["5.12"] = "passed"
    found = coverage.on_chip()
    assert found.yours == ("Relu (5.12)",) and "not checked" not in str(found)


def test_a_bar_says_in_words_and_widths() -> None:
    bar = Bar("yours <1", {"words moved": 0.25, "steps": 0.0})
    assert str(bar) == "yours <1" and "yours &lt;1" in bar._repr_html_()
    assert "width:25.0%" in bar._repr_html_() and "width:0.0%;min-width:0px" in bar._repr_html_()


def _failing(op: Op) -> Iterator[str]:
    yield f"nop/{1 // 0}"
