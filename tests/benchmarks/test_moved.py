"""A move with a word too few, too many or swapped is found out."""

from __future__ import annotations

import re
from dataclasses import replace

from benchmarks.moved import failure
from haribote.stack.collection import collection
from haribote.stack.moves import Move, alone
from simulator import assemble
from tests.haribote.stack.copies import one_copy
from tests.haribote.stack.random_maps import source_of, target_of

MAPS = collection()


def _altered(found: Move, pattern: str, by: str) -> Move:
    text = re.sub(pattern, by, found.text)
    assert text != found.text
    return replace(found, text=text, program=assemble(text))


def test_a_copy_that_was_not_written_is_found() -> None:
    found = alone(source_of(MAPS["256x16.dram"]), target_of(MAPS["256x16.A"]))
    only_mab_0 = 'imm i"60" $nowrite\niand $peid $aluf $omr1\n'
    text = only_mab_0 + re.sub(r"(l1bmm .*)v$", r"\1v/$llimr1", found.text, flags=re.M)
    assert "words are wrong, the first is copy 1" in failure(replace(found, text=text, program=assemble(text)))


def test_a_word_beside_the_target_is_found() -> None:
    found = replace(alone(source_of(MAPS["256x16.dram"]), target_of(MAPS["256x16.A"])), scratch=False)
    assert "beside the target" in failure(_altered(found, r"\Z", "zero $ln48\n"))
    assert "source has changed" in failure(_altered(found, r"\Z", "nop\nmvp/n64 $p0@0 $d1024@0\n"))


def test_a_swapped_pair_of_addresses_is_found() -> None:
    found = alone(source_of(one_copy(MAPS["256x16.A"])), target_of(MAPS["256x16.dram"]))
    assert "words are wrong" in failure(_altered(found, r"\$lc0@\.0", "$lc0@.1"))
