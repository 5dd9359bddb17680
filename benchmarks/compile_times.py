"""CPU seconds that compiling takes at -O2 with empty caches, by stage, and the cycles of what comes out.

    python -m benchmarks.compile_times [784-16-10 784-256-10 norm block blocks vit lenet] [--json] [--profile FILE]

Train steps (`784-16-10`, `784-256-10`: batch 256; `lenet`: batch 64) are compiled as `benchmarks.shapes` does. The
others go through torch.compile, forward and backward, `vit` forward only: all of the first call counts, tracing and
its run too. `cpu s` are those of all processes, imports apart; stages are those of `haribote compile --report`, and
`the rest` is tracing, running, and what has no stage. `cycles`: serial and overlapped, of all graphs together.

Each is measured in a process of its own. `--profile FILE` writes what cProfile sees of the last one (which then takes
about twice as long), to be read with `python -m pstats FILE`.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import os
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

from benchmarks.shapes import cpu_seconds, mlp_model, row_in_a_new_process
from haribote.chip.program import Compiled
from haribote.commands.command import run_command
from haribote.errors import HariboteError
from haribote.progress import listening
from simulator.cache import VARIABLE

Row = dict[str, Any]
Compile = Callable[[], tuple[float, float]]
"""Compiles something, and returns the cycles of its programs, serial and overlapped."""
HEAD = "what           cpu s    serial  overlapped   stages"


def step(widths: str) -> Compile:
    """A train step of linear layers, batch 256."""
    return _graph(mlp_model(f"{widths}:256")[0])


def lenet() -> Compile:
    """The train step of LeNet, batch 64."""
    from haribote.frontend.torch import trace_step
    from haribote.network import LEARNING_RATE
    from haribote.training.backends import example_batch
    from haribote.training.models import lenet as model

    network = model(seed=1)
    return _graph(trace_step(network, *example_batch(network, 64, LEARNING_RATE)))


def _graph(model: Any) -> Compile:
    import haribote.stack.planner.search  # noqa: F401 -- what compiling imports is there by now
    from haribote.compiler import compile_stack

    def compile_it() -> tuple[float, float]:
        cost = compile_stack(model).cost
        return cost.cycles, cost.fewest

    return compile_it


def traced(network: Any, shape: tuple[int, ...], inference: bool = False) -> Compile:
    """A module through torch.compile."""
    import torch

    import haribote.stack.planner.search  # noqa: F401 -- what compiling imports is there by now
    from haribote.compiler import compile_for_sim
    from haribote.frontend import compiled
    from haribote.frontend.dynamo import StaysWithPyTorch, backend

    warnings.simplefilter("ignore", StaysWithPyTorch)
    torch.set_num_threads(1)
    torch.manual_seed(0)
    first: Any = torch.compile(torch.nn.ReLU(), backend=backend, options={"device": "host"})
    first(torch.ones(1, requires_grad=True)).sum().backward()  # all that torch.compile imports
    module, x = network(), torch.randn(shape)
    found: list[Compiled] = []

    def noted(*given: Any, **named: Any) -> Compiled:
        found.append(compile_for_sim(*given, **named))
        return found[-1]

    def compile_it() -> tuple[float, float]:
        fast: Any = torch.compile(module, backend=backend, options={"device": "chip"})
        with patch.object(compiled, "compile_for_sim", noted):
            if inference:
                with torch.no_grad():
                    fast(x)
            else:
                fast(x).square().sum().backward()
        costs = [one.cost for one in found]
        serial = sum(cost.cycles for cost in costs)
        return serial, sum(cost.fewest for cost in costs)

    return compile_it


def norm() -> Compile:
    """Linear-GELU-LayerNorm-Linear."""
    from torch import nn

    def network() -> nn.Module:
        return nn.Sequential(nn.Linear(64, 32), nn.GELU(), nn.LayerNorm(32), nn.Linear(32, 10))

    return traced(network, (32, 64))


def block(count: int = 1) -> Compile:
    """Transformer blocks, width 32, 16 tokens, batch 4."""
    from torch import nn

    from benchmarks.torch_compile import Block

    return traced(lambda: nn.Sequential(*(Block(32, 4) for _ in range(count))), (4, 16, 32))


def vit() -> Compile:
    """Images of 32 pixels in patches of 4, a token in front, a block 64 wide, ten classes; inference."""
    import torch
    from torch import Tensor, nn

    from benchmarks.torch_compile import Block

    class Vision(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.patches = nn.Conv2d(3, 64, 4, stride=4)
            self.first, self.places = nn.Parameter(torch.randn(1, 1, 64)), nn.Parameter(torch.randn(1, 65, 64))
            self.block, self.norm, self.head = Block(64, 4), nn.LayerNorm(64), nn.Linear(64, 10)

        def forward(self, x: Tensor) -> Tensor:
            x = self.patches(x).flatten(2).transpose(1, 2)
            x = torch.cat([self.first.expand(len(x), -1, -1), x], 1) + self.places
            found: Tensor = self.head(self.norm(self.block(x)[:, 0]))
            return found

    return traced(Vision, (1, 3, 32, 32), inference=True)


MODELS: dict[str, Callable[[], Compile]] = {
    "784-16-10": lambda: step("784-16-10"),
    "784-256-10": lambda: step("784-256-10"),
    "norm": norm,
    "block": block,
    "blocks": lambda: block(3),
    "vit": vit,
    "lenet": lenet,
}


def main(arguments: list[str] | None = None) -> int:
    """Print a table; exit status 0, 1 where something could not be compiled, or 2 with a message."""
    parser = argparse.ArgumentParser(prog="compile_times", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("models", nargs="*", metavar="MODEL", help=", ".join(MODELS))
    parser.add_argument("--json", action="store_true", help="an object a line")
    parser.add_argument("--profile", type=Path, metavar="FILE", help="write what cProfile sees of the last one")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)  # measure in this process
    parser.set_defaults(run=_run, command="")
    return run_command(parser, arguments)


def _run(given: argparse.Namespace) -> int:
    """Raises HariboteError for a model that there is not."""
    if unknown := [name for name in given.models if name not in MODELS]:
        raise HariboteError(f"there is no model {unknown[0]!r}", f"one of {', '.join(MODELS)}")
    if given.here:
        print(json.dumps(measured(given.models[0], given.profile)))
        return 0
    if not given.json:
        print(HEAD, flush=True)
    failed = False
    for name in given.models or MODELS:
        profile = ["--profile", str(given.profile)] if given.profile else []
        row = row_in_a_new_process("benchmarks.compile_times", name, *profile)
        failed = failed or row is None
        if row is not None:
            print(json.dumps(row) if given.json else _line(row), flush=True)
    return int(failed)


def _line(row: Row) -> str:
    stages = ", ".join(f"{name} {seconds:.1f}" for name, seconds in row["stages"].items())
    return f"{row['what']:12} {row['cpu_s']:7.1f} {row['serial']:9,.0f} {row['overlapped']:11,.0f}   {stages}"


def measured(name: str, profile: Path | None = None) -> Row:
    """The row of a model, compiled with empty caches."""
    from haribote.chip.runtime import fastest_machine

    fastest_machine()  # built before the caches are empty
    compile_it = MODELS[name]()
    with tempfile.TemporaryDirectory(prefix="compile-") as folder, listening() as watch:
        os.environ[VARIABLE] = folder
        begin = cpu_seconds()
        if profile is None:
            serial, overlapped = compile_it()
        else:
            with cProfile.Profile(time.process_time) as seen:
                serial, overlapped = compile_it()
            seen.dump_stats(profile)
        used = cpu_seconds() - begin
    stages = {**watch.seconds, "the rest": used - sum(watch.seconds.values())}
    figures = {stage: round(seconds, 2) for stage, seconds in stages.items()}
    return {"what": name, "cpu_s": round(used, 2), "serial": serial, "overlapped": overlapped, "stages": figures}


if __name__ == "__main__":
    sys.exit(main())
