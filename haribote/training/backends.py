"""What trains and evaluates a model: torch itself, generated C++, or the compiled step on the simulated chip.

Every backend starts from the same parameters, takes the same batches and gives losses and logits as NumPy arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from haribote.errors import HariboteError
from simulator.messages import Text, tr

Floats = NDArray[np.float32]
Labels = NDArray[Any]
Parameters = dict[str, Floats]

BACKENDS = ("torch", "cpp", "sim")


IMAGE = (28, 28)
"""Height and width of the images that a convolutional network gets: MNIST's."""


def __getattr__(name: str) -> Any:
    """`SimBackend` where it is asked for: an answer that names the types of this module needs no chip."""
    if name != "SimBackend":
        raise AttributeError(tr("module {name!r} has no attribute {name2!r}", __name__, name))
    return import_module("haribote.training.sim_backend").SimBackend


class ChipRequired(HariboteError):
    """`--require-chip` was given, but some node has to run on the host."""


class Backend(Protocol):
    """One way to train. `step` does one batch and gives its loss before the update; `logits` is [N, classes]."""

    summary: str

    def step(self, images: Floats, labels: Labels) -> float:
        """Train on one batch: images [N, 784] float32, labels [N] integers."""

    def logits(self, images: Floats) -> Floats:
        """Class scores of any number of images."""

    def parameters(self) -> Parameters:
        """A copy of all parameters, by torch's names."""

    def load(self, parameters: Parameters) -> None:
        """Replace all parameters."""


class TorchBackend:
    """PyTorch in eager mode: the reference."""

    summary: str = Text("torch, eager")

    def __init__(self, model: Any, learning_rate: float) -> None:
        import torch

        self._torch, self._model = torch, model
        self._optimiser = torch.optim.SGD(model.parameters(), lr=learning_rate)

    def step(self, images: Floats, labels: Labels) -> float:
        """See `Backend.step`."""
        torch = self._torch
        self._optimiser.zero_grad()
        loss = torch.nn.functional.cross_entropy(
            self._model(torch.from_numpy(images)), torch.from_numpy(labels.astype(np.int64))
        )
        loss.backward()
        self._optimiser.step()
        return float(loss.item())

    def logits(self, images: Floats) -> Floats:
        """See `Backend.logits`."""
        with self._torch.no_grad():
            result: Floats = self._model(self._torch.from_numpy(images)).numpy()
        return result

    def parameters(self) -> Parameters:
        """See `Backend.parameters`."""
        return {name: value.detach().numpy().copy() for name, value in self._model.named_parameters()}

    def load(self, parameters: Parameters) -> None:
        """See `Backend.load`."""
        self._model.load_state_dict({name: self._torch.from_numpy(value) for name, value in parameters.items()})


class StepSession(Protocol):
    """A compiled graph that can be run: the machine's `runtime.Session`, or that of generated C++."""

    def write(self, name: str, value: Any) -> None:
        """Give an input a value."""

    def read(self, name: str) -> Any:
        """The value of an output or a parameter."""

    def run(self) -> None:
        """Run the graph once."""

    def step(self, inputs: Mapping[str, Any]) -> None:
        """Write inputs, run, and keep the updated parameters."""


class CompiledBackend:
    """What the backends that compile have in common: a session that trains and one that only infers."""

    def __init__(
        self, training: StepSession, inference: StepSession, batch: int, initial: Parameters, summary: str
    ) -> None:
        self._training, self._inference = training, inference
        self._batch, self._names = batch, tuple(initial)
        self.summary = summary
        self.load(initial)

    def step(self, images: Floats, labels: Labels) -> float:
        """See `Backend.step`."""
        self._training.step({"x": images, "labels": labels})
        return float(self._training.read("loss"))

    def logits(self, images: Floats) -> Floats:
        """See `Backend.logits`."""
        for name, value in self.parameters().items():
            self._inference.write(name, value)

        def run(part: Floats) -> Floats:
            self._inference.write("x", part)
            self._inference.run()
            logits: Floats = self._inference.read("logits")
            return logits

        return in_batches(images, self._batch, run)

    def parameters(self) -> Parameters:
        """See `Backend.parameters`."""
        return {name: self._training.read(name) for name in self._names}

    def load(self, parameters: Parameters) -> None:
        """See `Backend.load`."""
        for name, value in parameters.items():
            self._training.write(name, value)


def initial_parameters(model: Any) -> Parameters:
    """The parameters of a torch model, by name; views of its own."""
    return {name: value.detach().numpy() for name, value in model.named_parameters()}


def in_batches(images: Floats, batch: int, run: Callable[[Floats], Floats]) -> Floats:
    """What `run` gives for all images [n, features], `batch` at a time; the last batch is filled up with zeros."""
    results = []
    for start in range(0, len(images), batch):
        part = images[start : start + batch]
        full = np.zeros((batch, *images.shape[1:]), np.float32)
        full[: len(part)] = part
        results.append(run(full)[: len(part)])
    return np.concatenate(results)


def example_batch(model: Any, batch: int, learning_rate: float) -> tuple[Any, Any, Any]:
    """What a trace needs beside the model: the SGD optimiser, and images and labels of the batch's shapes.

    Raises HariboteError for a model whose first parameter is none of a Linear or Conv2d.
    """
    import torch

    known = [value.shape for value in model.parameters()]
    if not known or len(known[0]) not in (2, 4):
        has = tr("its first parameter has shape {known}", list(known[0])) if known else tr("it has no parameters")
        what = tr("the model cannot be trained on images: {has}", has)
        raise HariboteError(what, tr("a torch.nn.Module that begins with Linear or Conv2d"))
    first = known[0]  # [outputs, features] of Linear; a Conv2d has [outputs, channels, h, w]
    shape = first[1:2] if len(first) == 2 else (first[1], *IMAGE)
    optimiser = torch.optim.SGD(model.parameters(), lr=learning_rate)
    return optimiser, torch.zeros(batch, *shape), torch.zeros(batch, dtype=torch.int64)
