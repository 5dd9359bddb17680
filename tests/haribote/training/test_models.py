"""Models are deterministic by seed; a mistake in FILE.py:NAME is told plainly."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import nn

from haribote.errors import UnsupportedModel
from haribote.frontend.torch import trace_step
from haribote.training.models import load, mlp


def test_mlp_is_what_torch_builds_from_the_seed():
    torch.manual_seed(42)
    expected = nn.Sequential(nn.Linear(8, 4), nn.ReLU(), nn.Linear(4, 3))
    torch.manual_seed(1)
    state = torch.get_rng_state()
    model = mlp(8, 4, 3)
    assert torch.equal(state, torch.get_rng_state())
    assert [type(layer) for layer in model] == [nn.Linear, nn.ReLU, nn.Linear]
    assert all(torch.equal(a, b) for a, b in zip(model.parameters(), expected.parameters(), strict=True))
    assert not torch.equal(model[0].weight, mlp(8, 4, 3, seed=43)[0].weight)


def test_mlp_without_bias():
    assert [name for name, _ in mlp(8, 4, 3, bias=False).named_parameters()] == ["0.weight", "2.weight"]


@pytest.mark.parametrize("widths", [(), (3,), (3, 0)])
def test_mlp_needs_positive_widths(widths):
    with pytest.raises(UnsupportedModel, match="positive widths"):
        mlp(*widths)


@pytest.fixture
def model_file(tmp_path):
    path = tmp_path / "net.py"
    path.write_text(
        "from torch import nn\nnet = nn.Linear(3, 2)\nnumber = 5\n"
        "def make():\n    return nn.Linear(4, 2)\ndef broken():\n    return nn.Linear(4, 'two')\n"
    )
    return path


@pytest.mark.parametrize(("name", "features"), [("net", 3), ("make", 4)])
def test_load(model_file, name, features):
    assert load(f"{model_file}:{name}").in_features == features


@pytest.mark.parametrize(
    ("name", "fragment"),
    [
        ("nothing", r"defines no 'nothing'[\s\S]*'net'"),
        ("number", "received int"),
        ("broken", ": TypeError"),
    ],
)
def test_load_says_what_is_wrong(model_file, name, fragment):
    with pytest.raises(UnsupportedModel, match=fragment):
        load(f"{model_file}:{name}")


@pytest.mark.parametrize(("reference", "fragment"), [("net", "FILE.py:NAME"), ("absent.py:net", "no file absent.py")])
def test_load_needs_a_file_and_a_name(reference, fragment):
    with pytest.raises(UnsupportedModel, match=fragment):
        load(reference)


def test_a_lazy_module_is_refused_wherever_it_stands(tmp_path: Path) -> None:
    (tmp_path / "lazy.py").write_text(
        "import torch.nn as nn\nnet = nn.Sequential(nn.Linear(784, 8), nn.LazyLinear(10))\n"
    )
    with pytest.raises(UnsupportedModel, match=r"'1.weight' has no shape yet: its module is lazy"):
        load(f"{tmp_path / 'lazy.py'}:net")
    model = torch.nn.LazyLinear(10)
    optimiser = torch.optim.SGD(model.parameters(), 0.1)
    with pytest.raises(UnsupportedModel, match="'weight' has no shape yet"):
        trace_step(model, optimiser, torch.zeros(8, 784), torch.zeros(8, dtype=torch.int64))
