"""The board: its lines, a program of one's own, and the step by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from haribote.levels import board
from haribote.levels.board import BY_HAND, Board, BoardLine, sum_costs_overlapped
from simulator import assemble
from simulator.isa.cost import Cost
from tests.long_runs import LONG


def test_lines_and_notes() -> None:
    shown = Board(
        (BoardLine("a", Cost(10, 1, 2, 640, 80.0)), BoardLine("<b>", Cost(5, 0, 0, 0, 20.0, overlapped=18.0), "mine"))
    )
    lines = str(shown).split("\n")
    assert lines[1].split() == ["a", "10", "1", "2", "640", "80", "-"]
    assert lines[2].split() == ["<b>", "5", "0", "0", "0", "20", "18"] and lines[-1] == "<b>: mine"
    assert "&lt;b&gt;" in shown._repr_html_() and "<b>:" not in shown._repr_html_()


def test_a_program_of_ones_own_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "mine.vsm"
    path.write_text("mvp/n64 $d0 $lc0@.0\niinc $lm0v $ln0v\niinc $ln0v $lm8v\n")
    monkeypatch.setattr(board, "_entries", lambda: iter([BoardLine("none", Cost())]))
    mine, none = board.on_board([path]).entries
    assert (mine.name, mine.cost.steps, mine.cost.cycles, none.name) == ("mine.vsm", 2, 12.0, "none")
    assert "1 errors" in mine.note  # LM1 is read too early


def test_the_step_by_hand_costs_what_the_board_says(shared: Path) -> None:
    found = sum_costs_overlapped([assemble((shared / "prototype/resident/packed.vsm").read_text())])
    assert (found.steps, found.nops, found.moves, found.move_words) == (291, 10, 5, 36_992)
    assert (found.cycles, found.overlapped) == (BY_HAND.cycles, BY_HAND.overlapped)


@LONG
@pytest.mark.slow
def test_the_board_of_the_training_step() -> None:
    """What the notebooks of stage 07 say in their text."""
    found = {entry.name: entry.cost for entry in board.on_board().entries}
    assert next(iter(found)).startswith("-O0") and len(found) == 6
    assert found["-O0, reference kernels"].cycles == 19_640
    assert found["-O1, your kernels"].cycles < 9_000 and found["-O2"].cycles < BY_HAND.cycles
    assert found["-O2, mixed"].overlapped < found["-O2"].overlapped < BY_HAND.overlapped  # type: ignore[operator]
