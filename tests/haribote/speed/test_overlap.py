"""The plain timetable beside the fast model, and the learner's part in what is kept of -O2."""

from __future__ import annotations

from pathlib import Path

import pytest

from haribote.answers import ownership
from haribote.answers.ownership import answer_text, product_only
from haribote.answers.tasks import find_task
from haribote.speed.overlap import Work, busy, cycles_per_run, timetable, work_of
from simulator import assemble
from simulator.isa.program import Program
from simulator.schedule.overlap import overlapped
from tests.long_runs import LONG

TWO_BUFFERS = assemble(
    "mvp/n4096 $d0 $lc0@.0\nnop/60\nl2bmb $lc0 $lb0\nnop/100\n"
    "mvp/n4096 $d8192 $lc8192@.0\nl2bmb $lc8192 $lb64\nnop/80\n"
)


def test_a_move_is_under_way_while_steps_run() -> None:
    assert timetable([Work("moves", 64), Work("steps", 40), Work("steps", 4, (0,))]) == [64, 40, 68]
    assert timetable([Work("moves", 16, (1,)), Work("steps", 12), Work("moves", 8)]) == [28, 12, 8]


def test_both_models_agree_on_a_program() -> None:
    assert max(timetable(work_of(TWO_BUFFERS))) == overlapped(TWO_BUFFERS, 1)
    assert cycles_per_run(TWO_BUFFERS) == pytest.approx(overlapped(TWO_BUFFERS), rel=0.02)
    assert busy(TWO_BUFFERS) == {"steps": 4 * TWO_BUFFERS.steps, "moves": 512}


@LONG
@pytest.mark.slow
def test_both_models_agree_on_a_training_step() -> None:
    from haribote.levels.steps import reference_step, step_at
    from haribote.speed.profile import programs_of

    programs: list[Program] = [assemble(step_at(2).text), assemble(step_at(2, "mixed").text)]
    for program in (*programs, *programs_of(reference_step(1))):
        assert cycles_per_run(program) == pytest.approx(overlapped(program), rel=0.02)


def test_what_is_kept_depends_on_the_learners_function(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A step that was compiled with somebody's choice of exact products is not taken for another one's."""
    path, own = tmp_path / "theirs.py", ownership.answer_file(find_task("7.8"), solutions=True)
    monkeypatch.delenv("HARIBOTE_SOLUTIONS", raising=False)
    assert answer_text("7.8") == own.read_bytes()  # not written
    path.write_bytes(b"theirs")
    monkeypatch.setattr(ownership, "answer_file", lambda task, solutions: own if solutions else path)
    assert answer_text("7.8") == b"theirs"
    with product_only():
        assert answer_text("7.8") == own.read_bytes()
