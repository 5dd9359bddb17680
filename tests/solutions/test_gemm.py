"""Tasks 5.19, 5.20, 5.28, 5.33 and 5.34: matrix products against the exact sum of products.

The bound, from isa.md, section 11, with u = 2^-24 (half a unit in the last place of a single, relative) and S the sum
of the absolute products, which no partial sum exceeds. Every rounding to a single costs u*S. A reduction of n values
rounds its inputs at 3 guard bits, which costs n * 2^-27 of the largest, and then its result: (n/8 + 1) * u*S. In turn:

  gemm_xwt       1 of the MAB's 4 products (in double precision before); 4 MABs 1.5; the other words add 0    2.5 -> 3
  gemm_gw        1 of each product; 16 MABs in two stages of 4, 1.5 each                                      4
  gemm_gtx       4 of the multiply-adds; 8 L1B 2; 8 L2B in the MV, 2 and then 4, 1.25 + 1.5                   8.75 -> 9
  gemm_xwt_1024  1 of hi*hi; 16 MABs 1.5 + 1.5; 8 L1B 2                                                       6
  gemm_gtx_1024  4 of hi*hi (32 rows in blocks of 8); 8 L2B 1.25 + 1.5; 1 for the small products              7.75 -> 8

The last two multiply pseudo-singles. Per block of 8 with largest values A and B: |a - hi| <= 2^-18 A, |a - hi - lo| <=
2^-36 A, so hi*hi + hi*lo + lo*hi misses lo*lo and two rests, together 3 * 2^-36 AB < 2^-34 AB in each of 8 products.
Rounding the small products to singles is below 2^-24 * 2^-17 S each, which the rounding up in the table covers.
A value or product below 2^-126 counts as 0; a rest that small is lost, times the other factor.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from haribote.errors import UnsupportedShape
from haribote.kernel import Memory, Op
from haribote.kernel_table import BY_NAME, KernelRow, problem
from simulator.engine.numbers.blockfloat import block_float, block_value
from tests.solutions.harness import every_copy_equals, judge, placed, run_kernel, solution, stray_writes

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]

COST = {"gemm_xwt": 21, "gemm_gw": 23, "gemm_gtx": 27, "gemm_xwt_1024": 92, "gemm_gtx_1024": 135}
ROUNDINGS = {"gemm_xwt": 3, "gemm_gw": 4, "gemm_gtx": 9, "gemm_xwt_1024": 6, "gemm_gtx_1024": 8}
SCRATCH = {"gemm_xwt": 16, "gemm_gw": 64, "gemm_gtx": 64, "gemm_xwt_1024": 0, "gemm_gtx_1024": 128}
SPLIT = ("gemm_xwt_1024", "gemm_gtx_1024")
ROWS = [BY_NAME[name] for name in COST]
SMALLEST = 2.0**-126

each_row = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)


def factors(row: KernelRow, arrays: list[Floats]) -> tuple[Doubles, Doubles]:
    """The operands as [m, k] and [k, n], with what the machine takes for zero as zero."""
    a, b = (np.where(np.abs(array) < SMALLEST, 0, array).astype(np.float64) for array in arrays)
    return np.asarray(a.T if row.variant == "transA" else a), np.asarray(b.T if row.variant == "transB" else b)


def bound(row: KernelRow, arrays: list[Floats]) -> Doubles:
    """The largest error that the number formats allow, for each element."""
    a, b = (np.abs(factor) for factor in factors(row, arrays))
    total = np.asarray(ROUNDINGS[row.name] * 2.0**-24 * (a @ b) + a.shape[1] * SMALLEST)
    if row.name not in SPLIT:
        return total
    blocks = a.reshape(len(a), -1, 8).max(2) @ b.reshape(-1, 8, b.shape[1]).max(1)
    return np.asarray(total + 8 * 2.0**-34 * blocks + a.shape[1] * SMALLEST * (a.max() + b.max()))


def check(row: KernelRow, arrays: list[Floats], op: Op | None = None) -> Floats:
    """Run the kernel and compare it with the sum of exact products (double precision holds a product exactly)."""
    a, b = factors(row, arrays)
    output = run_kernel(row, op or problem(row), arrays).output
    error, limit = np.abs(output - a @ b), bound(row, arrays)
    print(f"{row.name}: error up to {(error / limit).max():.3f} of the bound; largest {error.max():.3g}")
    assert (error <= limit).all()
    return output


def uniform(rng: np.random.Generator, shape: tuple[int, ...], low: float, high: float) -> Floats:
    return rng.uniform(low, high, shape).astype(np.float32)


def wide(rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    """Neighbours whose exponents differ by up to 40: hard on block floats."""
    return (rng.standard_normal(shape) * 2.0 ** rng.integers(-20, 21, shape)).astype(np.float32)


def cancelling(rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    """Large terms of both signs that leave a small sum."""
    signs = (-1.0) ** np.arange(max(shape)).reshape(-1, 1)[: shape[0]] * (-1.0) ** np.arange(shape[1])
    return (signs * (1000 + rng.standard_normal(shape))).astype(np.float32)


Shape = tuple[int, ...]
INPUTS: dict[str, Callable[[np.random.Generator, Shape, Shape], tuple[Floats, Floats]]] = {
    "normal": lambda rng, first, second: (uniform(rng, first, -1, 1), uniform(rng, second, -1, 1)),
    "mnist": lambda rng, first, second: (uniform(rng, first, -0.43, 2.82), uniform(rng, second, -1 / 28, 1 / 28)),
    "wide": lambda rng, first, second: (wide(rng, first), wide(rng, second)),
    "cancelling": lambda rng, first, second: (cancelling(rng, first), uniform(rng, second, 0.999, 1.001)),
    "large": lambda rng, first, second: (uniform(rng, first, -1e30, 1e30), uniform(rng, second, -1e5, 1e5)),
    "near max": lambda rng, first, second: (
        uniform(rng, first, 2.0**126, 1.9 * 2.0**126),
        uniform(rng, second, -(2.0**-12), 2.0**-12),
    ),
    "tiny": lambda rng, first, second: (uniform(rng, first, -1e-36, 1e-36), uniform(rng, second, -1, 1)),
    "almost carrying": lambda rng, first, second: (
        np.float32(2 - 2.0**-23) * rng.choice(np.array([-1, 1, 0.5], np.float32), first),
        uniform(rng, second, -1, 1),
    ),
}


def arrays_of(row: KernelRow, kind: str) -> list[Floats]:
    first, second = (operand.shape for operand in problem(row).inputs)
    return [np.asarray(a, np.float32) for a in INPUTS[kind](np.random.default_rng(len(kind)), first, second)]


@pytest.mark.some(9)
@each_row
@pytest.mark.parametrize("kind", INPUTS)
def test_within_the_bound(row: KernelRow, kind: str) -> None:
    check(row, arrays_of(row, kind))


@each_row
def test_integers_are_exact(row: KernelRow) -> None:
    """Integers whose absolute products add up to less than 2^24: the goldens' 10 bits where 16 products are added."""
    k = factors(row, arrays_of(row, "normal"))[0].shape[1]
    limit = int(np.sqrt(2**24 / k))
    rng = np.random.default_rng(k)
    arrays = [rng.integers(-limit + 1, limit, o.shape).astype(np.float32) for o in problem(row).inputs]
    a, b = factors(row, arrays)
    assert np.array_equal(run_kernel(row, problem(row), arrays).output, a @ b)


@pytest.mark.some(3)
@each_row
def test_integers_of_many_bits_are_exact(row: KernelRow) -> None:
    """20-bit integers, more than a pseudo-single holds, times 0 or 1 with at most 8 ones."""
    rng = np.random.default_rng(20)
    first, second = (operand.shape for operand in problem(row).inputs)
    arrays = [rng.integers(-(2**20), 2**20, first).astype(np.float32), np.zeros(second, np.float32)]
    along = 0 if row.variant in ("", "transA") else 1  # the axis of the second factor that is summed over
    ones = np.arange(0, second[along], second[along] // 8)
    arrays[1][(ones, slice(None)) if along == 0 else (slice(None), ones)] = 1
    a, b = factors(row, arrays)
    assert np.array_equal(run_kernel(row, problem(row), arrays).output, a @ b)


@pytest.mark.some(2)
@each_row
def test_padding_stays_zero_to_the_bit(row: KernelRow) -> None:
    """10 real outputs of 16 and 784 real columns of 1024; the other rows and columns are zeros, some of them -0."""
    first, second = arrays_of(row, "normal")
    for array in (first, second):
        if array.shape[1] == 1024:
            array[:, 784:] = 0
    narrow = first if row.variant == "transA" else second  # the factor that gives the output its 16 rows or columns
    if row.variant:
        narrow[(slice(None), slice(10, None)) if row.variant == "transA" else slice(10, None)] = -0.0
    else:
        narrow[:, 10:] = -0.0
    output = check(row, [first, second])
    zeros = output[10:] if row.variant == "transA" else output[:, 10:]
    assert not zeros.view(np.uint32).any()
    if output.shape[1] == 1024:
        assert not output[:, 784:].view(np.uint32).any()


@pytest.mark.some(2)
@each_row
@pytest.mark.parametrize("value", [0.0, -0.0])
def test_zeros(row: KernelRow, value: float) -> None:
    arrays = [np.full(operand.shape, value, np.float32) for operand in problem(row).inputs]
    assert not run_kernel(row, problem(row), arrays).output.view(np.uint32).any()


@pytest.mark.parametrize("name", SPLIT)
def test_one_pseudo_single_would_not_do(name: str) -> None:
    """What the split is for: factors rounded to 18 bits, summed exactly, are outside the bound."""
    row = BY_NAME[name]
    arrays = arrays_of(row, "mnist")
    a, b = factors(row, arrays)
    rounded_a = block_value(block_float(a.astype(np.float32).view(np.uint32).reshape(len(a), -1, 8), "g", 2), "g")
    columns = np.ascontiguousarray(b.T.astype(np.float32)).view(np.uint32).reshape(b.shape[1], -1, 8)
    rounded_b = block_value(block_float(columns, "g", 2), "g")
    coarse = np.abs(rounded_a.reshape(a.shape) @ rounded_b.reshape(b.T.shape).T - a @ b)
    fine = np.abs(run_kernel(row, problem(row), arrays).output - a @ b)
    print(f"{name}: mean error {coarse.mean():.3g} with one pseudo-single for each single, {fine.mean():.3g} with two")
    assert (coarse > bound(row, arrays)).any()
    assert fine.mean() < coarse.mean() / 8


@pytest.mark.some(4)
@each_row
@pytest.mark.parametrize("address, output_address", [(4, 64), (1228, 4096), (2052, 1 << 20)])
def test_any_address_and_nothing_else(row: KernelRow, address: int, output_address: int) -> None:
    in_dram = row.output_memory == "DRAM"
    op = placed(row, address, output_address if in_dram else address + 8)
    arrays = arrays_of(row, "normal")
    output = check(row, arrays, op)
    run = run_kernel(row, op, arrays)
    assert np.array_equal(run.output, output)
    assert stray_writes(run) == [] and all(taken.shape[0] <= SCRATCH[row.name] for taken in run.op.taken)
    assert run.findings == []
    if not in_dram:
        assert every_copy_equals(run, run.output)


@pytest.mark.parametrize("name", ["gemm_xwt", "gemm_gw"])
def test_output_beside_the_inputs(name: str) -> None:
    row = BY_NAME[name]
    check(row, arrays_of(row, "normal"), placed(row, output_address=512, output_memory="LM0"))


@pytest.mark.some(1)
@pytest.mark.parametrize("name", SPLIT)
def test_inputs_in_lm1(name: str) -> None:
    row = BY_NAME[name]
    op = placed(row, address=4, input_memory="LM1")
    arrays = arrays_of(row, "normal")
    check(row, arrays, op)
    assert stray_writes(run_kernel(row, op, arrays)) == []


@each_row
def test_costs_less_than_par(row: KernelRow) -> None:
    run = run_kernel(row, problem(row), arrays_of(row, "normal"))
    assert run.cost == COST[row.name] <= row.par
    assert run.findings == []


@pytest.mark.some(1)
@pytest.mark.parametrize("name", ["gemm_xwt", "gemm_gw"])
def test_judge_accepts(name: str, shared: Path, tmp_path: Path) -> None:
    verdict = judge(BY_NAME[name], shared, tmp_path)
    assert verdict.startswith("ACCEPTED"), verdict


@pytest.mark.parametrize("output", ["LM0", "LM1"])
@pytest.mark.parametrize("name", ["gemm_xwt", "gemm_gw", "gemm_gtx"])
def test_inputs_in_lm1_are_copied_first(name: str, output: Memory) -> None:
    row = BY_NAME[name]
    output_memory = row.output_memory if row.output_memory == "DRAM" else output
    op = placed(row, address=4, output_address=512, input_memory="LM1", output_memory=output_memory)
    check(row, arrays_of(row, "normal"), op)
    assert run_kernel(row, op, arrays_of(row, "normal")).findings == []


@each_row
def test_other_shapes_are_refused(row: KernelRow) -> None:
    other = problem(BY_NAME["gemm_gtx" if row.name != "gemm_gtx" else "gemm_gw"])
    with pytest.raises(UnsupportedShape, match="takes"):
        list(solution(row)(other))
