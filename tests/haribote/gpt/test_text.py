"""The text that is learned: our stories, a file of one's own, and its batches."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest

from haribote.gpt.stories import LENGTH, stories
from haribote.gpt.text import Alphabet, TextError, corpus
from simulator.errors import SimulatorError


def test_stories_are_the_same_everywhere() -> None:
    text = stories()
    assert len(text) == LENGTH
    assert set(text) <= set("abcdefghijklmnopqrstuvwxyz .,\n")
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == "296969c2b4db1ea9"
    lines = text.splitlines()
    assert len(set(lines)) > 0.99 * len(lines)  # no story is told twice but by chance


def test_batches_depend_on_seed_and_step_alone() -> None:
    learned = corpus(None, 32)
    tokens, following = learned.batch(7, 3, 5, 32)
    again = learned.batch(7, 3, 5, 32)
    assert np.array_equal(tokens, again[0]) and np.array_equal(following, again[1])
    assert tokens.shape == following.shape == (5, 32)
    assert np.array_equal(tokens[:, 1:], following[:, :-1])
    assert all(learned.alphabet.text(row) in stories() for row in tokens)
    assert not np.array_equal(tokens, learned.batch(7, 4, 5, 32)[0])


def test_the_last_piece_ends_with_the_text(tmp_path: Path) -> None:
    file = tmp_path / "short.txt"
    file.write_text("abcdefghij")
    learned = corpus(file, 8)
    found = {learned.alphabet.text(learned.batch(1, step, 1, 8)[1][0]) for step in range(40)}
    assert found == {"bcdefghi", "cdefghij"}


def test_a_text_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "mine.txt"
    file.write_bytes("\ufeffはじめに\r\nことば\r\n".encode())
    learned = corpus(file, 4)
    assert learned.alphabet.text(learned.tokens) == "はじめに\nことば\n"


def test_texts_that_cannot_be_learned(tmp_path: Path) -> None:
    with pytest.raises(SimulatorError, match=r"nowhere\.txt"):
        corpus(tmp_path / "nowhere.txt", 8)
    short = tmp_path / "short.txt"
    short.write_text("abcdefghi")
    with pytest.raises(TextError, match=r"9 characters.*needs 10"):
        corpus(short, 8)
    binary = tmp_path / "picture.png"
    binary.write_bytes(b"\x89PNG\xff\xfe")
    with pytest.raises(TextError, match="not a text file"):
        corpus(binary, 8)
    many = tmp_path / "many.txt"
    many.write_text("".join(map(chr, range(0x4E00, 0x4E00 + 600))), encoding="utf-8")
    with pytest.raises(TextError, match="600 different characters"):
        corpus(many, 8)


def test_unknown_characters_are_named() -> None:
    with pytest.raises(TextError, match="character 3 of the text, 'Z'"):
        Alphabet("abc").tokens("abZ")
    assert Alphabet("abc").text(Alphabet("abc").tokens("cab")) == "cab"
