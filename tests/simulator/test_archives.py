"""Damaged archives of arrays: whatever byte is wrong, reading raises what every reader expects, or gives arrays."""

from __future__ import annotations

import random
from io import BytesIO

import numpy as np
import pytest

from simulator.archives import NPZ_ERRORS


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_no_other_errors_come_up(save: object) -> None:
    file = BytesIO()
    save(file, a=np.arange(50.0), b=np.zeros(3, np.uint8))  # type: ignore[operator]
    chance, seen = random.Random(0), set()
    for place in range(len(file.getvalue())):
        for value in (0, 1, 99, 255, chance.randrange(256)):
            damaged = bytearray(file.getvalue())
            damaged[place] = value
            try:
                with np.load(BytesIO(damaged), allow_pickle=False) as found:
                    shapes = [found[name].shape for name in found.files]
                assert isinstance(shapes, list)
            except NPZ_ERRORS as error:
                seen.add(type(error).__name__)
    assert {"BadZipFile", "NotImplementedError"} <= seen
