"""The walk finds nothing in a right program, and each kind of mistake in a wrong one."""

from __future__ import annotations

import numpy as np

from haribote.stack.ownership import trespasses
from haribote.stack.plan import Load, Plan, Shift, Store
from haribote.stack.program import build
from haribote.stack.walk import difference, walk
from tests.haribote.stack.test_session import NEAR, ROWS, copied, version

X = np.random.default_rng(0).normal(size=(256, 16)).astype(np.float32)


def test_all() -> None:
    near, rows = version("x", NEAR), version("x", ROWS)
    built = build(Plan(copied(), (Load(near), Shift(near, rows), Store(rows))))
    found = walk(built, {"x": X})
    assert not found.wrong, str(found)
    assert not trespasses(built)
    assert not difference(built)
    # a copy that is not written
    print(built.pieces)
