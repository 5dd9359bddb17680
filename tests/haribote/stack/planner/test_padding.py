"""What is written into padding: one constant for all axes where it is small, else one for each."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from haribote.graph import Builder
from haribote.stack.plan import Version
from haribote.stack.planner.facts import Facts
from haribote.stack.planner.families import candidates
from haribote.stack.planner.padding import MASK_LONGS, mended
from haribote.stack.planner.tariff import Tariff


def facts(shape: tuple[int, ...]) -> Facts:
    builder = Builder("padded")
    builder.input("x", shape, np.float32)
    builder.op("Relu", "x", name="y")
    builder.output("y")
    return Facts(builder.finish(), Tariff())


@pytest.mark.parametrize(("shape", "fill"), [((5, 7), 0.0), ((5, 7), -1e30), ((3, 28, 28, 25), 0.0)])
def test_a_chain_ends_with_the_value_and_its_masks_are_small(shape: tuple[int, ...], fill: float) -> None:
    known = facts(shape)
    for split, found in candidates(shape):
        nodes, masks = mended(known, Version("x", found, split), fill)
        assert nodes[0].input[list(nodes[0].input).index("x")] == "x"
        for before, after in pairwise(nodes):
            assert before.output[0] in after.input
        assert nodes[-1].output[0] == f"x.filled.{fill:g}"
        assert {mask.value for mask in masks} <= {name for node in nodes for name in node.input}
        axes = {axis for mask in masks for axis, size in enumerate(known.index.shape[mask.value]) if size > 1}
        assert axes >= set(known.padded_axes(Version("x", found, split)))
        assert len(masks) == 1 or all(mask.map.longs <= max(MASK_LONGS, 32) for mask in masks)
