"""DRAM holds only what was written, and wraps."""

from __future__ import annotations

import numpy as np
import pytest

from simulator import SimulatorError
from simulator.engine.state.memories import Dram


def test_dram_is_sparse_and_wraps() -> None:
    dram = Dram()
    assert not dram[0:10].any()
    dram[Dram.PAGE - 2 : Dram.PAGE + 2] = [1, 2, 3, 4]
    assert dram[Dram.PAGE - 3 : Dram.PAGE + 3].tolist() == [0, 1, 2, 3, 4, 0]
    dram.write(2**29 - 1, np.array([8, 9], np.uint64))
    assert dram[0:1].tolist() == [9]
    assert dram.read(2**29 - 1, 2).tolist() == [8, 9]
    with pytest.raises(SimulatorError, match="DRAM range"):
        dram[0 : 2**29 + 1]
    with pytest.raises(TypeError, match="slices"):
        dram[5]  # type: ignore[index]
