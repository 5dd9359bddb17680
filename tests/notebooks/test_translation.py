"""Translations are kept by the hash of what they translate, and say what is left to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from notebooks.translation import (
    Paragraph,
    TranslationError,
    has_words,
    paragraphs,
    read,
    renewed,
    to_do,
    translated,
)
from simulator.language import digest

CELLS = ["# Moves\n\nA word\ntravels.\n\n```console\n$ ls\n\n$ cd\n```", "</details>\n\nThe end."]
WHOLE = [Paragraph(digest(en), ja) for en, ja in (("# Moves", "# 移動"), ("A word travels.", "旅"), ("The end.", "終"))]


def test_paragraphs_are_parts_between_blank_lines_and_whole_fences() -> None:
    assert paragraphs(CELLS[0]) == ["# Moves", "A word\ntravels.", "```console\n$ ls\n\n$ cd\n```"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("</details>", False), ("```console\nls\n```", False), ("1 + 1 = 2", False), ("<summary>Why?</summary>", True)],
)
def test_what_has_no_words_needs_no_translation(text: str, wanted: bool) -> None:
    assert has_words(text) == wanted


def test_a_hash_does_not_depend_on_line_breaks() -> None:
    assert digest("A word\ntravels.") == digest("A word travels.") != digest("A word travelled.")


def test_a_translation_takes_the_places_of_its_originals() -> None:
    assert to_do(CELLS, WHOLE, "x") == []
    assert translated(CELLS, WHOLE) == ["# 移動\n\n旅\n\n```console\n$ ls\n\n$ cd\n```", "</details>\n\n終"]


def test_what_changed_is_stale_and_what_is_new_is_missing() -> None:
    changed = ["# Moves\n\nTwo words travel.", "</details>\n\nThe end.\n\nMore."]
    assert "the English text has changed" in to_do(changed, WHOLE, "x")[0]
    found = renewed(changed, WHOLE)
    assert [(p.text, p.state) for p in found] == [("# 移動", ""), ("旅", "stale"), ("終", ""), ("More.", "missing")]
    assert [line.split(": ")[1] for line in to_do(changed, found, "x")] == [
        f"{digest('Two words travel.')} is stale",
        f"{digest('More.')} is missing",
    ]
    assert [p.state for p in renewed(changed, found)] == [p.state for p in found], "nothing is lost by a second run"


def test_a_paragraph_that_moved_keeps_its_translation() -> None:
    moved = ["The end.\n\n# Moves\n\nA word travels."]
    assert [(p.text, p.state) for p in renewed(moved, WHOLE)] == [("終", ""), ("# 移動", ""), ("旅", "")]


def test_a_file_is_read_as_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "x.ja.md"
    path.write_text("\n".join(map(str, WHOLE)), encoding="utf-8")
    assert read(path) == WHOLE


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("# 移動\n", "x.ja.md:1: text without the hash"),
        ("<!-- 01234567 -->\n一\n\n二\n", "below 01234567 there must be one paragraph"),
        ("<!-- 01234567 -->\n", "below 01234567 there must be one paragraph"),
    ],
)
def test_a_file_of_another_form_is_refused(text: str, wanted: str, tmp_path: Path) -> None:
    path = tmp_path / "x.ja.md"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(TranslationError, match=wanted):
        read(path)
