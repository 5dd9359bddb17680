"""Training steps in the vendor's style, beside the same in plain PyTorch."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from haribote.mlsdk import Context, MNDevice

HOST = "pfvm:cpu"


def context(device: str = HOST) -> Context:
    """A new current context."""
    found = Context(MNDevice(device))
    Context.switch_context(found)
    return found


def mlp() -> nn.Sequential:
    """6-5-3."""
    return nn.Sequential(nn.Linear(6, 5), nn.ReLU(), nn.Linear(5, 3))


def batch() -> dict[str, Tensor]:
    """Eight rows and their labels."""
    return {"x": torch.randn(8, 6), "t": torch.randint(0, 3, (8,))}


class Pair:
    """A model on the device and its twin in PyTorch, with their optimisers.

    function(inputs): a step of the one; twin(inputs): of the other.
    """

    def __init__(
        self,
        model: nn.Module,
        optimizer: Callable[[nn.Module], torch.optim.Optimizer],
        loss: Callable[[Tensor, Tensor], Tensor] = F.cross_entropy,
        between: Callable[[nn.Module], Any] = lambda model: None,
        device: str = HOST,
    ) -> None:
        self.context, self.loss, self.between = context(device), loss, between
        self.model, self.other = model, copy.deepcopy(model)
        self.optimizer, self.other_optimizer = optimizer(self.model), optimizer(self.other)
        self.context.registry.register("model", self.model)
        self.context.registry.register("optimizer", self.optimizer)

    def function(self, inputs: dict[str, Tensor]) -> dict[str, Tensor]:
        return self._step(self.model, self.optimizer, inputs)

    def twin(self, inputs: dict[str, Tensor]) -> dict[str, Tensor]:
        return self._step(self.other, self.other_optimizer, inputs)

    def _step(self, model: nn.Module, optimizer: torch.optim.Optimizer, inputs: dict[str, Tensor]) -> dict[str, Tensor]:
        optimizer.zero_grad()
        out = model(inputs["x"])
        loss = self.loss(out, inputs["t"])
        loss.backward()
        self.between(model)
        optimizer.step()
        return {"loss": loss, "out": out}

    def check(self, compiled: Any, inputs: dict[str, Tensor], tolerance: float = 1e-4) -> None:
        """A step of both gives the same."""
        found, wanted = compiled(inputs), self.twin(inputs)
        for name, value in wanted.items():
            torch.testing.assert_close(found[name].cpu(), value.detach(), rtol=tolerance, atol=tolerance)

    def check_parameters(self, tolerance: float = 1e-4) -> None:
        """After `synchronize`, parameters and buffers are the twin's."""
        self.context.synchronize()
        theirs = self.other.state_dict()
        for name, value in self.model.state_dict().items():
            torch.testing.assert_close(value, theirs[name], rtol=tolerance, atol=tolerance)

    def check_training(self, sample: Callable[[], dict[str, Tensor]] = batch, steps: int = 3) -> None:
        """Compile, and compare some steps."""
        compiled = self.context.compile(self.function, sample())
        for _ in range(steps):
            self.check(compiled, sample())
        self.check_parameters()
