"""Words that arrive against the words that change."""

from __future__ import annotations

import numpy as np
import pytest

from simulator import Machine, assemble
from simulator.explain.moved_words import words_moved


@pytest.mark.parametrize(
    "line, memory",
    [
        ("mvp/n128 $d0@1 $lc64@2.1", "l2bm"),
        ("mvb/n64 $p0@1 $lc0", "l2bm"),
        ("mvb2/n128 $d0 $lc0", "l2bm"),
        ("mvriiadd/n64 $lc0 $p0@3", "pdm"),
        ("l2bmb@0/3 $lc0 $lb16", "l1bm"),
        ("l2bmd $lc0 $lb8", "l1bm"),
        ("l2bm@5 $lb0 $lc64", "l2bm"),
        ("l1bmm@2 $llm0v $llb0", "l1bm"),
        ("l1bmd $lb0 $lm0v", "lm0"),
        ("l1bmp $llb0 $lln0v", "lm1"),
    ],
)
def test_words_that_arrive_are_those_that_change(line: str, memory: str) -> None:
    machine = Machine()
    random = np.random.default_rng(1)
    for array in (machine.l1bm[:, :, :512], machine.l2bm[:, :512], machine.pdm[:, :512]):
        array[:] = random.integers(1, 2**40, array.shape, np.uint64) * np.uint64(2**16 + 1) + np.uint64(2**60)
    machine.lm0[:32] = random.integers(1, 2**32, (32, 4096), np.uint32)
    for dram in machine.dram:
        dram[0:512] = random.integers(2**33, 2**63, 512, np.uint64)
    before = getattr(machine, memory).copy()
    machine.run(assemble(line))
    changed = (np.ascontiguousarray(getattr(machine, memory)).view(np.uint32) != before.view(np.uint32)).sum()
    (words,) = words_moved(assemble(line)).values()
    assert abs(int(changed) - words) <= words * 1e-3  # a word may happen to stay what it was
