"""Indices compared with NumPy's sums and ONNX's scatters."""

from __future__ import annotations

import numpy as np
from onnx.reference.ops.op_scatter_elements import scatter_elements

from haribote.stack.picks.indices import adjoint, scattered


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
