"""Constant words of every PE arrive where they belong."""

from __future__ import annotations

import numpy as np
import pytest

from haribote.stack import uploads
from haribote.stack.code import Code, Slot
from simulator import Machine, assemble
from simulator.assembly.checks import check, fix_nops


def _run(code: Code) -> Machine:
    """A machine after the setup and one step, at first full of ones."""
    machine = Machine("native")
    for name in ("lm0", "lm1", "l1bm", "l2bm"):
        getattr(machine, name)[...] = 1
    for upload in code.uploads:
        uploads.write(machine, upload)
    for part in (code.setup, code.lines):
        program = assemble(fix_nops(assemble("\n".join(part) + "\n")))
        assert [found for found in check(program) if found.severity == "error"] == []
        machine.run(program)
    return machine


def _found(machine: Machine, slot: Slot) -> np.ndarray:
    return np.asarray(getattr(machine, slot.bank.lower()))[slot.address : slot.address + slot.words]


@pytest.mark.parametrize("rows", [8, 13, 40])
def test_every_pe_has_its_own_words(rows: int) -> None:
    words = np.random.default_rng(rows).integers(0, 1 << 32, (rows, 4096), np.uint32)
    code = Code()
    code.dram(100)
    first, second = code.data(words), code.data(words[:8] + np.uint32(1), ("LM0",))
    machine = _run(code)
    assert first.words % 8 == 0
    np.testing.assert_array_equal(_found(machine, first)[:rows], words)
    np.testing.assert_array_equal(_found(machine, second)[:8], words[:8] + np.uint32(1))


def test_the_same_words_are_there_once() -> None:
    code = Code()
    words = np.arange(8 * 4096, dtype=np.uint32).reshape(8, 4096)
    assert code.data(words) == code.data(words.copy()) != code.data(words + np.uint32(1))
    assert len(code.uploads) == 2


def test_words_stream_within_the_step() -> None:
    words = np.random.default_rng(1).integers(0, 1 << 32, (24, 4096), np.uint32)
    code = Code()
    with code.scratch():
        slot = code.take(16, ("GRF1",))
        code.stream(words[8:], slot)
        assert not code.setup
    machine = _run(code)
    np.testing.assert_array_equal(_found(machine, slot), words[8:])
