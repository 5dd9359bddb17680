"""Products in the matrix unit, on the machine, against float64."""

from __future__ import annotations

from random import Random

import pytest

from haribote.stack.code import GRF
from haribote.stack.maps import BitMap
from haribote.stack.products import cores
from tests.haribote.stack.products.operands import contraction, deal
from tests.haribote.stack.products.rig import run_core

HOMES = (["GRF0"], ["GRF1"], ["LM0"], ["LM1"], ["GRF0", "GRF1"], ["LM1", "GRF0"])


def random_product(seed: int) -> None:
    random = Random(seed)
    spec = contraction(random)
    a, b = deal(random, spec, near=True)
    while max(a.longs, b.longs) > 512:
        a, b = deal(random, spec, near=True)
    found = cores(str(spec), a, b, random.choice(("float", "float", "pseudo")))
    matrix = [core for core in found if core.matrix]
    assert matrix
    for core in random.sample(matrix, 1):
        targets = [["GRF0"], ["GRF1"], ["LM0"], ["LM1"], ["LM1", "LM0"]] + [["L1BM"]] * 3 * bool(core.reduced_target)
        homes = fitting(random, a), fitting(random, b)
        wide = [target for target in targets if core.target.longs <= 32 or target[0] not in GRF]
        run_core(core, homes, random.choice(wide), seed)


def fitting(random: Random, found: BitMap) -> list[str]:
    """Banks for an operand: large ones in LM."""
    return random.choice(HOMES if found.longs <= 64 else HOMES[2:4])


@pytest.mark.parametrize("seed", range(6))
def test_random_products(seed: int) -> None:
    random_product(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 300))
def test_more_random_products(seed: int) -> None:
    random_product(seed)
