"""The rig tells stray words and odd copies, in DRAM too."""

from __future__ import annotations

import numpy as np

from grader.rigs.rig import DramWords, Given, Words, pes, run, unit_name
from simulator import assemble
from simulator.effects.places import Place


def test_a_run_tells_stray_words_and_odd_copies() -> None:
    word, pe = np.array([4, 5]), np.array([0, 0])
    copies = Words("LM1", word, pe, (0, 4))
    given = Given("x", Words("LM0", word, pe), np.array([7, 8], np.uint32))
    left = run(assemble("iinc $m[4,5,5,5] $n[4,5,6,6]/1100"), (given,), (copies,), (copies,))
    assert left.outputs[0].tolist() == [8, 9]
    assert [others.unit for others in left.others] == [unit_name(4)]  # the PE of the next MAB has no x, but junk
    assert left.stray == f"LM1 word 4 of {unit_name(1)}"


def test_words_of_dram_around_a_vector_are_watched() -> None:
    given = Given("x", DramWords(1, 64, 64), np.ones((64, 2), np.uint32))
    out = DramWords(1, 192, 64)
    left = run(assemble("mvp/n128 $d64@1 $lc0@1.0\nmvp/n128 $lc0@1.0 $d192@1"), (given,), (out,), (out,))
    assert left.outputs[0].tolist() == given.bits.tolist()
    assert left.stray == "DRAM group 1 long word 256" and left.stray_at == Place("dram", 1, 512)
    assert pes(1, 0, 0, 0) == 512
