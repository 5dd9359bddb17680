"""Copies from place to place in LM: all words arrive, and nothing is read too early."""

from __future__ import annotations

import numpy as np
import pytest

from haribote.kernel import Operand
from haribote.layout import LAYOUTS
from haribote.resident.copying import copy_lines
from simulator import Machine, assemble
from simulator.assembly.checks import check


@pytest.mark.parametrize("tag", ["16", "256x16.A", "16x1024", "16x16", "256x16.P"])
@pytest.mark.parametrize("target", ["LM0", "LM1"])
def test_every_word_arrives_at_once_or_through_grf(tag: str, target: str) -> None:
    layout, machine = LAYOUTS[tag], Machine()
    source = Operand("x", layout.shape, "float32", layout, "LM0", 12)
    copy = Operand("y", layout.shape, "float32", layout, "LM1" if target == "LM1" else "LM0", 1024)
    bits = np.random.default_rng(0).integers(0, 1 << 32, (layout.words, 4096), np.uint32)
    machine.lm0[12 : 12 + layout.words] = bits
    lines = list(copy_lines(source, copy))
    after = [f"lpassa {copy.word()} $lr0v"]  # a kernel that reads it in the very next step
    program = assemble("\n".join(lines + (after if target == "LM0" else ["nop/2", *after])))
    assert not [finding for finding in check(program) if finding.severity == "error"]
    machine.run(program)
    memory = machine.lm0 if target == "LM0" else machine.lm1
    assert (memory[1024 : 1024 + layout.words] == bits).all()
