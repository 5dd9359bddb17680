"""Values that are others under another name."""

from __future__ import annotations

import numpy as np
import pytest

from haribote.stack.plan import Version
from haribote.stack.planner.families import candidates
from haribote.stack.planner.views import View

CASES = [
    (View("x", (1, 0)), (256, 10)),
    (View("x", (0, 1)), (785, 16)),
    (View("x", (0, -1, 1)), (16, 785)),
    (View("x", (1, 2, 0)), (6, 5, 4)),
]


@pytest.mark.parametrize(("view", "shape"), CASES, ids=str)
def test_there_and_back_is_the_same_version(view: View, shape: tuple[int, ...]) -> None:
    for split, found in candidates(shape):
        version = Version("x", found, split, 0.0)
        assert view.inverse(shape, view.version("y", version)) == version


@pytest.mark.parametrize(("view", "shape"), CASES, ids=str)
def test_a_view_has_its_elements_where_the_root_has_them(view: View, shape: tuple[int, ...]) -> None:
    root = np.arange(np.prod(shape)).reshape(shape)
    kept = [axis for axis in view.order if axis >= 0]
    seen = root.transpose(kept).reshape([shape[axis] if axis >= 0 else 1 for axis in view.order])
    for split, found in candidates(shape):
        version = Version("x", found, split, 0.0)
        other = view.version("y", version)
        for level in ("group", "L2B", "L1B", "MAB", "PE", "W", "address"):
            mine = version.unpack(found.positions(level), shape).ravel()
            assert np.array_equal(other.unpack(other.map.positions(level), seen.shape), mine[seen])
