"""What a train step costs at each level of the compiler, and whether -O1 gives the bits of -O0.

    python -m benchmarks.levels [784-16-10:256 …] [--levels 0 1 2] [--steps 3]

Networks are widths and a batch. `compile` is processor time in this process, the first time and again, when what is
kept in the cache folder is found there; `bits` compares losses and all parameters after some steps with those at -O0.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence

import numpy as np
import onnx

from haribote.chip.program import Compiled
from haribote.commands.command import run_command
from haribote.compiler import LEVELS, compile_for_sim, start_session
from haribote.frontend.torch import trace_step
from haribote.training.backends import example_batch, initial_parameters
from haribote.training.models import mlp

NETWORKS = ("784-16-10:256", "784-128-10:256", "1024-256-10:256", "784-32-16-10:256")
HEAD = "network           level  steps   nops   MV  MV words    cycles  before scheduling  compile s  again s  bits"
Bits = tuple[bytes, ...]


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
        widths, _, size = network.partition(":")
        _measure(network, [int(width) for width in widths.split("-")], int(size or 256), options.levels, options.steps)
    return 0


def _measure(network: str, widths: Sequence[int], size: int, levels: Sequence[int], steps: int) -> None:
    model = mlp(*widths, seed=1)
    traced = trace_step(model, *example_batch(model, size, 0.1))
    values = initial_parameters(model)
    first: Bits | None = None
    for level in levels:
        seconds, compiled = _compiled(traced, level)
        again, _ = _compiled(traced, level)
        found = _trained(compiled, values, widths, size, steps) if steps else None
        first = found if first is None else first
        same = "" if level == levels[0] or not steps else "same" if found == first else "other"
        cost, before = compiled.cost, compiled.unscheduled
        then = "" if before is None else f"{before.steps:,} steps, {before.cycles:,.0f}"
        print(f"{network:<17} -O{level} {cost.steps:>9,} {cost.nops:>6,} {cost.moves:>4} {cost.move_words:>9,} "
              f"{cost.cycles:>9,.0f} {then:>18} {seconds:>10.1f} {again:>8.1f}  {same}", flush=True)  # fmt: skip


def _compiled(traced: onnx.ModelProto, level: int) -> tuple[float, Compiled]:
    """Processor seconds, and what was made."""
    start = time.process_time()
    compiled = compile_for_sim(traced, True, level=level)
    return time.process_time() - start, compiled


def _trained(compiled: Compiled, values: dict[str, np.ndarray], widths: Sequence[int], size: int, steps: int) -> Bits:
    """The losses and the parameters at the end."""
    session, random, losses = start_session(compiled), np.random.default_rng(0), []
    for name, value in values.items():
        session.write(name, value)
    for _ in range(steps):
        images = random.uniform(-0.43, 2.82, (size, widths[0])).astype(np.float32)
        session.step({"x": images, "labels": random.integers(0, widths[-1], size)})
        losses.append(np.asarray(session.read("loss")).tobytes())
    return (*losses, *(np.asarray(session.read(name)).tobytes() for name in values))


if __name__ == "__main__":
    sys.exit(main())
