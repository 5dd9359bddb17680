"""What moves cost, learnt and kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from haribote.stack import moves
from haribote.stack.code import Code
from haribote.stack.maps import BitMap
from haribote.stack.notation import parse
from haribote.stack.places import NoRoom
from haribote.stack.planner import tariff
from haribote.stack.planner.tariff import NEVER, Tariff

BEFORE = parse("((8_L1B:1, 4:1, 4_PE:1, 2_W:1), (16_MAB:1))")
AFTER = parse("((8_L1B:1, 2:1, 2:2, 4_PE:1, 2_W:1), (16_MAB:1))")


@pytest.fixture(autouse=True)
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of this test's own instead of the user's prices."""
    monkeypatch.setattr(tariff, "_file", lambda: tmp_path / "stack" / "prices.json")
    return tmp_path / "stack" / "prices.json"


def test_a_price_is_learnt_once_and_kept_for_the_next_run(monkeypatch: pytest.MonkeyPatch) -> None:
    first = Tariff()
    guessed = first.price(BEFORE, AFTER)
    assert first.learn(BEFORE, AFTER)
    assert not first.learn(BEFORE, AFTER)
    price = first.price(BEFORE, AFTER)
    assert 0 < price < NEVER and price != guessed
    first.save()
    monkeypatch.setattr(tariff, "_written", lambda *ask: pytest.fail("written twice"))
    again = Tariff()
    assert again.price(BEFORE, AFTER) == guessed, "what another plan asked for says nothing to this one"
    assert again.learn(BEFORE, AFTER)
    assert again.price(BEFORE, AFTER) == price


def test_prices_of_two_processes_are_both_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tariff, "_written", lambda *ask: 40.0)
    one, other = Tariff(), Tariff()
    one.learn(BEFORE, AFTER)
    other.learn(BEFORE, AFTER, "fadd")
    one.save()
    other.save()
    monkeypatch.setattr(tariff, "_written", lambda *ask: pytest.fail("forgotten"))
    again = Tariff()
    assert again.learn(BEFORE, AFTER) and again.learn(BEFORE, AFTER, "fadd")


def test_what_joins_parts_is_part_of_the_question(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tariff, "_written", lambda source, target, combine: {"": 40.0, "fadd": 80.0}[combine])
    found = Tariff()
    found.learn(BEFORE, AFTER)
    found.learn(BEFORE, AFTER, "fadd")
    assert (found.price(BEFORE, AFTER), found.price(BEFORE, AFTER, "fadd")) == (40.0, 80.0)
    assert found.price(BEFORE, AFTER, "fmax") not in (40.0, 80.0)


def test_the_names_of_index_bits_are_no_part_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tariff, "_written", lambda source, target, combine: 40.0)
    found = Tariff()
    assert found.learn(BEFORE, AFTER)
    assert not found.learn(BEFORE.transposed(), AFTER.transposed())
    assert found.learn(BEFORE, AFTER.weakened())


def test_a_move_for_which_there_is_no_room_is_never_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    def emit(code: Code, *places: object) -> None:
        raise NoRoom("no room on the way")

    monkeypatch.setattr(moves, "emit", emit)
    found = Tariff()
    found.learn(BEFORE, AFTER)
    assert found.price(BEFORE, AFTER) == NEVER


@pytest.mark.parametrize("text", ["", "{", "[1, 2]", '"text"', "\udcff"])
def test_a_broken_cache_file_is_as_good_as_none(file: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    file.parent.mkdir()
    file.write_text(text, "utf-8", errors="surrogateescape")
    found = Tariff()
    assert found.learn(BEFORE, AFTER)
    found.save()
    monkeypatch.setattr(tariff, "_written", lambda *ask: pytest.fail("written twice"))
    assert Tariff().learn(BEFORE, AFTER)


def test_a_cache_that_cannot_be_written_is_no_error(file: Path) -> None:
    file.parent.write_text("a file where the folder should be")
    found = Tariff()
    found.learn(BEFORE, AFTER)
    found.save()


def test_equal_maps_are_one_question() -> None:
    found = Tariff()
    found.learn(BEFORE, AFTER)
    assert not found.learn(BitMap.of("LM", BEFORE.shape, BEFORE.table), AFTER)
