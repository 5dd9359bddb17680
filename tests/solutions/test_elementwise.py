"""Tasks 5.12-5.18: the element-wise kernels against NumPy's single precision.

What the machine does differently (isa.md, sections 11.1 and 11.2): inputs with exponent field 0 count as zero and
results below 2^-126 become +0; a product is truncated a little before it is rounded. Relu, comparison, sums and
differences are therefore equal to NumPy's after that flush. For products see MUL_ULP.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from haribote.errors import UnsupportedShape
from haribote.kernel_table import BY_NAME, KernelRow, problem
from tests.solutions.harness import distinct, every_copy_equals, judge, placed, run_kernel, solution, stray_writes

Floats = NDArray[np.float32]

# PE lines, nops counted, plus MV lines. A change here is a change of the course's reference answers.
COST = {
    "relu": 2, "greater": 3, "mul": 3, "scale_256x16_a": 3, "scale_16x16": 9, "scale_16x1024": 5, "scale_16": 2,
    "add_bias": 3, "sub": 3, "update_16x16": 12, "update_16x1024": 6, "update_16": 2,
}  # fmt: skip
ROWS = [BY_NAME[name] for name in COST]

# Input address, output address, input bank, output bank.
PLACES = [(0, 0, "LM0", "LM1"), (4, 1228, "LM0", "LM1"), (2052, 12, "LM1", "LM0")]

SMALLEST = np.float32(2.0**-126)
# The multiplier works on 24-bit significands a and b and omits la*lb - 256 of their product (l: the low 5 bits), at
# most 31*31 - 256 = 705. The product is at least 2^46, one unit in the last place of the result at least 2^23:
# 705 / 2^23 < 2^-13.
MUL_ULP = 0.5 + 2**-13

each_row = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
each_place = pytest.mark.parametrize("address, output_address, bank, output_bank", PLACES)


def flush(values: Floats) -> Floats:
    """What the MAU makes of its inputs and results: below 2^-126 there is only zero."""
    return np.where(np.abs(values) < SMALLEST, np.float32(0), values)


def reference(row: KernelRow, arrays: list[Floats], constant: float) -> Floats:
    """NumPy's result, in single precision with the machine's flush."""
    x = arrays[0] if row.op == "Relu" else flush(arrays[0])
    with np.errstate(over="ignore", under="ignore"):
        if row.op == "Relu":
            return np.maximum(x, 0)
        if row.op == "GreaterCast":
            return (x > 0).astype(np.float32)
        operation = {"Mul": np.multiply, "Add": np.add, "Sub": np.subtract}[row.op]
        return flush(operation(x, second_operand(row, arrays, constant)))


def second_operand(row: KernelRow, arrays: list[Floats], constant: float) -> Floats:
    return flush(np.array(constant, np.float32) if row.variant == "constant" else arrays[1])


def assert_close(row: KernelRow, output: Floats, arrays: list[Floats], constant: float) -> None:
    expected = reference(row, arrays, constant)
    if row.op != "Mul":
        np.testing.assert_array_equal(output, expected)
        return
    # A product of two singles is exact in double precision.
    exact = flush(arrays[0]).astype(np.float64) * second_operand(row, arrays, constant).astype(np.float64)
    finite = np.isfinite(expected)
    np.testing.assert_array_equal(output[~finite], expected[~finite])
    error = np.abs(output - exact)[finite] / np.spacing(np.abs(expected[finite])).astype(np.float64)
    normal = np.abs(exact[finite]) >= SMALLEST
    print(f"{row.name}: largest error {error[normal].max(initial=0):.6f} of {MUL_ULP:.6f} ulp")
    assert (error[normal] <= MUL_ULP).all()
    assert (np.abs(output[finite][~normal]) <= SMALLEST).all()


def inputs(row: KernelRow, kind: str) -> list[Floats]:
    """Arrays for a row's inputs. Every kind but "zeros" has a value of its own in most elements."""
    rng = np.random.default_rng(len(kind) + len(row.name))
    return [INPUTS[kind](rng, operand.shape) for operand in problem(row).inputs]


def spread(rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    """All finite bit patterns alike: every exponent, subnormals and both zeros among them."""
    bits = rng.integers(0, 0x7F800000, shape, dtype=np.uint32) | rng.integers(0, 2, shape, dtype=np.uint32) << 31
    special = np.array([0, 0x80000000, 1, 0x80000001, 0x00800000, 0x80800000, 0x7F7FFFFF, 0xFF7FFFFF], np.uint32)
    bits.reshape(-1)[: len(special)] = special
    return bits.view(np.float32)


INPUTS = {
    "normal": lambda rng, shape: rng.standard_normal(shape, dtype=np.float32),
    "zeros": lambda rng, shape: rng.choice(np.array([0.0, -0.0], np.float32), shape),
    # Few values: equal operands, so that differences cancel.
    "ties": lambda rng, shape: rng.integers(-2, 3, shape).astype(np.float32) * np.float32(1.1),
    # Operands that agree in all but their last bits.
    "cancelling": lambda rng, shape: (
        np.float32(1.5) + rng.integers(-3, 4, shape).astype(np.float32) * np.float32(2**-23)
    ),
    "large": lambda rng, shape: rng.uniform(-1, 1, shape).astype(np.float32) * np.float32(3.4e38),
    "tiny": lambda rng, shape: rng.standard_normal(shape, dtype=np.float32) * np.float32(2.0**-125),
    "spread": spread,
}


@pytest.mark.some(22)
@each_row
@pytest.mark.parametrize("kind", INPUTS)
def test_equals_numpy(row: KernelRow, kind: str) -> None:
    arrays = inputs(row, kind)
    assert_close(row, run_kernel(row, problem(row), arrays).output, arrays, constant=0.01)


@each_row
@each_place
def test_any_place_every_copy_and_nothing_else(
    row: KernelRow, address: int, output_address: int, bank: str, output_bank: str
) -> None:
    arrays = inputs(row, "normal")
    run = run_kernel(row, placed(row, address, output_address, bank, output_bank), arrays)
    assert_close(row, run.output, arrays, constant=0.01)
    assert every_copy_equals(run, run.output)
    assert stray_writes(run) == []
    assert run.findings == []


@pytest.mark.parametrize("row", [row for row in ROWS if row.variant == "constant"], ids=lambda row: row.name)
@pytest.mark.parametrize("constant", [1 / 256, 0.1, 1.0, -3.0, 0.0, 1e30, 1e-38])
def test_scale_takes_any_constant(row: KernelRow, constant: float) -> None:
    op = replace(problem(row), attributes={"constant": constant})
    arrays = inputs(row, "normal")
    assert_close(row, run_kernel(row, op, arrays).output, arrays, constant)


def test_relu_keeps_every_bit() -> None:
    row = BY_NAME["relu"]
    x = distinct((256, 16))
    y = run_kernel(row, problem(row), [x]).output
    negative = np.signbit(x)
    assert np.array_equal(y.view(np.uint32)[~negative], x.view(np.uint32)[~negative])
    assert (y[negative] == 0).all()


def test_greater_at_the_ends_of_the_range() -> None:
    row = BY_NAME["greater"]
    x = np.zeros((256, 16), np.float32)
    x[0, :8] = [np.inf, -np.inf, 2.0**-126, -(2.0**-126), 2.0**-127, 3.4e38, -3.4e38, -0.0]
    y = run_kernel(row, problem(row), [x]).output
    assert y.view(np.uint32)[0, :8].tolist() == [0x3F800000, 0, 0x3F800000, 0, 0, 0x3F800000, 0, 0]
    assert not y.view(np.uint32)[1:].any()


@each_row
def test_cost_is_at_most_par(row: KernelRow) -> None:
    run = run_kernel(row, problem(row), inputs(row, "normal"))
    assert run.cost == COST[row.name] <= row.par


@pytest.mark.some(1)
@pytest.mark.parametrize("row", [row for row in ROWS if row.testcase], ids=lambda row: row.name)
def test_judge_accepts(row: KernelRow, shared: Path, tmp_path: Path) -> None:
    verdict = judge(row, shared, tmp_path)
    assert verdict.startswith("ACCEPTED"), verdict


@each_row
def test_one_memory_for_all_is_refused(row: KernelRow) -> None:
    op = placed(row, output_address=1024, output_memory="LM0")
    with pytest.raises(UnsupportedShape, match="LM0"):
        list(solution(row)(op))


@pytest.mark.parametrize("name", ["greater", "mul"])
def test_too_few_words_are_refused(name: str) -> None:
    short = problem(BY_NAME["update_16"])
    row = BY_NAME[name]
    with pytest.raises(UnsupportedShape, match="multiple of 16 words"):
        list(solution(row)(replace(short, inputs=short.inputs[: len(row.inputs)])))


def test_add_bias_refuses_rows_laid_out_otherwise() -> None:
    op = problem(BY_NAME["add_bias"])
    wide = problem(BY_NAME["scale_16x1024"])
    with pytest.raises(UnsupportedShape, match="laid out like b"):
        list(solution(BY_NAME["add_bias"])(replace(op, inputs=(wide.x, op.inputs[1]))))
