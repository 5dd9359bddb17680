"""Plans with picks, by an index that is known and by one that comes in, walked through."""

from __future__ import annotations

import numpy as np
import pytest

from haribote.graph import Builder
from haribote.stack.maps import BitMap
from haribote.stack.plan import Load, Pick, Plan, Store
from haribote.stack.program.shortest import build
from haribote.stack.program.walk import walk
from tests.haribote.stack.program.small_plans import NEAR, values, version


@pytest.mark.slow
def test_a_slice_and_rows_by_number() -> None:
    builder = Builder("picked")
    builder.input("x", (256, 16), np.float32)
    builder.input("rows", (256, 16), np.int32)
    index = np.arange(256 * 16).reshape(256, 16)[:, 5:15]
    index = np.where(index % 7, index, -1)
    builder.op("Pick", "x", builder.constant(index, "index"), name="slice", fill=1.0)
    builder.op("Pick", "x", "rows", name="chosen", fill=-1.0)
    builder.output("slice")
    builder.output("chosen")
    x, rows, chosen = version("x", NEAR), version("rows", NEAR), version("chosen", NEAR)
    part = version("slice", BitMap.of("LM", (256, 10), dict(NEAR.carries)), 1.0)
    picks = Pick(x, part, index, 1.0), Pick(x, chosen, rows, -1.0)
    plan = Plan(builder.finish(), (Load(x), Load(rows), *picks, Store(part), Store(chosen)))
    numbers = np.random.default_rng(3).integers(-1, 256 * 16, (256, 16)).astype(np.int32)
    found = walk(build(plan), {"x": values(1), "rows": numbers})
    assert not found.wrong, str(found)
    assert not found.unknown
