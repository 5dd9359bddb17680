"""Products in the matrix unit, on the machine, against float64."""

from __future__ import annotations

from random import Random

import pytest

from haribote.stack.products import Precision, cores
from tests.haribote.stack.products.operands import contraction, deal, fitting, targets
from tests.haribote.stack.products.rig import run_core


def random_product(seed: int) -> None:
    random = Random(seed)
    spec = contraction(random)
    precision: Precision = ("float", "pseudo", "half", "float")[seed % 4]  # type: ignore[assignment]
    a, b = deal(random, spec, near=True, half=precision == "half")
    core = random.choice([core for core in cores(str(spec), a, b, precision) if core.matrix])
    run_core(core, (fitting(random, a), fitting(random, b)), random.choice(targets(core)), seed)


@pytest.mark.parametrize("seed", range(8))
def test_random_products(seed: int) -> None:
    random_product(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 130))
def test_more_random_products(seed: int) -> None:
    random_product(seed)
