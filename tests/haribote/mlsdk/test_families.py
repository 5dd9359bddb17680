"""Training steps of every optimiser against torch's own, and what changes between two steps."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from haribote.errors import UnsupportedModel
from haribote.mlsdk import MNCoreAdam, MNCoreAdamW, MNCoreSGD
from tests.haribote.mlsdk.steps import Pair, batch, context, mlp

Make = Callable[[nn.Module], torch.optim.Optimizer]
optim = torch.optim
MAKERS: dict[str, Make] = {
    "sgd": lambda m: optim.SGD(m.parameters(), lr=0.1),
    "nesterov": lambda m: optim.SGD(m.parameters(), lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.01),
    "dampening": lambda m: optim.SGD(m.parameters(), lr=0.1, momentum=0.9, dampening=0.3, maximize=True),
    "MNCoreSGD": lambda m: MNCoreSGD(m.parameters(), lr=0.1, momentum=0.9, weight_decay=0.01),
    "groups": lambda m: MNCoreSGD([{"params": m[0].parameters(), "lr": 0.01}, {"params": m[2].parameters()}], 0.1, 0.9),  # type: ignore[index]
    "adam": lambda m: optim.Adam(m.parameters(), lr=0.01, weight_decay=0.01, amsgrad=True),
    "MNCoreAdam": lambda m: MNCoreAdam(m.parameters(), lr=0.01),
    "MNCoreAdamW": lambda m: MNCoreAdamW(m.parameters(), lr=0.01, weight_decay=0.1),
}


QUICK = ("MNCoreSGD",)


pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in MAKERS]
)
def test_steps_are_torchs(name: str) -> None:
    torch.manual_seed(0)
    pair = Pair(mlp(), MAKERS[name])
    pair.check_training(steps=4)
    for mine, theirs in zip(pair.model.parameters(), pair.other.parameters(), strict=True):
        wanted = pair.other_optimizer.state[theirs]
        found = pair.optimizer.state[mine]
        assert set(found) == {key for key, value in wanted.items() if value is not None}
        for key, value in found.items():
            torch.testing.assert_close(value, wanted[key], rtol=1e-4, atol=1e-5)


def test_the_vendors_optimisers_are_torchs_in_plain_pytorch() -> None:
    for ours, theirs, given in [
        (MNCoreSGD, optim.SGD, {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.01}),
        (MNCoreAdam, optim.Adam, {"lr": 0.01}),
        (MNCoreAdamW, optim.AdamW, {"lr": 0.01, "weight_decay": 0.1}),
    ]:
        results = []
        for cls in (ours, theirs):
            torch.manual_seed(0)
            model = mlp()
            optimizer: Any = cls(model.parameters(), **given)
            for _ in range(3):
                optimizer.zero_grad()
                model(torch.randn(4, 6)).square().sum().backward()
                optimizer.step()
            results.append([parameter.detach().clone() for parameter in model.parameters()])
        assert all(torch.equal(a, b) for a, b in zip(*results, strict=True)), ours


@pytest.mark.slow
def test_what_the_program_changes_between_steps_counts() -> None:
    """Learning rates by a scheduler, momentum by hand, parameters written to, and the device's copy."""
    torch.manual_seed(0)
    pair = Pair(mlp(), lambda m: MNCoreSGD(m.parameters(), lr=0.1, momentum=0.9))
    schedulers = [optim.lr_scheduler.StepLR(one, 2, 0.5) for one in (pair.optimizer, pair.other_optimizer)]
    compiled = pair.context.compile(pair.function, batch())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(4):
            pair.check(compiled, batch())
            for scheduler in schedulers:
                scheduler.step()
    for one in (pair.optimizer, pair.other_optimizer):
        one.param_groups[0]["momentum"] = 0.5
    pair.check(compiled, batch())
    for model in (pair.model, pair.other):
        with torch.no_grad():
            model[0].weight.mul_(0.5)  # type: ignore[index]
            model[0].weight.add_(0.1)  # type: ignore[index]
    pair.context.get_registered_value_proxy(pair.model[2].bias).load_from(torch.ones(3))  # type: ignore[index]
    with torch.no_grad():
        pair.other[0].weight.copy_(pair.model[0].weight)  # type: ignore[index]
        pair.other[2].bias.fill_(1)  # type: ignore[index]
    pair.check(compiled, batch())
    pair.check_parameters()


@pytest.mark.slow
def test_an_optimiser_that_was_never_registered() -> None:
    torch.manual_seed(0)
    model, twin = mlp(), mlp()
    twin.load_state_dict(model.state_dict())
    found = context()
    found.registry.register("model", model)
    optimizer, other = optim.SGD(model.parameters(), lr=0.1), optim.SGD(twin.parameters(), lr=0.1)

    def step(inputs: dict[str, torch.Tensor], model: nn.Module, optimizer: optim.Optimizer) -> dict[str, torch.Tensor]:
        optimizer.zero_grad()
        loss = model(inputs["x"]).square().mean()
        loss.backward()
        optimizer.step()
        return {"loss": loss}

    compiled = found.compile(lambda inputs: step(inputs, model, optimizer), {"x": torch.zeros(8, 6)})
    for _ in range(3):
        x = torch.randn(8, 6)
        torch.testing.assert_close(compiled({"x": x})["loss"].cpu(), step({"x": x}, twin, other)["loss"].detach())


@pytest.mark.slow
def test_an_optimiser_of_the_programs_own() -> None:
    class Heavy(optim.Optimizer):
        def __init__(self, params: Any, lr: float) -> None:
            super().__init__(params, {"lr": lr})
            for parameter in self.param_groups[0]["params"]:
                self.state[parameter]["heap"] = torch.zeros_like(parameter)

        @torch.no_grad()
        def step(self, closure: Any = None) -> None:  # type: ignore[override]
            for parameter in self.param_groups[0]["params"]:
                heap = self.state[parameter]["heap"].mul_(0.9).add_(parameter.grad)
                parameter.add_(heap, alpha=-self.param_groups[0]["lr"])

    torch.manual_seed(0)
    pair = Pair(mlp(), lambda m: Heavy(m.parameters(), 0.1))
    compiled = pair.context.compile(pair.function, batch())
    pair.check(compiled, batch())
    for one in (pair.optimizer, pair.other_optimizer):
        one.param_groups[0]["lr"] = 0.02
    pair.check(compiled, batch())
    pair.check(compiled, batch())
    pair.check_parameters()


@pytest.mark.parametrize("optimizer", [optim.Adam, optim.SGD])
def test_steps_on_the_host_in_between_count(optimizer: Any) -> None:
    """Before the function is compiled, between its calls, and by a state that is loaded."""
    torch.manual_seed(0)
    more = {"momentum": 0.9, "dampening": 0.5} if optimizer is optim.SGD else {}
    pair = Pair(mlp(), lambda m: optimizer(m.parameters(), lr=0.05, **more))
    compiled = pair.context.compile(pair.function, batch())
    for _ in range(2):
        for _ in range(2):
            given = batch()
            torch.testing.assert_close(pair.function(given)["loss"], pair.twin(given)["loss"], rtol=1e-4, atol=1e-4)
        for _ in range(2):
            pair.check(compiled, batch())
        pair.check_parameters(1e-5)
    fresh = optimizer(pair.other.parameters(), lr=0.05, **more).state_dict()
    for one in (pair.optimizer, pair.other_optimizer):
        one.load_state_dict(fresh)
    pair.check(compiled, batch())
    pair.check_parameters(1e-5)


def test_a_state_that_the_step_makes_is_refused() -> None:
    """The next call would begin with it anew."""
    for optimizer in (optim.RMSprop, optim.Adamax):
        pair = Pair(mlp(), lambda m, cls=optimizer: cls(m.parameters(), lr=0.01))  # type: ignore[misc]
        with pytest.raises(UnsupportedModel, match=f"a step of {optimizer.__name__} makes 'step' of its state anew"):
            pair.context.compile(pair.function, batch())
        assert not pair.optimizer.state
    pair = Pair(mlp(), lambda m: optim.RMSprop(m.parameters(), lr=0.01))
    first = batch()
    for one in (pair.function, pair.twin):
        one(first)
    pair.check_training()
