"""Task 5.27: the sum of columns against the exact sum.

The bound, from isa.md, section 11.5, with u = 2^-24 and S the sum of absolute values: 3 roundings of u*S in the PE (4
rows); a reduction of n values rounds its inputs at 3 guard bits and then its result, (n/8 + 1) * u*S: 8 L1B 2, then the
8 L2B as 2 and 4, 1.25 + 1.5. Together 7.75, at most 8. A value below 2^-126 counts as 0.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from haribote.errors import UnsupportedShape
from haribote.kernel import Memory
from haribote.kernel_table import BY_NAME, problem
from tests.solutions.harness import judge, placed, run_kernel, solution, stray_writes

Floats = NDArray[np.float32]

ROW = BY_NAME["sum_columns"]
SHAPE = (256, 16)
SMALLEST = 2.0**-126


def check(x: Floats, output: Floats) -> None:
    exact = x.astype(np.float64).sum(0)
    limit = 8 * 2.0**-24 * np.abs(x.astype(np.float64)).sum(0) + 256 * SMALLEST
    error = np.abs(output - exact)
    print(f"error up to {(error / limit).max():.3f} of the bound; largest {error.max():.3g}")
    assert (error <= limit).all()


def ones_that_cancel(rng: np.random.Generator) -> Floats:
    x = rng.standard_normal(SHAPE)
    x[128:] = -x[:128] * (1 + 2.0**-20)
    return rng.permutation(x).astype(np.float32)


INPUTS: dict[str, Callable[[np.random.Generator], NDArray[np.floating]]] = {
    "normal": lambda rng: rng.standard_normal(SHAPE),
    "golden-like": lambda rng: rng.uniform(0, 10, SHAPE),
    "wide": lambda rng: rng.standard_normal(SHAPE) * 2.0 ** rng.integers(-40, 41, SHAPE),
    "cancelling": ones_that_cancel,
    "large": lambda rng: rng.uniform(-1e36, 1e36, SHAPE),
    "tiny": lambda rng: rng.uniform(-1e-37, 1e-37, SHAPE),
}


@pytest.mark.parametrize("kind", INPUTS)
def test_within_the_bound(kind: str) -> None:
    x = np.asarray(INPUTS[kind](np.random.default_rng(7)), np.float32)
    check(x, run_kernel(ROW, problem(ROW), [x]).output)


def test_integers_are_exact() -> None:
    x = np.random.default_rng(1).integers(-65535, 65536, SHAPE).astype(np.float32)
    assert np.array_equal(run_kernel(ROW, problem(ROW), [x]).output, x.astype(np.float64).sum(0))


@pytest.mark.parametrize("value", [0.0, -0.0])
def test_zeros_give_positive_zeros(value: float) -> None:
    x = np.full(SHAPE, value, np.float32)
    assert not run_kernel(ROW, problem(ROW), [x]).output.view(np.uint32).any()


@pytest.mark.parametrize("address, dram, bank", [(4, 64, "LM1"), (1228, 4096, "LM0"), (2052, 1 << 20, "LM1")])
def test_any_place_from_copy_0_and_nothing_else(address: int, dram: int, bank: Memory) -> None:
    x = np.random.default_rng(address).standard_normal(SHAPE).astype(np.float32)
    run = run_kernel(ROW, placed(ROW, address, dram, input_memory=bank), [x], only_copy_0=True)
    check(x, run.output)
    assert stray_writes(run) == []
    assert run.findings == []


def test_costs_less_than_par() -> None:
    run = run_kernel(ROW, problem(ROW), [np.ones(SHAPE, np.float32)])
    assert run.cost == 10 <= ROW.par


def test_judge_accepts(shared: Path, tmp_path: Path) -> None:
    verdict = judge(ROW, shared, tmp_path)
    assert verdict.startswith("ACCEPTED"), verdict


def test_other_shapes_are_refused() -> None:
    with pytest.raises(UnsupportedShape, match="256x16"):
        list(solution(ROW)(problem(BY_NAME["scale_16x16"])))
