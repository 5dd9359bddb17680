"""Tasks 5.21-5.23 and 5.25: the kernels that work along rows, against exact arithmetic.

The machine's zero (isa.md, section 11.1): inputs below 2^-126 count as zero, results below it become +0; `flush`.
"""

from __future__ import annotations

from dataclasses import replace
from math import fsum
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from haribote.errors import UnsupportedShape
from haribote.kernel import Memory
from haribote.kernel_table import BY_NAME, KernelRow, problem
from tests.solutions.harness import every_copy_equals, judge, placed, run_kernel, solution, stray_writes

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]

# PE lines, nops counted, plus MV lines. A change here is a change of the course's reference answers.
COST = {"max_rows": 22, "sum_rows": 23, "sub_rows": 28, "div_rows": 48}
ROWS = [BY_NAME[name] for name in COST]
each_row = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)

SMALLEST = 2.0**-126
OVERFLOW = 2.0**128 * (1 - 2.0**-25)  # what rounds to 2^128 or more is inf

# A tree of four levels: each summand passes four roundings of relative error 2^-24. Each of the 15 sums may be flushed.
SUM_ERROR, SUM_FLUSH = (1 + 2.0**-24) ** 4 - 1, 15 * SMALLEST
# The last rounding, half a unit; before it the corrected quotient is off by what the truncated multiplier omits,
# 705 / 2^46 of the product q w, that is at most 705 / 2^46 * 2^24 < 2^-12 units. The rounded r, off by 2^-24, and the
# first guess enter only by their product with the correction: 2^-23 * 2^-24.
DIV_ULP = 0.5 + 2.0**-12
# No correction where x s - q w is below 2^-126. The error is then that of r, 2^-24 by rounding and 2^-31 by Newton's
# method, and that of rounding the product, 2^-24: two units and a sixteenth in the worst case.
DIV_ULP_UNCORRECTED, DIV_CORRECTED_FROM = 2.1, 2.0**-100


def flush(values: Floats) -> Floats:
    return np.where(np.abs(values) < SMALLEST, np.float32(0), values)


def spread(rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    """All normal numbers alike: every exponent, both signs."""
    bits = rng.integers(0x00800000, 0x7F800000, shape, dtype=np.uint32)
    return (bits | rng.integers(0, 2, shape, dtype=np.uint32) << 31).view(np.float32)


def kind_of_input(kind: str) -> tuple[Floats, Floats]:
    """x [256, 16] and a divisor or subtrahend [256] of a kind."""
    rng = np.random.default_rng(len(kind))
    x = rng.standard_normal((256, 16)).astype(np.float32)
    v = rng.uniform(1, 16, 256).astype(np.float32)
    if kind == "softmax":
        logits = rng.uniform(-80, 80, (256, 16))
        logits[:, 10:] = -np.inf  # padded classes
        x = np.exp(logits - logits.max(axis=1, keepdims=True)).astype(np.float32)
        v = x.sum(axis=1)
    elif kind == "logits":
        x, v = (x * 80).clip(-80, 80), v * 5
    elif kind == "cancelling":
        x[:, 8:] = -x[:, :8] * (1 + rng.integers(-3, 4, (256, 8)).astype(np.float32) * np.float32(2**-23))
        x = rng.permuted(x, axis=1)
        v = x[:, 3] * np.float32(1 + 2**-23)
    elif kind == "negative":
        x, v = -np.abs(x) - np.float32(0.5), -v
    elif kind == "ties":
        x = rng.integers(-2, 3, x.shape).astype(np.float32) * np.float32(1.1)
        v = rng.choice(np.array([1.1, -1.1], np.float32), 256)
    elif kind == "large":
        x, v = x / np.abs(x).max() * np.float32(2e37), v * np.float32(2e37)
    elif kind == "tiny":
        x, v = x * np.float32(2.0**-124), v * np.float32(2.0**-126)
    elif kind == "spread":
        x, v = spread(rng, x.shape), spread(rng, v.shape)
    return x, v


KINDS = ("normal", "softmax", "logits", "cancelling", "negative", "ties", "large", "tiny", "spread")
each_kind = pytest.mark.parametrize("kind", KINDS)


def max_on_chip(x: Floats) -> Floats:
    return run_kernel(BY_NAME["max_rows"], problem(BY_NAME["max_rows"]), [x]).output


def sum_on_chip(x: Floats) -> Floats:
    return run_kernel(BY_NAME["sum_rows"], problem(BY_NAME["sum_rows"]), [x]).output


def div_on_chip(x: Floats, v: Floats) -> Floats:
    return run_kernel(BY_NAME["div_rows"], problem(BY_NAME["div_rows"]), [x, v]).output


def padded(values: Floats, fill: float) -> Floats:
    """Some rows, continued to 256 with `fill`."""
    x = np.full((256, 16), fill, np.float32)
    x[: len(values)] = values
    return x


# --- maximum ---------------------------------------------------------------------------------------------------------


@each_kind
def test_max(kind: str) -> None:
    x, _ = kind_of_input(kind)
    np.testing.assert_array_equal(flush(max_on_chip(x)), flush(x).max(axis=1))


def test_max_stands_in_any_column_and_keeps_its_bits() -> None:
    x = padded(np.empty((0, 16), np.float32), -2.0)
    x[np.arange(256), np.arange(256) % 16] = np.arange(256, dtype=np.float32) / 256 - np.float32(1.3)
    assert np.array_equal(max_on_chip(x).view(np.uint32), x[np.arange(256), np.arange(256) % 16].view(np.uint32))


def test_max_at_the_ends_of_the_range() -> None:
    inf, largest = np.inf, np.finfo(np.float32).max
    rows = [
        [-inf] * 16,
        [-inf] * 15 + [-largest],
        [largest] * 7 + [inf] * 9,
        [-SMALLEST] * 15 + [-1],
        [-SMALLEST, 0] * 8,
    ]
    y = max_on_chip(padded(np.array(rows, np.float32), 1.0))
    assert y[:6].tolist() == [-inf, -largest, inf, -SMALLEST, 0, 1]


def test_max_of_zeros_of_both_signs_is_a_zero() -> None:
    y = max_on_chip(np.random.default_rng(0).choice(np.array([0.0, -0.0, -1.0], np.float32), (256, 16)))
    assert (y == 0).all()


# --- sum -------------------------------------------------------------------------------------------------------------


@each_kind
def test_sum(kind: str) -> None:
    x, _ = kind_of_input(kind)
    x = x / np.float32(16) if kind == "spread" else x  # so that no sum overflows on the way
    exact = np.array([fsum(row) for row in flush(x).astype(np.float64)])
    error, scale = np.abs(sum_on_chip(x) - exact), np.abs(x.astype(np.float64)).sum(axis=1)
    print(f"{kind}: largest error {(error / scale).max():.2e} of {SUM_ERROR:.2e}")
    assert (error <= SUM_ERROR * scale + SUM_FLUSH).all()


def test_sum_of_one_sign_is_within_four_units() -> None:
    x, _ = kind_of_input("softmax")
    exact = x.astype(np.float64).sum(axis=1)
    assert (np.abs(sum_on_chip(x) - exact) <= 4 * np.spacing(exact.astype(np.float32))).all()


def test_sum_of_whole_numbers_is_exact() -> None:
    # Each column has a weight of its own: a column added twice or left out changes the sum.
    x = (2.0 ** np.arange(16) * np.random.default_rng(0).integers(1, 128, (256, 1))).astype(np.float32)
    assert np.array_equal(sum_on_chip(x), x.sum(axis=1))


def test_sum_of_zeros_is_plus_zero() -> None:
    assert not sum_on_chip(np.full((256, 16), -0.0, np.float32)).view(np.uint32).any()


# --- difference ------------------------------------------------------------------------------------------------------


@each_kind
def test_sub(kind: str) -> None:
    x, v = kind_of_input(kind)
    row = BY_NAME["sub_rows"]
    with np.errstate(over="ignore"):
        expected = flush(flush(x) - flush(v)[:, None])
    np.testing.assert_array_equal(run_kernel(row, problem(row), [x, v]).output, expected)


# --- quotient --------------------------------------------------------------------------------------------------------


def assert_quotients(x: Floats, v: Floats) -> None:
    y = div_on_chip(x, v).astype(np.float64)
    x = flush(x)
    exact = x.astype(np.float64) / v[:, None].astype(np.float64)  # within 2^-53, nothing beside 2^-24
    size = np.abs(exact)
    inside = (size >= 2.0**-125) & (size < OVERFLOW)
    with np.errstate(over="ignore"):
        error = np.abs(y - exact)[inside] / np.spacing(size.astype(np.float32))[inside]
    corrected = ((np.abs(x) >= DIV_CORRECTED_FROM) & (size >= DIV_CORRECTED_FROM))[inside]
    print(f"largest error {error[corrected].max(initial=0):.6f} of {DIV_ULP:.6f} ulp; "
          f"uncorrected {error[~corrected].max(initial=0):.3f} of {DIV_ULP_UNCORRECTED} ulp")  # fmt: skip
    assert (error[corrected] <= DIV_ULP).all()
    assert (error[~corrected] <= DIV_ULP_UNCORRECTED).all()
    assert np.array_equal(y[size >= OVERFLOW], np.copysign(np.inf, exact[size >= OVERFLOW]))
    below = (size > 0) & (size < 2.0**-125)
    assert (np.abs(y - exact)[below] <= 2.0**-125).all()
    assert not np.float32(y[size == 0]).view(np.uint32).any()  # +0 to the bit


@each_kind
def test_div(kind: str) -> None:
    assert_quotients(*kind_of_input(kind))


@pytest.mark.parametrize("seed", range(4))
def test_div_over_the_whole_range(seed: int) -> None:
    rng = np.random.default_rng(seed)
    assert_quotients(spread(rng, (256, 16)), spread(rng, (256,)))


def test_div_at_the_ends_of_the_range() -> None:
    ends = np.array([SMALLEST, SMALLEST * (2 - 2**-22), 1, 2 - 2**-23, 2.0**64, 2.0**127, np.finfo(np.float32).max])
    v = np.resize(np.concatenate([ends, -ends]), 256).astype(np.float32)
    x = np.resize(np.concatenate([ends, -ends, [0, -0.0]]), (256, 16)).astype(np.float32)
    assert_quotients(x, v)


@pytest.mark.parametrize("seed", range(4))
def test_a_number_over_itself_is_one(seed: int) -> None:
    v = spread(np.random.default_rng(seed), (256,))
    sign = np.where(np.arange(16) % 2, np.float32(-1), np.float32(1))
    assert np.array_equal(div_on_chip(v[:, None] * sign, v), np.broadcast_to(sign, (256, 16)))


def test_padded_classes_keep_probability_zero_and_rows_add_up_to_one() -> None:
    x, v = kind_of_input("softmax")
    y = div_on_chip(x, v)
    assert not y[:, 10:].view(np.uint32).any()
    np.testing.assert_allclose(y.astype(np.float64).sum(axis=1), 1, rtol=2**-20)


def test_division_by_zero() -> None:
    x = np.resize(np.array([0, -0.0, 1, -1, SMALLEST, -3e38], np.float32), (256, 16))
    v = np.resize(np.array([0.0, -0.0], np.float32), 256)
    y, sign = div_on_chip(x, v), np.sign(x) * np.copysign(np.float32(1), v)[:, None]
    assert np.array_equal(y[x != 0], np.copysign(np.inf, sign[x != 0]))
    assert not y[x == 0].view(np.uint32).any()


# --- all of them -----------------------------------------------------------------------------------------------------


@each_row
@pytest.mark.parametrize(
    "address, output_address, bank", [(0, 0, "LM1"), (2052, 12, "LM1"), (4, 1228, "LM0"), (4, 4, "LM0")]
)
def test_any_place_every_copy_and_nothing_else(row: KernelRow, address: int, output_address: int, bank: Memory) -> None:
    """In the last place the output takes the place of x."""
    arrays = list(kind_of_input("normal"))[: len(row.inputs)]
    here = run_kernel(row, problem(row), arrays)
    there = run_kernel(row, placed(row, address, output_address, "LM0", bank), arrays)
    assert np.array_equal(there.output, here.output)
    assert every_copy_equals(there, there.output)
    if (address, bank) != (output_address, "LM0"):
        assert stray_writes(there) == []
    assert there.findings == []


@each_row
def test_cost_is_at_most_par(row: KernelRow) -> None:
    run = run_kernel(row, problem(row), list(kind_of_input("normal"))[: len(row.inputs)])
    assert run.cost == COST[row.name] <= row.par


@pytest.mark.some(3)
@each_row
def test_judge_accepts(row: KernelRow, shared: Path, tmp_path: Path) -> None:
    verdict = judge(row, shared, tmp_path)
    assert verdict.startswith("ACCEPTED"), verdict


@each_row
@pytest.mark.parametrize("output", ["LM0", "LM1"])
def test_inputs_in_lm1_are_copied_first(row: KernelRow, output: Memory) -> None:
    arrays = list(kind_of_input("normal"))[: len(row.inputs)]
    usual = run_kernel(row, problem(row), arrays)
    run = run_kernel(row, placed(row, 4, 1024, input_memory="LM1", output_memory=output), arrays)
    assert np.array_equal(run.output, usual.output)
    assert run.findings == [] and run.cost <= row.par


@each_row
def test_other_layouts_are_refused(row: KernelRow) -> None:
    op = problem(row)
    elsewhere = replace(op.x, layout=problem(BY_NAME["relu"]).x.layout)
    with pytest.raises(UnsupportedShape, match="pad the batch"):
        list(solution(row)(replace(op, inputs=(elsewhere, *op.inputs[1:]))))
