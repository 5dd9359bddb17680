"""Words that nothing is read from later may differ at the end; all that are kept must not."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from simulator import assemble
from simulator.errors import SimulatorError
from simulator.schedule import Keep, schedule
from simulator.schedule.keep import SIZES, Kept
from tests.simulator.schedule.memories import memories
from tests.simulator.schedule.test_rename import buffer_program

PES = {name: [range(SIZES[name])] for name in ("lm0", "lm1", "grf0", "grf1", "t", "omr", "mx", "my")}


def _check(seed: int, keep: Keep) -> tuple[int, int]:
    before = assemble(buffer_program(Random(seed), 40))
    after = schedule(before, rename=True, keep=keep)
    expected, found = memories(before, seed, "native"), memories(after, seed, "native")
    assert not isinstance(expected, str) and not isinstance(found, str)
    for name, value in expected[1].items():
        axis = value.ndim - 1 if name in ("l1bm", "l2bm", "pdm") else 0
        for words in keep.get(name, [range(len(value))] if name not in SIZES else []):
            np.testing.assert_array_equal(
                np.moveaxis(found[1][name], axis, 0)[words.start : words.stop],
                np.moveaxis(value, axis, 0)[words.start : words.stop],
                err_msg=name,
            )
    return schedule(before, rename=True).steps, after.steps


@pytest.mark.slow
def test_what_is_kept_is_right() -> None:
    """Here also words that the program does not use are kept: 2,048 of the L1BM from 256 on."""
    keep = {**PES, "l1bm": [range(64), range(256, 2304)], "l2bm": [range(64, 128)], "pdm": []}
    counts = [_check(seed, keep) for seed in range(3)]
    assert sum(after for _, after in counts) <= sum(before for before, _ in counts)


def test_only_what_is_named_is_kept() -> None:
    kept = Kept({"l1bm": [range(64, 128)]})
    assert kept.any("l1bm", 0, 65) and not kept.any("l1bm", 0, 64) and not kept.any("l2bm", 0, 1 << 15)
    assert kept.any("dram", 0, 1) and Kept(None).any("l2bm", 0, 1)


@pytest.mark.parametrize("keep", [{"lm2": []}, {"mx": [range(17)]}, {"l1bm": [range(0, 64, 2)]}])
def test_words_that_are_not_there(keep: Keep) -> None:
    with pytest.raises(SimulatorError, match=r"names no memory|has no words"):
        schedule(assemble("nop"), keep=keep)
