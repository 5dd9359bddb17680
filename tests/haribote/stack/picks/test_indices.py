"""Indices compared with torch's windows and ONNX's scatters."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from onnx.reference.ops.op_scatter_elements import scatter_elements

from haribote.stack.picks.indices import adjoint, patches, pooled, scattered, windows


@pytest.mark.parametrize(("kernel", "stride", "pad", "dilation"), [(3, 1, 1, 1), (2, 2, 0, 1), (3, 2, 2, 2)])
def test_patches_are_what_torch_unfolds(kernel: int, stride: int, pad: int, dilation: int) -> None:
    x = np.random.default_rng(0).normal(size=(2, 4, 9, 7)).astype(np.float32)
    out = [(n + 2 * pad - dilation * (kernel - 1) - 1) // stride + 1 for n in (9, 7)]
    found = windows(x.shape, [kernel] * 2, out, [stride] * 2, [pad] * 4, [dilation] * 2)
    unfolded = torch.nn.functional.unfold(torch.from_numpy(x), kernel, dilation, pad, stride).numpy()
    mine = np.append(x.ravel(), np.float32(0))[patches(found)[0]]
    np.testing.assert_array_equal(mine.reshape(2, -1, unfolded.shape[1]).transpose(0, 2, 1), unfolded)
    grouped = patches(found, 2)
    assert grouped.shape == (2, 2, *out, 2 * kernel**2)
    np.testing.assert_array_equal(np.concatenate([*grouped], axis=-1), patches(found)[0])


def test_pooled_windows() -> None:
    x = np.random.default_rng(0).normal(size=(2, 3, 8, 8)).astype(np.float32)
    found = windows(x.shape, [3, 3], [4, 4], [2, 2], [1, 1, 0, 0], [1, 1])
    mine = np.append(x.ravel(), np.float32(-np.inf))[pooled(found)].max(axis=0)
    np.testing.assert_array_equal(mine, torch.nn.functional.max_pool2d(torch.from_numpy(x), 3, 2, 1).numpy())


def test_the_adjoint_is_the_gradient() -> None:
    random = np.random.default_rng(1)
    index, g = random.integers(-1, 20, (6, 7)), random.integers(-9, 9, (6, 7)).astype(np.float64)
    expected = np.zeros(21)
    np.add.at(expected, index.ravel(), g.ravel())
    terms = adjoint(index, 20)
    np.testing.assert_array_equal(np.append(g.ravel(), 0)[terms].sum(axis=0), expected[:20])
    assert adjoint(np.full(3, -1), 2).tolist() == [[-1, -1]]


def test_scatters_of_elements_and_slices() -> None:
    random = np.random.default_rng(2)
    data, updates = np.zeros((5, 6)), random.normal(size=(2, 6))
    indices = random.permuted(np.tile(np.arange(-3, 2), (6, 1)), axis=1)[:, :2].T
    mine = data.copy()
    mine.ravel()[scattered((5, 6), indices, 0)] = updates
    np.testing.assert_array_equal(mine, scatter_elements(data, indices, updates, axis=0))
    rows = scattered((5, 6, 2), np.array([[1, -1], [4, 0]]))
    assert rows.tolist() == [[22, 23], [48, 49]]
