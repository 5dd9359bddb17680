"""Arrays with gaps between their rows."""

from __future__ import annotations

import numpy as np
import pytest

from simulator.engine.state import rows


@pytest.mark.parametrize(("shape", "axis"), [((8, 4096), -1), ((4, 4, 4096), -1), ((16, 1024, 8), 1)])
@pytest.mark.parametrize("dtype", [np.uint32, np.bool_])
def test_rows_begin_on_cache_lines_and_not_a_power_of_two_apart(
    shape: tuple[int, ...], axis: int, dtype: np.dtype[np.generic]
) -> None:
    array = rows.zeros(shape, dtype, axis)
    assert array.shape == shape and array.dtype == dtype and not array.any()
    distance = array.strides[axis - 1 if axis > 0 else -2]
    assert array.ctypes.data % 64 == distance % 64 == 0
    assert distance == shape[axis] * array.strides[axis] * 17 // 16
    assert rows.in_rows(array, axis) is array


def test_what_lies_otherwise_is_copied() -> None:
    array = np.arange(2 * 4096, dtype=np.uint32).reshape(2, 4096)
    copy = rows.in_rows(array)
    assert (copy == array).all()
    assert copy.strides == rows.zeros(array.shape, np.uint32).strides
    read_only = rows.zeros((2, 4096), np.uint32)
    read_only.flags.writeable = False
    assert rows.in_rows(read_only).flags.writeable
    shifted = rows.zeros((3, 4096), np.uint32)[:, 1:]
    assert rows.in_rows(shifted) is not shifted
