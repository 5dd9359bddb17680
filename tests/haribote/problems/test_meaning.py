"""What a row means, against torch; and what counts as wrong."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from haribote.kernel_table import BY_NAME, KERNELS, KernelRow, problem
from haribote.problems.judge_case import judge_case, values
from haribote.problems.meaning import meaning, not_meant
from haribote.problems.problem import judge_problem

TORCH = {
    "relu": torch.relu, "add_bias": torch.add, "sub": torch.sub, "mul": torch.mul, "exp": torch.exp,
    "sub_rows": lambda x, v: x - v[:, None], "div_rows": lambda x, v: x / v[:, None], "max_rows": lambda x: x.amax(1),
    "sum_rows": lambda x: x.sum(1), "sum_columns": lambda x: x.sum(0), "greater": lambda x: (x > 0).float(),
    "gemm_xwt": lambda x, w: x @ w.T, "gemm_gtx": lambda g, x: g.T @ x, "gemm_gw": torch.matmul,
}  # fmt: skip


def wrong_elements(row: KernelRow, arrays: tuple[np.ndarray, ...], received: np.ndarray) -> np.ndarray:
    return not_meant(row, meaning(row, arrays), received)


@pytest.mark.parametrize("name", TORCH)
def test_a_row_means_what_torch_says(name: str) -> None:
    row = BY_NAME[name]
    arrays = values(row, problem(row), np.random.default_rng(1))
    wanted = TORCH[name](*map(torch.from_numpy, arrays)).numpy()
    assert not wrong_elements(row, arrays, wanted).any()
    assert wrong_elements(row, arrays, wanted * np.float32(1 + 2.0**-10) + np.float32(2.0**-12)).mean() > 0.9


def test_sums_are_rounded_correctly_and_a_small_result_is_plus_zero() -> None:
    row, shape = BY_NAME["sub"], problem(BY_NAME["sub"]).output.shape
    x, y = np.full(shape, 1.5, np.float32), np.full(shape, 2.0**-25, np.float32)
    assert not wrong_elements(row, (x, y), x - y).any()
    assert wrong_elements(row, (x, y), np.nextafter(x, np.float32(0))).all()
    assert not wrong_elements(row, (x, x), np.zeros(shape, np.float32)).any()
    assert wrong_elements(row, (x, x), -np.zeros(shape, np.float32)).all()


def test_exp_has_an_end_on_both_sides() -> None:
    x = np.full((256, 16), 89, np.float32)
    x[0] = -200
    right, _ = meaning(BY_NAME["exp"], (x,))
    assert np.isinf(right[1:]).all() and not wrong_elements(BY_NAME["exp"], (x,), np.float32(right)).any()
    assert wrong_elements(BY_NAME["exp"], (x,), np.where(x > 0, np.float32(3.4e38), 0).astype(np.float32))[1:].all()


@pytest.mark.parametrize("row", [BY_NAME[name] for name in ("div_rows", "gemm_xwt", "dl_16")], ids=lambda row: row.name)
def test_a_test_case_has_the_tolerance_of_the_contract(row: KernelRow) -> None:
    text = judge_case(row, judge_problem(row))
    tolerances = {line.split("atol=")[1] for line in text.splitlines() if "atol=" in line}
    if row.op == "DL":
        assert not tolerances
        return
    (found,) = tolerances
    atol, rtol = (float(part.split("=")[-1]) for part in f"atol={found}".split())
    assert rtol <= 2.0**-20 and atol < 1e-3
    assert {row.op for row in KERNELS} >= {"Div", "Gemm"}
