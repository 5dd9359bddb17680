"""Products in the vector unit, on the machine, against float64."""

from __future__ import annotations

from random import Random

import pytest

from haribote.stack.products import cores
from haribote.stack.products.core import NEAR
from tests.haribote.stack.products.operands import contraction, deal, fitting, targets
from tests.haribote.stack.products.rig import run_core


def random_product(seed: int) -> None:
    random = Random(seed)
    spec = contraction(random)
    a, b = deal(random, spec, near=False, inner=NEAR)
    (core,) = (core for core in cores(str(spec), a, b) if not core.matrix)
    run_core(core, (fitting(random, a), fitting(random, b)), random.choice(targets(core)), seed)


@pytest.mark.some(2)
@pytest.mark.parametrize("seed", range(5))
def test_random_products(seed: int) -> None:
    random_product(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 115))
def test_more_random_products(seed: int) -> None:
    random_product(seed)
