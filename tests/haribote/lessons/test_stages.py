"""The stages of the compiler as the notebook shows them; the texts of 04_memory/06 and 02_autograd/03 rest on these."""

from __future__ import annotations

from collections import Counter

import numpy as np
import onnx
import pytest
import torch

from haribote import draw
from haribote.autodiff import train_step
from haribote.compiler import STAGES
from haribote.errors import HariboteError
from haribote.frontend.torch import trace_loss
from haribote.graph import load
from haribote.lessons.stages import WHY, Stages
from haribote.training.models import mlp


def step_of(batch: int, hidden: int) -> onnx.ModelProto:
    net = mlp(784, hidden, 10)
    return train_step(trace_loss(net, torch.zeros(batch, 784), torch.zeros(batch, dtype=torch.int64)), 0.1)


@pytest.fixture(scope="module")
def stages(tmp_path_factory: pytest.TempPathFactory) -> Stages:
    return Stages.of(step_of(256, 16), tmp_path_factory.getbasetemp() / "stages")


def test_every_stage_has_a_reason_and_a_file(stages: Stages, tmp_path_factory: pytest.TempPathFactory) -> None:
    assert list(WHY) == list(STAGES) == list(stages.after)
    for stage, model in stages.after.items():
        assert load(tmp_path_factory.getbasetemp() / "stages" / f"{stage}.onnx") == model


def test_simplify_removes_the_five_nodes_that_the_course_promises(stages: Stages) -> None:
    assert sorted(stages.changes("simplify")["removed"]) == ["log_softmax.grad.scale", "t", "t.grad", "t_1", "t_1.grad"]
    assert stages.table().splitlines()[0].startswith("simplify    30 →  25 nodes")


def test_transfers_are_counted_by_kernels_that_write_to_dram(stages: Stages) -> None:
    added = [name.rpartition(".")[2] for name in stages.changes("transfer")["added"]]
    assert Counter(name[:2] for name in added) == {"dl": 43, "ul": 23}


def test_the_larger_step_has_five_old_differences_and_nine_sums_more() -> None:
    wide = Stages.of(step_of(512, 32))
    old = {node.name for node in wide.before("tile").graph.node if node.op_type == "Sub"}
    new = [node.name.partition("[")[0] for node in wide.after["tile"].graph.node if node.op_type == "Sub"]
    assert len(old) == 7 and len([name for name in new if name in old]) == 7 + 5
    assert len([name for name in new if name not in old]) == 9


def test_all_stages_give_the_same_numbers_and_a_wrong_one_would_not(stages: Stages) -> None:
    rng = np.random.default_rng(1)
    net = mlp(784, 16, 10)
    feeds = {"x": rng.normal(size=(256, 784)).astype(np.float32), "labels": rng.integers(0, 10, 256)}
    feeds |= {name: value.detach().numpy() for name, value in net.named_parameters()}
    assert max(stages.differences(feeds).values()) < 1e-6
    wrong = Stages(stages.first, dict(stages.after))
    wrong.after["layout"] = onnx.ModelProto()
    wrong.after["layout"].CopyFrom(stages.after["layout"])
    next(node for node in wrong.after["layout"].graph.node if node.op_type == "Relu").op_type = "Exp"
    assert wrong.differences(feeds)["layout"] > 1e-3


def test_a_part_is_drawn_with_its_transfers_only(stages: Stages) -> None:
    text = stages.diff("transfer", ["0.out"]).text
    assert text.count("+ DL") == 2 and text.count("+ UL") == 1 and "1.out.ul" not in text
    assert len(draw.diff(stages.first, stages.first, compact=True).text) < len(
        draw.diff(stages.first, stages.first).text
    )


def test_an_unknown_stage_is_named(stages: Stages) -> None:
    with pytest.raises(HariboteError, match="simplify, pad"):
        stages.diff("fold")
