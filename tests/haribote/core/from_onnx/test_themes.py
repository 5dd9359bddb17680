"""ONNX's own tests of whole families end in the core, where they mean what they meant; none is left out."""

from __future__ import annotations

import pytest

from benchmarks.onnx_core import cases, verdict

FAMILIES = {
    "test_affine_grid_2d": 2, "test_batchnorm_example_training": 1, "test_bitshift_left_int": 8, "test_cumprod": 9,
    "test_col2im": 5, "test_dft": 10, "test_dynamicquantize": 6, "test_gridsample_nearest": 3, "test_gru": 5,
    "test_gridsample_volumetric": 4, "test_gridsample_bicubic": 3, "test_hardmax": 7, "test_l2norm": 2,
    "test_linear_attention_delta": 2, "test_lppool_2d": 6, "test_lrn": 2, "test_lstm": 6, "test_matmulinteger": 1,
    "test_maxunpool_export_without": 1, "test_qlinear": 3, "test_resize_downsample": 10, "test_reversesequence": 2,
    "test_simple_rnn": 4,
}  # fmt: skip
"""How names of tests begin, and how many there are at least: the newest onnx has more."""


@pytest.mark.parametrize("begin", FAMILIES)
def test_a_family_in_the_core(begin: str) -> None:
    found = {case.name: verdict(case, values=True) for case in cases(begin) if case.name.startswith(begin)}
    assert len(found) >= FAMILIES[begin], sorted(found)
    assert set(found.values()) == {"core"}, found
