"""What a train step costs at each level of the compiler, whether -O1 gives the bits of -O0, and how near all of them
are to the graph's reference evaluator.

    python -m benchmarks.levels [784-16-10:256 1024-256-10:64:0.9 …] [--levels 0 1 2] [--steps 3]

Networks are widths, a batch and, where there is one, the momentum of SGD. `compile` is processor time in this process,
the first time and again, when what is kept in the cache folder is found there. Losses and all parameters after some
steps are compared: `bits` with those at the first level, `error`, the largest of any parameter, with the reference.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray

from haribote.chip.program import Compiled
from haribote.commands.command import run_command
from haribote.compiler import LEVELS, compile_for_sim, start_session
from haribote.frontend.torch import trace_step
from haribote.graph import Index, evaluate, updates
from haribote.training.backends import example_batch, initial_parameters
from haribote.training.models import mlp

NETWORKS = ("784-16-10:256", "784-128-10:256", "1024-256-10:256", "784-32-16-10:256")
HEAD = (
    "network            level  steps   nops   MV  MV words    cycles  before scheduling  compile s again s bits error"
)
Values = dict[str, NDArray[Any]]
Batch = Mapping[str, NDArray[Any]]


def main(arguments: list[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="levels", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("networks", nargs="*", default=NETWORKS, metavar="WIDTHS:BATCH")
    parser.add_argument("--levels", type=int, nargs="+", choices=LEVELS, default=(0, 1))
    parser.add_argument("--steps", type=int, default=3, help="train steps that are compared; 0 compares nothing")
    parser.set_defaults(run=_run, command="")
    return run_command(parser, arguments)


def _run(options: argparse.Namespace) -> int:
    print(HEAD)
    for network in options.networks:
        widths, size, momentum = [*network.split(":"), "", ""][:3]
        traced = _traced([int(width) for width in widths.split("-")], int(size or 256), float(momentum or 0))
        _measure(network, traced, options.levels, options.steps)
    return 0


def _traced(widths: Sequence[int], size: int, momentum: float) -> tuple[onnx.ModelProto, Values]:
    """The graph of a train step, and the values of its parameters before the first; states of momentum are zeros."""
    model = mlp(*widths, seed=1)
    optimiser, x, labels = example_batch(model, size, 0.1)
    for group in optimiser.param_groups:
        group["momentum"] = momentum
    traced = trace_step(model, optimiser, x, labels)
    index, known = Index(traced), initial_parameters(model)
    zeros = {name: np.zeros(index.shape[name], index.dtype[name]) for name in updates(traced)}
    return traced, zeros | known


def _measure(network: str, traced: tuple[onnx.ModelProto, Values], levels: Sequence[int], steps: int) -> None:
    model, values = traced
    wanted = _reference(model, values, steps)
    first: Values | None = None
    for level in levels:
        seconds, compiled = _compiled(model, level)
        again, _ = _compiled(model, level)
        found = _trained(compiled, values, _batches(model, steps)) if steps else {}
        first = found if first is None else first
        bits = all(found[name].tobytes() == first[name].tobytes() for name in found)
        same = "" if level == levels[0] or not steps else "same" if bits else "other"
        cost, before = compiled.cost, compiled.unscheduled
        then = "" if before is None else f"{before.steps:,} steps, {before.cycles:,.0f}"
        apart = f"{max(np.abs(found[name] - wanted[name]).max() for name in values):.1e}" if steps else ""
        print(f"{network:<18} -O{level} {cost.steps:>9,} {cost.nops:>6,} {cost.moves:>4} {cost.move_words:>9,} "
              f"{cost.cycles:>9,.0f} {then:>18} {seconds:>10.1f} {again:>7.1f} "
              f"{same:<4} {apart}", flush=True)  # fmt: skip


def _compiled(traced: onnx.ModelProto, level: int) -> tuple[float, Compiled]:
    """Processor seconds, and what was made."""
    start = time.process_time()
    compiled = compile_for_sim(traced, True, level=level)
    return time.process_time() - start, compiled


def _batches(model: onnx.ModelProto, steps: int) -> Iterator[Batch]:
    """Random images and labels, the same for every level."""
    (size, features), classes = Index(model).shape["x"], Index(model).shape["logits"][1]
    random = np.random.default_rng(0)
    for _ in range(steps):
        images = random.uniform(-0.43, 2.82, (size, features)).astype(np.float32)
        yield {"x": images, "labels": random.integers(0, classes, size)}


def _reference(model: onnx.ModelProto, values: Values, steps: int) -> Values:
    """The parameters after some steps by ONNX's own evaluator."""
    now = dict(values)
    for batch in _batches(model, steps):
        found = evaluate(model, {**now, **batch})
        now = {name: found[after] for name, after in updates(model).items()}
    return now


def _trained(compiled: Compiled, values: Values, batches: Iterable[Batch]) -> Values:
    """The losses and the parameters at the end."""
    session, losses = start_session(compiled), []
    for name, value in values.items():
        session.write(name, value)
    for batch in batches:
        session.step(batch)
        losses.append(np.asarray(session.read("loss")))
    return {"losses": np.array(losses), **{name: np.asarray(session.read(name)) for name in values}}


if __name__ == "__main__":
    sys.exit(main())
