"""How long a train step takes, generated C++ beside torch, and each Gemm template beside the others.

    python -m benchmarks.cpp_times [--hidden 16] [--batch 256] [--rounds 30]

Everything runs on one thread, in turn within each round, so that a slow moment of the machine hits all alike.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haribote.commands.command import run_command
from haribote.cpp.operators import ALGORITHMS
from haribote.lessons.cpp import product
from haribote.network import BATCH, CLASSES, HIDDEN, LEARNING_RATE, PIXELS
from haribote.training.backends import Backend, TorchBackend
from haribote.training.cpp_backend import CppBackend
from haribote.training.models import mlp
from simulator.console import Parser

_PAUSE = 2e-3  # seconds that one timing takes at least


def main() -> int:
    """Print the tables; exit status 0, or 2 with a message."""
    parser = Parser(
        prog="benchmarks.cpp_times",
        description="How long a train step takes: C++ beside torch, and each Gemm template beside the others.",
    )
    parser.add_argument("--hidden", type=int, default=HIDDEN, metavar="H")
    parser.add_argument("--batch", type=int, default=BATCH, metavar="N")
    parser.add_argument("--rounds", type=int, default=30, metavar="R", help="timings of each; the median counts (30)")
    parser.set_defaults(run=_run, command="")
    return run_command(parser)


def _run(options: argparse.Namespace) -> int:
    print(compare_steps(options.hidden, options.batch, options.rounds))
    print(compare_products(options.hidden, options.batch, options.rounds))
    return 0


def compare_steps(hidden: int, batch: int, rounds: int) -> str:
    """A table of the train step of 784-hidden-10: torch eager, and C++ with each Gemm template."""
    times = step_times(hidden, batch, rounds)
    rows = [f"train step of 784-{hidden}-10, batch {batch}, one thread:"]
    for name, seconds in times.items():
        rows.append(f"  {name:14} {1e6 * seconds:9.0f} us  {seconds / times['torch eager']:6.2f} of torch's time")
    return "\n".join(rows)


def step_times(hidden: int, batch: int, rounds: int) -> dict[str, float]:
    """Median seconds of the train step of 784-hidden-10 on one thread: torch eager, C++ with each Gemm template."""
    import torch

    torch.set_num_threads(1)
    random = np.random.default_rng(0)
    images = random.standard_normal((batch, PIXELS)).astype(np.float32)
    labels = random.integers(0, CLASSES, batch)

    def model() -> Any:
        return mlp(PIXELS, hidden, CLASSES)

    backends: dict[str, Backend] = {"torch eager": TorchBackend(model(), LEARNING_RATE)}
    backends |= {f"C++ {name}": CppBackend(model(), LEARNING_RATE, batch, name) for name in ALGORITHMS}
    return measure({name: _step(backend, images, labels) for name, backend in backends.items()}, rounds)


def compare_products(hidden: int, batch: int, rounds: int) -> str:
    """A table of the step's two large products by each Gemm template: forward x Wt, and the gradient gt x."""
    shapes = {
        "x Wt": ((batch, PIXELS), (hidden, PIXELS), {"transB": 1}),
        "gt x": ((batch, hidden), (batch, PIXELS), {"transA": 1}),
    }
    rows = []
    for title, (a, b, forms) in shapes.items():
        times = measure({name: product(a, b, forms, name).run for name in ALGORITHMS}, rounds)
        rows.append(f"Gemm {title}, {a[0]}x{a[1]} and {b[0]}x{b[1]}:")
        for name, seconds in times.items():
            speed = 2e-9 * batch * PIXELS * hidden / seconds
            faster = times["naive"] / seconds
            rows.append(f"  {name:14} {1e6 * seconds:9.0f} us  {speed:7.1f} GFLOP/s  {faster:5.1f} x naive")
    return "\n".join(rows)


def measure(actions: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Median seconds of each action; they take turns, round by round."""
    repeats = {name: max(1, int(_PAUSE / _seconds(action, 3))) for name, action in actions.items()}
    times: dict[str, list[float]] = {name: [] for name in actions}
    for _ in range(rounds):
        for name, action in actions.items():
            times[name].append(_seconds(action, repeats[name]))
    return {name: float(np.median(values)) for name, values in times.items()}


def _seconds(action: Callable[[], object], repeats: int) -> float:
    start = time.perf_counter()
    for _ in range(repeats):
        action()
    return (time.perf_counter() - start) / repeats


def _step(backend: Backend, images: NDArray[np.float32], labels: NDArray[Any]) -> Callable[[], object]:
    return lambda: backend.step(images, labels)


if __name__ == "__main__":
    sys.exit(main())
