"""Texts broken into lines, with full-width characters too."""

from __future__ import annotations

import pytest

from simulator.columns import columns
from simulator.lines import CLOSING, OPENING, pieces, wrapped

JAPANESE = "L1BM の64長語を「すべて」の PE（4,096個）に書きます。コンパイラー、`$lm0v`。"


@pytest.mark.parametrize("text", ["a bc  def, (x) … `$lm0v $ln0v`", "  “quoted” text – more ", ""])
def test_other_texts_break_at_spaces_only(text: str) -> None:
    assert [piece.strip() for piece in pieces(text)] == text.split()
    assert " ".join(wrapped(text, 9)) == " ".join(text.split())


@pytest.mark.parametrize("room", range(8, 40))
def test_lines_fit_and_keep_everything(room: int) -> None:
    lines = wrapped(JAPANESE, room)
    assert "".join(lines).replace(" ", "") == JAPANESE.replace(" ", "")
    assert all(columns(line) <= room for line in lines if len(pieces(line)) > 1)
    assert not any(line[0] in CLOSING or line[-1] in OPENING or line != line.strip() for line in lines)


def test_words_of_latin_letters_stay_whole() -> None:
    assert pieces("L1BM の64長語") == ["L1BM", " の", "64", "長", "語"]
    assert wrapped("abcdefgh語", 4) == ["abcdefgh", "語"]
