"""The walk finds nothing in a right program, and the mistakes that are made on purpose."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from haribote.stack.plan import Load, Shift
from haribote.stack.program.builder import Built
from haribote.stack.program.compiled import built as built_step
from haribote.stack.program.ownership import trespasses
from haribote.stack.program.walk import difference, walk
from simulator import assemble
from tests.haribote.conftest import Step
from tests.haribote.stack.program.small_plans import replaced_built, values, without

FEEDS = {"x": values(1), "w": values(2)}


def piece(built: Built, kind: type) -> int:
    return next(number for number, piece in enumerate(built.pieces) if isinstance(piece.action, kind))


def test_a_right_program_has_no_findings() -> None:
    found = walk(replaced_built(), FEEDS)
    assert not found.wrong, str(found)
    assert not found.unknown
    homes = 4096 * 8 * 2  # every PE holds 8 words of every version, twice
    assert found.words == homes * (1 + 2 + 1 + 2 + 2 + 2 + 1)  # what each action reads and makes, and w at the end
    assert not trespasses(replaced_built())
    assert not difference(replaced_built())


@pytest.mark.some(1)
@pytest.mark.parametrize("kind", [Load, Shift])
def test_a_line_that_is_left_out_is_found(kind: type) -> None:
    built = replaced_built()
    number = piece(built, kind)
    for line in (0, len(built.pieces[number].lines) - 1):
        assert walk(without(built, number, line), FEEDS).wrong


@pytest.mark.slow
def test_every_line_that_is_left_out_is_found() -> None:
    built = replaced_built()
    number = piece(built, Load)
    for line in range(len(built.pieces[number].lines)):
        assert walk(without(built, number, line), FEEDS).wrong, built.pieces[number].lines[line]


def test_a_line_that_writes_what_others_own_is_found() -> None:
    built = replaced_built()
    number = piece(built, Load)
    pieces = list(built.pieces)
    home = built.homes[built.plan.resident[0]][0]
    letter = {"GRF0": "r", "GRF1": "s"}[home.memory]
    bad = f"zero $ll{letter}{home.address}v"
    pieces[number] = replace(pieces[number], lines=(*pieces[number].lines, bad))
    found = trespasses(replace(built, pieces=tuple(pieces)))
    assert [(f.line, f.owner) for f in found] == [(bad, "w")]
    assert "overwrites 'w'" in str(found[0])


def test_a_line_that_reads_what_nobody_wrote_is_found() -> None:
    built = replaced_built()
    number = piece(built, Load)
    pieces = list(built.pieces)
    pieces[number] = replace(pieces[number], lines=("l1bmm $lb4096 $nowrite", *pieces[number].lines))
    found = trespasses(replace(built, pieces=tuple(pieces)))
    assert [f.memory for f in found] == ["l1bm"]


@pytest.mark.slow
def test_a_schedule_that_gives_something_else_is_found() -> None:
    built = replaced_built()
    lines = built.executable.step.splitlines()
    store = next(number for number, line in enumerate(lines) if line.startswith("mvp"))
    wrong = replace(built.executable, step="\n".join([*lines[:store], *lines[store + 1 :]]))
    assert assemble(wrong.step)
    assert "old differs" in difference(replace(built, executable=wrong))


@pytest.mark.slow
@pytest.mark.parametrize("widths", [(784, 16, 10), (20, 33, 7), (37, 50, 20, 10)])
def test_steps_touch_only_what_is_theirs(make_step: Callable[..., Step], widths: tuple[int, ...]) -> None:
    """The matrix registers get no rows that are padding, which nobody has written."""
    assert not trespasses(built_step(make_step(widths, True, 256).graph))
