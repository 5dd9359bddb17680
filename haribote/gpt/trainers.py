"""What trains a model: PyTorch itself, or the step compiled for the chip, where everything stays from step to step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from haribote.gpt.model import GPT, distances
from haribote.gpt.text import Tokens
from haribote.mlsdk import Context, MNCoreAdam, MNDevice
from simulator.messages import tr

State = dict[str, NDArray[np.float32]]
"""Weights by their names, and Adam's two averages of each by `<name>.exp_avg` and `<name>.exp_avg_sq`."""
AVERAGES = ("exp_avg", "exp_avg_sq")


class Trainer(Protocol):
    """One way to train. `step` does one batch [n, context] and gives its loss before the update."""

    summary: str

    def step(self, tokens: Tokens, following: Tokens) -> float:
        """Train on one batch."""

    def state(self) -> State:
        """A copy of all that a later step depends on, but the number of steps."""


def loss_of(model: GPT, scores: Tensor, tokens: Tensor, following: Tensor) -> Tensor:
    """The mean cross-entropy of the characters that follow."""
    logits = model(tokens.long(), scores)
    return nn.functional.cross_entropy(logits.reshape(-1, logits.shape[-1]), following.long().reshape(-1))


def optimiser(model: GPT, rate: float, state: State | None, steps: int) -> MNCoreAdam:
    """Adam, new or as it was after so many steps; the weights of a state go into the model."""
    found = MNCoreAdam(model.parameters(), lr=rate)
    if state is None:
        return found
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.copy_(torch.from_numpy(state[name]))
            averages = {key: torch.from_numpy(state[f"{name}.{key}"].copy()) for key in AVERAGES}
            found.state[parameter] = {"step": torch.tensor(float(steps)), **averages}
    return found


def _state(model: GPT, adam: torch.optim.Optimizer) -> State:
    def arrays() -> Iterator[tuple[str, NDArray[np.float32]]]:
        for name, parameter in model.named_parameters():
            yield name, parameter.detach().numpy().copy()
            for key in AVERAGES:
                yield f"{name}.{key}", adam.state[parameter][key].numpy().copy()

    return dict(arrays())


class TorchTrainer:
    """PyTorch in eager mode: the reference."""

    def __init__(self, model: GPT, rate: float, state: State | None = None, steps: int = 0) -> None:
        self.summary = tr("torch, eager")
        self._model, self._adam = model, optimiser(model, rate, state, steps)
        self._scores = distances(model.shape, model.shape.context)

    def step(self, tokens: Tokens, following: Tokens) -> float:
        """See `Trainer.step`."""
        self._adam.zero_grad()
        loss = loss_of(self._model, self._scores, torch.from_numpy(tokens), torch.from_numpy(following))
        loss.backward()  # type: ignore[no-untyped-call]
        self._adam.step()
        return float(loss.item())

    def state(self) -> State:
        """See `Trainer.state`."""
        return _state(self._model, self._adam)


class ChipTrainer:
    """The step as a program: forward pass, loss, gradients and Adam; weights and averages stay on the chip.

    Tokens go there and the loss comes back, with two numbers of Adam's that are other ones at every step.

    Attributes:
        graph: the compiled step, with its cost and coverage.
    """

    def __init__(
        self, model: GPT, rate: float, batch: int, state: State | None = None, steps: int = 0, device: str = ""
    ) -> None:
        """device: of the vendor's interface; the chip where none is named. Raises HariboteError."""
        adam = optimiser(model, rate, state, steps)
        scores = distances(model.shape, model.shape.context)
        self._model, self._adam = model, adam
        self._context = Context(MNDevice(device) if device else MNDevice())
        self._context.registry.register("gpt", model)
        self._context.registry.register("adam", adam)

        def step(given: dict[str, Tensor]) -> dict[str, Tensor]:
            adam.zero_grad()
            loss = loss_of(model, scores, given["tokens"], given["following"])
            loss.backward()  # type: ignore[no-untyped-call]
            adam.step()
            return {"loss": loss}

        like = torch.zeros(batch, model.shape.context, dtype=torch.int32)
        self._step = self._context.compile(step, {"tokens": like, "following": like})
        self.graph = self._step.graph
        self.summary = tr("on the chip {coverage} operators", self.graph.coverage)
        if self.graph.cost is not None:
            self.summary += tr(
                "; {steps} steps + {moves} MV, {figures} per train step",
                self.graph.cost.steps,
                self.graph.cost.moves,
                self.graph.cost.figures,
            )

    def step(self, tokens: Tokens, following: Tokens) -> float:
        """See `Trainer.step`."""
        given = {"tokens": torch.from_numpy(tokens), "following": torch.from_numpy(following)}
        return float(self._step(given)["loss"].item())

    def state(self) -> State:
        """See `Trainer.state`."""
        self._context.synchronize()
        return _state(self._model, self._adam)
