"""ONNX's own tests of its operators end in the core, where they mean what they meant."""

from __future__ import annotations

import pytest

from benchmarks.onnx_core import cases, verdict

PARTS = ["softmax_axis", "reduce_log_sum_exp_keepdims", "averagepool_2d_pads", "gather_", "layer_norm"]


@pytest.mark.slow
@pytest.mark.parametrize("part", PARTS)
def test_some_and_their_values(part: str) -> None:
    found = {case.name: verdict(case, values=True) for case in cases(part)}
    assert found and set(found.values()) == {"core"}, found


@pytest.mark.slow
def test_as_many_as_there_were() -> None:
    found = [verdict(case, values=False) for case in cases()]
    assert found.count("core") >= 1292
