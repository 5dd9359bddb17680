"""Functions as graphs: what models compute, what a compilation leaves alone, what is refused with its line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from haribote.errors import HariboteError
from haribote.mlsdk import MNCoreSGD
from tests.haribote.mlsdk.steps import Pair, batch, context, mlp


def sgd(model: nn.Module) -> MNCoreSGD:
    return MNCoreSGD(model.parameters(), lr=0.1, momentum=0.9)


def run(function: Callable[[dict[str, Any]], dict[str, Tensor]], inputs: dict[str, Any]) -> dict[str, Tensor]:
    found = context().compile(function, inputs)(inputs)
    return {name: proxy.cpu() for name, proxy in found.items()}


class Attention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
        self.head = nn.Linear(8, 3)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.layer(x).mean(1))  # type: ignore[no-any-return]


class Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer, self.head = nn.LSTM(6, 5, batch_first=True), nn.Linear(5, 3)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.layer(x)[0][:, -1])  # type: ignore[no-any-return]


def images() -> dict[str, Tensor]:
    return {"x": torch.randn(4, 1, 8, 8), "t": torch.randint(0, 3, (4,))}


def words() -> dict[str, Tensor]:
    return {"x": torch.randn(4, 5, 8), "t": torch.randint(0, 3, (4,))}


MODELS: dict[str, tuple[Callable[[], nn.Module], Callable[[], dict[str, Tensor]]]] = {
    "normalised": (lambda: nn.Sequential(nn.Linear(6, 5), nn.BatchNorm1d(5), nn.ReLU(), nn.Linear(5, 3)), batch),
    "convolution": (
        lambda: nn.Sequential(
            nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(64, 3)
        ),
        images,
    ),
    "layer norm": (lambda: nn.Sequential(nn.Linear(6, 5), nn.LayerNorm(5), nn.GELU(), nn.Linear(5, 3)), batch),
    "attention": (Attention, words),
    "recurrent": (Recurrent, lambda: {"x": torch.randn(4, 5, 6), "t": torch.randint(0, 3, (4,))}),
    "embedding": (
        lambda: nn.Sequential(nn.Embedding(10, 4), nn.Flatten(), nn.Linear(12, 3)),
        lambda: {"x": torch.randint(0, 10, (8, 3)), "t": torch.randint(0, 3, (8,))},
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_models_train(name: str) -> None:
    torch.manual_seed(0)
    make, sample = MODELS[name]
    Pair(make(), sgd).check_training(sample)


LOSSES: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "smoothed": nn.CrossEntropyLoss(label_smoothing=0.1),
    "int32 labels": lambda out, t: F.nll_loss(F.log_softmax(out, 1), t.int().long()),
    "one hot": lambda out, t: -(F.one_hot(t, 3) * F.log_softmax(out, 1)).sum(1).mean(),
    "squares": lambda out, t: F.mse_loss(out, F.one_hot(t, 3).float()),
    "logits": lambda out, t: F.binary_cross_entropy_with_logits(out, F.one_hot(t, 3).float()),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LOSSES)
def test_losses(name: str) -> None:
    torch.manual_seed(0)
    clip = (lambda model: nn.utils.clip_grad_norm_(model.parameters(), 0.1)) if name == "smoothed" else (lambda _: None)
    Pair(mlp(), sgd, LOSSES[name], clip).check_training()


def test_compiling_leaves_everything_as_it_was() -> None:
    torch.manual_seed(0)
    pair = Pair(nn.Sequential(nn.Linear(6, 5), nn.BatchNorm1d(5), nn.Linear(5, 3)), sgd)
    state = {name: value.clone() for name, value in pair.model.state_dict().items()}
    places = [parameter.data_ptr() for parameter in pair.model.parameters()]
    first = next(pair.model.parameters())
    first.grad = torch.full_like(first, 7)
    sample, random = batch(), torch.random.get_rng_state()
    copies = {name: value.clone() for name, value in sample.items()}
    pair.context.compile(pair.function, sample)
    assert torch.equal(random, torch.random.get_rng_state())
    assert all(torch.equal(value, state[name]) for name, value in pair.model.state_dict().items())
    assert places == [parameter.data_ptr() for parameter in pair.model.parameters()]
    assert torch.equal(first.grad, torch.full_like(first, 7))
    assert all(parameter.grad is None for parameter in list(pair.model.parameters())[1:])
    assert all(not state["momentum_buffer"].any() for state in pair.optimizer.state.values())
    assert all(torch.equal(sample[name], value) for name, value in copies.items())


def test_double_and_half_are_computed_in_single() -> None:
    torch.manual_seed(0)
    double, half = nn.Linear(6, 3).double(), nn.Linear(6, 3).half()
    found = context()
    found.registry.register("double", double)
    inputs = {"x": torch.randn(4, 6).double(), "h": torch.randn(4, 6).half()}

    def function(given: dict[str, Tensor]) -> dict[str, Tensor]:
        return {"double": double(given["x"]), "half": half(given["h"]), "cast": given["x"].half().float()}

    result = found.compile(function, inputs)(inputs)
    wanted = function(inputs)
    assert [result[name].dtype for name in wanted] == [torch.float64, torch.float16, torch.float32]
    torch.testing.assert_close(result["double"].cpu(), wanted["double"].detach(), rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(result["half"].cpu(), wanted["half"].detach(), rtol=2e-3, atol=2e-3)


def test_names_of_inputs_and_outputs_may_be_any() -> None:
    """Also those of operations, and the same for an input and an output; an input may be unused, a byte or an array."""
    inputs: dict[str, Any] = {"x": torch.randn(3), "unused": torch.randn(5), "add": torch.arange(3.0).numpy()}
    inputs["pixels"] = torch.tensor([0, 128, 255], dtype=torch.uint8)

    def function(given: dict[str, Any]) -> dict[str, Tensor]:
        scaled = given["pixels"].float() / 255
        return {"x": given["x"], "add": given["x"] + given["add"], "mul": (given["x"] * 2 + 1) * 3, "div": scaled}

    wanted = function({**inputs, "add": torch.arange(3.0)})
    for name, value in run(function, inputs).items():
        torch.testing.assert_close(value, wanted[name])


def test_writes_in_place_and_through_views() -> None:
    def function(given: dict[str, Tensor]) -> dict[str, Tensor]:
        x = given["x"]
        x += 1
        x.view(-1)[0] = 5.0
        x[1].mul_(2)
        return {"x": x, "row": x[1]}

    x = torch.randn(2, 3)
    wanted = function({"x": x.clone()})
    for name, value in run(function, {"x": x}).items():
        torch.testing.assert_close(value, wanted[name])


def test_a_parameter_that_the_program_updates_itself() -> None:
    found, weight = context(), nn.Parameter(torch.ones(3))
    found.register_param(weight)

    def function(given: dict[str, Tensor]) -> dict[str, Tensor]:
        loss = ((weight - given["x"]) ** 2).sum()
        (grad,) = torch.autograd.grad(loss, weight)
        with torch.no_grad():
            weight.sub_(0.1 * grad)
        return {"loss": loss}

    compiled = found.compile(function, {"x": torch.zeros(3)})
    assert [compiled({"x": torch.zeros(3)})["loss"].item() for _ in range(2)] == pytest.approx([3.0, 3 * 0.64])
    found.synchronize()
    torch.testing.assert_close(weight.detach(), torch.full((3,), 0.64))


STRANGER, LAYER = torch.zeros(3), nn.Linear(3, 2)


def writes(given: dict[str, Tensor]) -> dict[str, Tensor]:
    STRANGER.add_(given["x"])
    return {"y": STRANGER}


def decides(given: dict[str, Tensor]) -> dict[str, Tensor]:
    if given["x"].sum() > 0:
        return {"y": given["x"]}
    return {"y": -given["x"]}


def trains(given: dict[str, Tensor]) -> dict[str, Tensor]:
    optimizer = torch.optim.SGD(LAYER.parameters(), lr=0.1)
    loss = LAYER(given["x"]).sum()
    loss.backward()
    optimizer.step()
    return {"loss": loss}


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (writes, r"writes to a tensor of shape \[3\] that is not registered, at .*test_tracing.py:\d+"),
        (trains, r"writes to a tensor of shape \[2, 3\] that is not registered"),
        (decides, r"decides by the value of a tensor.*test_tracing.py:\d+"),
        (lambda given: {"y": F.dropout(given["x"])}, r"makes random numbers.*test_tracing.py:\d+"),
        (lambda given: {"y": torch.rand(3) + given["x"]}, "makes random numbers"),
        (
            lambda given: {"y": torch.linalg.qr(torch.outer(given["x"], given["x"]))[0]},
            r"no lowering rule.*test_tracing",
        ),
        (lambda given: given["x"], "returns a dict of tensors, received Tensor"),
        (lambda given: {"y": 3}, "output 'y' must be a tensor, received int"),
    ],
)
def test_what_no_graph_can_hold_is_refused(function: Any, message: str) -> None:
    with pytest.raises(HariboteError, match=message):
        context().compile(function, {"x": torch.ones(3)})
    assert not STRANGER.any() and all(parameter.grad is None for parameter in LAYER.parameters())


def test_an_error_of_the_program_is_its_own() -> None:
    with pytest.raises(KeyError, match="z"):
        context().compile(lambda given: {"y": given["z"]}, {"x": torch.ones(3)})


def test_an_optimiser_made_at_every_call_is_refused() -> None:
    found = context()
    for parameter in LAYER.parameters():
        found.register_param(parameter)
    with pytest.raises(HariboteError, match="makes a SGD of its own at every call"):
        found.compile(trains, {"x": torch.ones(3)})


def test_a_model_that_asks_is_told_that_it_is_compiled() -> None:
    """What models of `transformers` ask before they look at values."""
    asked = []

    def function(given: dict[str, Tensor]) -> dict[str, Tensor]:
        asked.append(torch.compiler.is_compiling())
        if not asked[-1] and bool((given["x"] > 0).all()):
            return {"y": given["x"]}
        return {"y": given["x"] * 2}

    compiled = context().compile(function, {"x": torch.ones(3)})
    assert asked == [True] and not torch.compiler.is_compiling()
    assert torch.equal(compiled({"x": torch.ones(3)})["y"].cpu(), torch.full((3,), 2.0))


def test_views_of_what_has_no_elements() -> None:
    x = torch.zeros(4, 0)

    def views(given: dict[str, Tensor]) -> dict[str, Tensor]:
        y = given["x"] + 1
        wide = torch.stack([y, y]), y.unsqueeze(0).expand(3, 4, 0), y.unbind(0)[1], y.view(2, 2, 0)
        long = torch.cat([y.view(0, 5), torch.ones(3, 5)])
        return {str(number): z * 2 for number, z in enumerate((*wide, y.view(0, 4), y.flatten(), long))}

    for name, wanted in views({"x": x}).items():
        torch.testing.assert_close(run(views, {"x": x})[name], wanted)
