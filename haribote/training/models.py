"""The models we train: builders of multi-layer perceptrons and of LeNet, and loading of the user's own."""

from __future__ import annotations

import itertools
import runpy
import traceback
from math import prod
from pathlib import Path

import torch
from torch import nn

from haribote.errors import UnsupportedModel
from haribote.foreign import said
from haribote.frontend.torch import refuse_lazy
from simulator.messages import tr

MOST_WIDTHS = 66
"""Of an MLP: the step of 64 hidden layers has some 1,000 nodes."""
MOST_WEIGHTS = 1 << 26
"""Of a layer: a quarter of a gibibyte of singles."""


def mlp(*widths: int, bias: bool = True, seed: int = 42) -> nn.Sequential:
    """Linear layers of these widths with ReLU between: `mlp(784, 16, 10)` has 784 features, 16 hidden, 10 classes.

    The weights depend on the seed alone (torch's default initialisation); torch's own random state stays as it is.

    Raises:
        UnsupportedModel: fewer than two widths, one that is not positive, or more than MOST_WIDTHS and MOST_WEIGHTS.
    """
    if len(widths) < 2 or min(widths) < 1:
        raise UnsupportedModel(
            tr("an MLP needs two or more positive widths, received {widths}", widths), "mlp(784, 16, 10)"
        )
    if len(widths) > MOST_WIDTHS:
        raise UnsupportedModel(
            tr("an MLP has {most} widths at most, received {count}", MOST_WIDTHS, len(widths)), tr("fewer layers")
        )
    if (most := max(map(prod, itertools.pairwise(widths)))) > MOST_WEIGHTS:
        raise UnsupportedModel(
            tr("a layer has {most:,} weights at most, received {weights:,}", MOST_WEIGHTS, most),
            tr("smaller widths side by side"),
        )
    layers: list[nn.Module] = []
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        for inputs, outputs in itertools.pairwise(widths):
            layers += [nn.Linear(inputs, outputs, bias=bias), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def lenet(seed: int = 42) -> nn.Sequential:
    """A LeNet for MNIST: images [N, 1, 28, 28], two convolutions with pooling, 10 classes, 37,106 parameters.

    The weights depend on the seed alone; torch's own random state stays as it is.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return nn.Sequential(
            nn.Conv2d(1, 6, 5, padding=2),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(6, 16, 5),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Flatten(),
            nn.Linear(400, 84),
            nn.ReLU(),
            nn.Linear(84, 10),
        )


def load(reference: str) -> nn.Module:
    """The model that `FILE.py:NAME` names: a torch module, or a function without arguments that returns one.

    Raises:
        UnsupportedModel: the file or the name does not exist, the file fails, or the result is not a torch module
            whose parameters have shapes.
    """
    path, _, name = reference.rpartition(":")
    if not path.endswith(".py") or not name:
        raise UnsupportedModel(
            tr("a model is given as FILE.py:NAME, received {reference!r}", reference), "--model my_model.py:model"
        )
    if not Path(path).is_file():
        raise UnsupportedModel(tr("no file {path}", path), tr("the path from the current folder"))
    try:
        namespace = runpy.run_path(path)
        found = namespace.get(name)
        model = found if isinstance(found, nn.Module) or not callable(found) else found()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # whatever the user's own code raises, SystemExit too
        raise UnsupportedModel(
            tr(
                "{reference} fails{where}: {name}: {reason}",
                reference=reference,
                where=_where(error, path),
                name=type(error).__name__,
                reason=said(error),
            ),
            tr("run the file alone with Python until it passes there"),
        ) from error
    if name not in namespace:
        known = [key for key, value in namespace.items() if isinstance(value, nn.Module)]
        advice = tr("one of {known}", known) if known else f"{name} = nn.Sequential(...)"
        raise UnsupportedModel(tr("{path} defines no {name!r}", path, name), advice)
    if not isinstance(model, nn.Module):
        raise UnsupportedModel(
            tr("{reference} must be a torch module or return one, received {name}", reference, type(model).__name__),
            f"{name} = nn.Sequential(...)",
        )
    refuse_lazy(model)
    return model


def _where(error: BaseException, path: str) -> str:
    """The last line of the file in the traceback of an error; "" for a syntax error, which tells its own."""
    frames = traceback.extract_tb(error.__traceback__)
    line = next((frame.lineno for frame in reversed(frames) if frame.filename == path), None)
    return tr(" in line {line}", line) if line else ""
