"""What the notebooks of stage 08 use."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from haribote.cpp.arena import Buffer
from haribote.errors import HariboteError
from haribote.frontend.lowering import RULES
from haribote.graph import evaluate
from haribote.jax import JaxMissing
from haribote.jax.rules.arithmetic import integer_pow
from haribote.lessons.frontends import memory_picture, power_graph, with_jax, without_rule


def test_a_rule_is_away_for_a_while() -> None:
    operation = torch.ops.aten.cumprod.default
    before = RULES[operation]
    with pytest.raises(ZeroDivisionError), without_rule(operation):
        assert operation not in RULES
        raise ZeroDivisionError
    assert RULES[operation] is before


@pytest.mark.parametrize("error", [ModuleNotFoundError("no", name="jax_md.energy"), JaxMissing("no jax")])
def test_a_cell_without_jax_says_so_and_goes_on(
    error: Exception, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HARIBOTE_SOLUTIONS", "1")
    with with_jax():
        raise error
    assert "is not installed: the rest of this cell is skipped" in capsys.readouterr().out
    with pytest.raises(ModuleNotFoundError), with_jax():
        raise ModuleNotFoundError("no", name="numpy")


def test_the_graph_of_a_power() -> None:
    model = power_graph(integer_pow, -3)
    assert [node.op_type for node in model.graph.node] == ["Mul", "Mul", "Reciprocal", "Identity"]
    assert evaluate(model, {"x": np.array([-2, 1, 4], np.float32)})["y"].tolist() == [-0.125, 1, 0.015625]


def test_a_picture_of_memory_names_what_lies_where() -> None:
    picture = memory_picture([Buffer(64, 0, 1), Buffer(128, 1, 2)], [128, 0], "ab")
    assert "a: 64 bytes at 128, nodes 0 to 1" in picture.text and "a block of 192 bytes" in picture.text
    with pytest.raises(HariboteError, match="1 buffers and 2 offsets"):
        memory_picture([Buffer(64, 0, 1)], [0, 64])
