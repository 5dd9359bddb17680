"""Task 5.24: exp against double precision, over the whole range and at the borders inside it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from haribote.errors import UnsupportedShape
from haribote.kernel_table import BY_NAME, problem
from tests.solutions.harness import every_copy_equals, judge, placed, run_kernel, solution, stray_writes

Floats = NDArray[np.float32]
ROW = BY_NAME["exp"]

# Relative error, with u = 2^-24. It is largest at the ends of |r| <= ln 2 / 2, where p(r) is 0.71 or 1.41: rounding the
# last addition counts 0.71 u, the one before it 0.25 u, earlier ones 0.1 u, the rounding of r 0.25 u, the polynomial
# 0.07 u. In the middle, r = 0, the last addition alone counts: u. The product with 2^n is exact, and what the truncated
# multiplier omits is below 2^-36 of the product each time.
TOLERANCE = 1.4 * 2**-24

SMALLEST, LARGEST = 2.0**-126, float(np.finfo(np.float32).max)
LN_SMALLEST, LN_LARGEST = np.log(SMALLEST), np.log(LARGEST)


def exp_on_chip(values: Floats) -> Floats:
    """The kernel's result for any number of values, 4096 a run."""
    padded = np.zeros(-(-values.size // 4096) * 4096, np.float32)
    padded[: values.size] = values
    runs = [run_kernel(ROW, problem(ROW), [part.reshape(256, 16)]).output for part in padded.reshape(-1, 4096)]
    return np.concatenate([output.reshape(-1) for output in runs])[: values.size]


def assert_exp(x: Floats) -> None:
    y, exact = exp_on_chip(x).astype(np.float64), np.exp(np.clip(x.astype(np.float64), -200, 200))
    normal = (exact >= SMALLEST) & (exact <= LARGEST)
    error = np.abs(y - exact)[normal] / exact[normal]
    print(f"largest relative error {error.max(initial=0):.3e} of {TOLERANCE:.3e}")
    assert (error <= TOLERANCE).all()
    assert (y[exact < SMALLEST * (1 - TOLERANCE)] == 0).all()
    assert np.isinf(y[exact > LARGEST * (1 + TOLERANCE)]).all()
    # Within the tolerance of a border either side of it is right.
    assert ((y == 0) | (y >= SMALLEST)).all()


def neighbours(centre: NDArray[np.float64], count: int) -> Floats:
    """The `count` singles below and above each centre, and the centre."""
    bits = centre.astype(np.float32).view(np.int32)[:, None] + np.arange(-count, count + 1, dtype=np.int32)
    return bits.reshape(-1).view(np.float32)


@pytest.mark.slow
@pytest.mark.parametrize("low, high", [(-88, 0), (0, 89), (-1, 1), (-120, -80), (80, 1000)])
def test_a_dense_sweep(low: float, high: float) -> None:
    assert_exp(np.linspace(low, high, 16 * 4096, dtype=np.float32))


def test_where_the_whole_number_changes() -> None:
    # n = round(x / ln 2) changes at every odd multiple of ln 2 / 2, r changes its sign at the even ones.
    assert_exp(neighbours(np.arange(-255, 257) * np.log(2) / 2, 15))


def test_the_ends_of_the_range() -> None:
    assert_exp(neighbours(np.array([LN_SMALLEST, LN_LARGEST, -88.0, 89.0, -88.5, 88.5]), 300))


def test_tiny_arguments_give_one() -> None:
    tiny = np.concatenate([np.float32(2.0) ** np.arange(-149, -25), [0.0]]).astype(np.float32)
    assert (exp_on_chip(np.concatenate([tiny, -tiny])) == 1).all()


def test_exactly_zero_and_infinite_far_outside() -> None:
    far = np.array([-88, -89, -103.9, -104, -1e4, -1e30, -3.4e38, -np.inf], np.float32)
    assert exp_on_chip(far).view(np.uint32).tolist() == [0] * 8
    assert (exp_on_chip(np.array([88.73, 89, 104, 1e4, 1e30, 3.4e38, np.inf], np.float32)) == np.inf).all()


def test_random_logits() -> None:
    rng = np.random.default_rng(0)
    logits = rng.uniform(-80, 80, (256, 16)).astype(np.float32)
    assert_exp((logits - logits.max(axis=1, keepdims=True)).reshape(-1))


@pytest.mark.parametrize(
    "address, output_address, bank, output_bank",
    [(0, 0, "LM0", "LM1"), (4, 1228, "LM0", "LM1"), (2052, 12, "LM1", "LM0")],
)
def test_any_place_every_copy_and_nothing_else(address: int, output_address: int, bank: str, output_bank: str) -> None:
    x = np.random.default_rng(1).uniform(-87, 0, (256, 16)).astype(np.float32)
    run = run_kernel(ROW, placed(ROW, address, output_address, bank, output_bank), [x])
    np.testing.assert_allclose(run.output, np.exp(x.astype(np.float64)), rtol=TOLERANCE)
    assert every_copy_equals(run, run.output)
    assert stray_writes(run) == []
    assert run.findings == []


def test_cost_is_at_most_par() -> None:
    assert run_kernel(ROW, problem(ROW), [np.zeros((256, 16), np.float32)]).cost == 31 <= ROW.par


def test_judge_accepts(shared: Path, tmp_path: Path) -> None:
    verdict = judge(ROW, shared, tmp_path)
    assert verdict.startswith("ACCEPTED"), verdict


def test_one_memory_for_both_is_refused() -> None:
    with pytest.raises(UnsupportedShape, match="LM0"):
        list(solution(ROW)(placed(ROW, output_address=1024, output_memory="LM0")))
