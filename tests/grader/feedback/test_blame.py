"""Junk of two kinds shows a word that was read and never written."""

from __future__ import annotations

import numpy as np
import pytest

from grader.feedback.blame import told, unwritten_read
from grader.rigs.poisoned import OTHER_POISON, POISON
from grader.rigs.rig import Given, Room, Words, run
from simulator import assemble

LUCK = [
    ("a mask entry", "lpassa $lm0v $ln0v/$imr1"),
    ("a GRF in a sum that all junk but one leaves alone", "fmin $lm0v $lr0v $ln0v"),
    ("the same with the largest", "fmax $lm0v $lr0v $ln0v"),
    ("the difference of two words", "lpassa $lr0v $nowrite\nfvadd $lr8v -$aluf $ls0v\nnop\nfvadd $lm0v $ls0v $ln0v"),
    ("the flush mask", "lpassa/$imr3 $lm0v $ln0v"),
]


@pytest.mark.parametrize(("name", "text"), LUCK)
def test_two_kinds_of_junk_leave_no_luck(name: str, text: str) -> None:
    word = np.arange(8, dtype=np.int64)
    place, out = Words("LM0", word, 0 * word), Words("LM1", word, 0 * word)
    bits = np.linspace(1, 2, 8, dtype=np.float32).view(np.uint32)
    results = [
        run(assemble(text), (Given("x", place, bits),), (out,), (Room("LM1", 0, 8),), poison).outputs[0]
        for poison in (POISON, OTHER_POISON)
    ]
    assert any((result != bits).any() for result in results), name
    blame = unwritten_read(assemble(text), (Given("x", place, bits),), out, np.ones(8, bool))
    assert blame is not None and "no line before it has written" in told(blame, text)
