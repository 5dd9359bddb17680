"""What memories hold, as a file, and back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from simulator import Machine, SimulatorError
from simulator.engine.state.snapshot import restore, snapshot


def test_lm_and_dram_come_back(tmp_path: Path) -> None:
    machine, rng = Machine(), np.random.default_rng(0)
    machine.lm0[[3, 4095]] = rng.integers(1, 2**32, (2, 4096), dtype=np.uint32)
    machine.lm1[8, 17] = 5
    long_words = rng.integers(1, 2**63, 70_000, dtype=np.uint64)  # more than two pages
    machine.dram[2][40_000:110_000] = long_words
    file = tmp_path / "step.npz"
    file.write_bytes(snapshot(machine))
    other = Machine()
    restore(other, file)
    assert np.array_equal(machine.lm0, other.lm0) and np.array_equal(machine.lm1, other.lm1)
    assert np.array_equal(other.dram[2][40_000:110_000], long_words)
    assert not other.dram[2][39_000:40_000].any() and not other.dram[0][:1000].any()


@pytest.mark.parametrize("content", [b"", b"no npz", b"PK\x05\x06" + bytes(18)])
def test_another_file_is_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "step.npz"
    file.write_bytes(content)
    with pytest.raises(SimulatorError, match="does not hold what memories hold"):
        restore(Machine(), file)


def test_damage_inside_is_told(tmp_path: Path) -> None:
    file = tmp_path / "step.npz"
    machine = Machine()
    machine.lm0[3] = np.random.default_rng(0).integers(1, 2**32, 4096, dtype=np.uint32)
    content = bytearray(snapshot(machine))
    content[200:400] = b"\xff" * 200
    file.write_bytes(content)
    with pytest.raises(SimulatorError, match="does not hold what memories hold"):
        restore(Machine(), file)
