"""The values of the train step that kernels are checked with are those of the real train step."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from grader.rigs.kernel_cases import kernel_cases
from grader.rigs.step_values import step_values
from haribote.kernel_table import KERNELS, KernelRow, problem
from haribote.network import BATCH, CLASS_BIAS, LEARNING_RATE
from haribote.training.train import Options

VALUES = step_values(5)


@pytest.mark.parametrize("row", KERNELS, ids=lambda row: row.name)
def test_every_row_has_values_of_its_shapes(row: KernelRow) -> None:
    op = problem(row)
    assert [array.shape for array in VALUES[row.name]] == [operand.shape for operand in op.inputs]
    assert [str(array.dtype) for array in VALUES[row.name]] == [operand.dtype for operand in op.inputs] or row.op in (
        "DL",
        "UL",
    )


def test_gradients_are_torchs() -> None:
    x, w1 = (torch.from_numpy(array.astype(np.float64)) for array in VALUES["gemm_xwt_1024"])
    b1, w2 = (
        torch.from_numpy(VALUES[name][index].astype(np.float64)) for name, index in (("add_bias", 1), ("gemm_xwt", 1))
    )
    logits = torch.from_numpy(VALUES["max_rows"][0].astype(np.float64))
    (labels,) = VALUES["onehot"]
    w1.requires_grad_()
    w2.requires_grad_()
    linear2 = torch.relu(x @ w1.T + b1) @ w2.T
    b2 = (logits - linear2.detach())[0]
    loss = torch.nn.functional.cross_entropy(linear2 + b2, torch.from_numpy(labels.astype(np.int64)))
    loss.backward()
    assert w1.grad is not None and w2.grad is not None
    np.testing.assert_allclose(VALUES["scale_16x1024"][0], w1.grad.numpy(), atol=1e-6)
    np.testing.assert_allclose(VALUES["scale_16x16"][0], w2.grad.numpy(), atol=1e-5)
    np.testing.assert_allclose(VALUES["gemm_gw"][0], VALUES["scale_256x16_a"][0] / BATCH)


def test_the_values_are_the_products_own() -> None:
    """What a padded class starts with and what a gradient is scaled by is what training does."""
    assert (VALUES["max_rows"][0][:, 10:] == np.float32(CLASS_BIAS)).all()
    dw1, (_, scaled) = VALUES["scale_16x1024"][0], VALUES["update_16x1024"]
    np.testing.assert_allclose(scaled, dw1 * np.float32(Options.learning_rate), rtol=1e-6, atol=1e-37)
    constants = {case.row.name: case.constant for row in KERNELS for case in kernel_cases(row, 3)[:1]}
    assert constants["scale_16x16"] == LEARNING_RATE == Options.learning_rate
    assert constants["scale_256x16_a"] == 1 / BATCH
