"""Columns of a terminal with full-width characters."""

from __future__ import annotations

from simulator.columns import aligned, columns, left, right


def test_full_width_characters_take_two_columns() -> None:
    assert [columns(text) for text in ("", "abc", "放送 a", "（）", "ｱ", "→")] == [0, 3, 6, 4, 1, 1]


def test_texts_are_filled_to_a_width() -> None:
    assert left("行", 4) + "|" == "行  |"
    assert right("行", 4) + "|" == "  行|"
    assert left("longer", 2) == "longer"


def test_rows_are_aligned() -> None:
    assert aligned([("名前", "1"), ("a", "22")]) == ["名前  1", "a     22"]
    assert aligned([("名前", "1"), ("a", "22")], numbers=True) == ["名前   1", "a     22"]
