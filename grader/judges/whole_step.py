"""A whole training step: the graph that answers compile, and the judge of what they make of it. Their programs run on
values that nobody has seen, beside the step in float64.

What a step costs is counted here, from the programs that were right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import onnx

from grader.emitter.values import Array
from haribote.chip.program import ProgramPart, of_parts, wrong_waits
from haribote.compiler import start_session
from haribote.errors import HariboteError
from haribote.graph import Builder
from haribote.network import BATCH, CLASSES, HIDDEN, Network
from simulator import Machine, assemble
from simulator.messages import tr

STEPS = 2
"""So many in a row: parameters are to be kept."""
TOLERANCE = 1e-4
"""The largest error of what a parameter changes by, in the largest change of its tensor."""

Parameters = Mapping[str, Array]


def forward(network: Network) -> onnx.ModelProto:
    """The loss of a batch, as `frontend.torch.trace_loss` traces it."""
    g = Builder("loss")
    x, labels = g.input("x", (BATCH, network.pixels), np.float32), g.input("labels", (BATCH,), np.int64)
    for name, shape in _shapes(network).items():
        g.input(name, shape, np.float32)
    for layer, name in (("0", "0.out"), ("2", "logits")):
        t = g.op("Transpose", f"{layer}.weight", name="t", perm=[1, 0])
        x = g.op("Add", g.op("MatMul", x, t, name=f"{name}.matmul"), f"{layer}.bias", name=name)
        x = x if name == "logits" else g.op("Relu", x, name="1.out")
    chance = g.op("LogSoftmax", x, name="log_softmax", axis=1)
    g.output(g.op("NegativeLogLikelihoodLoss", chance, labels, name="loss", reduction="mean"))
    return g.finish()


def _shapes(network: Network) -> dict[str, tuple[int, ...]]:
    """Of the parameters."""
    return {
        "0.weight": (HIDDEN, network.pixels), "0.bias": (HIDDEN,), "2.weight": (CLASSES, HIDDEN), "2.bias": (CLASSES,),
    }  # fmt: skip


def cycles_of(network: Network, seed: int, model: bytes, programs: Sequence[str]) -> float:
    """The cycles of a training step that is right. model: the placed graph, which says where every value is.

    Raises HariboteError where it is wrong, ExecutionError, and what damaged values raise.
    """
    parts = [ProgramPart((), assemble(text, "step.vsm")) for text in programs]
    if any(wrong_waits(part.program) for part in parts):
        raise HariboteError(tr("a program breaks a rule of the machine's waits"))
    compiled = of_parts(onnx.load_from_string(model), parts)
    session, rng = start_session(compiled, Machine("native")), np.random.default_rng(seed)
    first = wanted = _first(network, rng)
    for name, value in first.items():
        session.write(name, value.astype(np.float32))
    for _ in range(STEPS):
        x, labels = rng.standard_normal((BATCH, network.pixels)), rng.integers(0, CLASSES, BATCH)
        session.step({"x": x.astype(np.float32), "labels": labels})
        wanted = _step(wanted, x.astype(np.float32).astype(np.float64), labels, network.learning_rate)
    for name, value in wanted.items():
        _compare(name, session.read(name).astype(np.float64) - first[name], value - first[name])
    return compiled.cost.cycles


def _first(network: Network, rng: np.random.Generator) -> Parameters:
    """Parameters, of the values that single precision has."""
    drawn = {name: rng.standard_normal(shape) / np.sqrt(shape[-1]) for name, shape in _shapes(network).items()}
    return {name: value.astype(np.float32).astype(np.float64) for name, value in drawn.items()}


def _step(before: Parameters, x: Array, labels: Array, rate: float) -> Parameters:
    """SGD on the mean cross entropy of a batch, in float64."""
    hidden = np.maximum(x @ before["0.weight"].T + before["0.bias"], 0)
    logits = hidden @ before["2.weight"].T + before["2.bias"]
    chance = np.exp(logits - logits.max(1, keepdims=True))
    by_logits = (chance / chance.sum(1, keepdims=True) - np.eye(CLASSES)[labels]) / len(labels)
    by_hidden = (by_logits @ before["2.weight"]) * (hidden > 0)
    gradients = {
        "0.weight": by_hidden.T @ x, "0.bias": by_hidden.sum(0), "2.weight": by_logits.T @ hidden,
        "2.bias": by_logits.sum(0),
    }  # fmt: skip
    return {name: value - rate * gradients[name] for name, value in before.items()}


def _compare(name: str, received: Array, wanted: Array) -> None:
    if received.shape != wanted.shape:
        raise HariboteError(tr("{name} has shape {shape}", name, list(received.shape)))
    error = float(np.abs(received - wanted).max() / np.abs(wanted).max())
    if not error <= TOLERANCE:
        raise HariboteError(
            tr("after {steps} steps {name} is wrong: its change by {error:.1e} of it", STEPS, name, error)
        )  # fmt: skip
