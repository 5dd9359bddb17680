"""What a train step costs at each level of the compiler, whether -O1 gives the bits of -O0, and how near all of them
are to the graph's reference evaluator.

    python -m benchmarks.levels [784-16-10:256 1024-256-10:64:0.9 lenet:64 …] [--levels 0 1 2] [--steps 3]

Networks are widths or `lenet`, a batch and, where there is one, the momentum of SGD. `on chip` counts nodes, `beside`
the cycles where moves run beside steps. `compile` is processor time in this process, the first time and again, when
what is kept in the cache folder is found there. `ms` is the wall time of a step, the least of those that are compared.
Losses and all parameters after them are compared: `bits` with those at the first level, `error`, the largest of any
parameter, with the reference.
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
from haribote.errors import HariboteError
from haribote.frontend.torch import trace_step
from haribote.graph import Index, evaluate, updates
from haribote.training.backends import example_batch, initial_parameters
from haribote.training.models import lenet, mlp

NETWORKS = ("784-16-10:256", "784-128-10:256", "1024-256-10:256", "784-32-16-10:256")
HEAD = (
    "network            level   on chip  steps   nops    MV   MV words    cycles    beside   before scheduling "
    "compile s again s    ms bits error"
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
        traced = _traced(widths, int(size or 256), float(momentum or 0))
        _measure(network, traced, options.levels, options.steps)
    return 0


def _traced(widths: str, size: int, momentum: float) -> tuple[onnx.ModelProto, Values]:
    """The graph of a train step, and the values of its parameters before the first; states of momentum are zeros."""
    model = lenet(seed=1) if widths == "lenet" else mlp(*map(int, widths.split("-")), seed=1)
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
        try:
            seconds, compiled = _compiled(model, level)
        except HariboteError as error:  # kernels are written for some shapes
            print(f"{network:<18} -O{level}           - {str(error).splitlines()[0]}", flush=True)
            continue
        again, _ = _compiled(model, level)
        found, wall = _trained(compiled, values, _batches(model, steps))
        first = found if first is None else first
        bits = all(found[name].tobytes() == first[name].tobytes() for name in found)
        same = "" if first is found or not steps else "same" if bits else "other"
        cost, before = compiled.cost, compiled.unscheduled
        then = "" if before is None else f"{before.steps:,} steps, {before.cycles:,.0f}"
        apart = f"{max(np.abs(found[name] - wanted[name]).max() for name in values):.1e}" if steps else ""
        beside = "" if cost.overlapped is None else f"{cost.overlapped:,.0f}"
        print(f"{network:<18} -O{level} {f'{compiled.chip_count}/{compiled.node_count}':>11} {cost.steps:>6,} "
              f"{cost.nops:>6,} {cost.moves:>5,} {cost.move_words:>10,} {cost.cycles:>9,.0f} {beside:>9} {then:>19} "
              f"{seconds:>9.1f} {again:>7.1f} {wall:>5} {same:<4} {apart}", flush=True)  # fmt: skip


def _compiled(traced: onnx.ModelProto, level: int) -> tuple[float, Compiled]:
    """Processor seconds, and what was made."""
    start = time.process_time()
    compiled = compile_for_sim(traced, True, level=level)
    return time.process_time() - start, compiled


def _batches(model: onnx.ModelProto, steps: int) -> Iterator[Batch]:
    """Random images and labels, the same for every level."""
    shape, classes = Index(model).shape["x"], Index(model).shape["logits"][1]
    random = np.random.default_rng(0)
    for _ in range(steps):
        images = random.uniform(-0.43, 2.82, shape).astype(np.float32)
        yield {"x": images, "labels": random.integers(0, classes, shape[0])}


def _reference(model: onnx.ModelProto, values: Values, steps: int) -> Values:
    """The parameters after some steps by ONNX's own evaluator."""
    now = dict(values)
    for batch in _batches(model, steps):
        found = evaluate(model, {**now, **batch})
        now = {name: found[after] for name, after in updates(model).items()}
    return now


def _trained(compiled: Compiled, values: Values, batches: Iterable[Batch]) -> tuple[Values, str]:
    """The losses and the parameters at the end, and the least milliseconds of a step, "" where there was none."""
    session, losses, times = start_session(compiled), [], []
    for name, value in values.items():
        session.write(name, value)
    for batch in batches:
        start = time.perf_counter()
        session.step(batch)
        losses.append(np.asarray(session.read("loss")))
        times.append(1e3 * (time.perf_counter() - start))
    found = {"losses": np.array(losses), **{name: np.asarray(session.read(name)) for name in values}}
    return found, f"{min(times):.1f}" if times else ""


if __name__ == "__main__":
    sys.exit(main())
