"""How long a train step takes, generated C++ beside torch, and each Gemm template beside the others.

    python -m haribote.lessons.cpp_times [--hidden 16] [--batch 256] [--rounds 30]

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
from haribote.cpp.session import Session, sessions
from haribote.graph import Builder
from haribote.network import BATCH, CLASSES, HIDDEN, LEARNING_RATE, PIXELS
from haribote.training.backends import Backend, TorchBackend
from haribote.training.cpp_backend import CppBackend
from haribote.training.models import mlp
from simulator.console import Parser
from simulator.messages import say, tr

_PAUSE = 2e-3  # seconds that one timing takes at least


def main() -> int:
    """Print the tables; exit status 0, or 2 with a message."""
    parser = Parser(
        prog="haribote.lessons.cpp_times",
        description=tr(
            "How long a train step takes, generated C++ beside torch, and each Gemm template beside the others."
        ),
    )
    parser.add_argument("--hidden", type=int, default=HIDDEN, metavar="H")
    parser.add_argument("--batch", type=int, default=BATCH, metavar="N")
    parser.add_argument(
        "--rounds", type=int, default=30, metavar="R", help=tr("timings of each; the median counts (30)")
    )
    parser.set_defaults(run=_run, command="")
    return run_command(parser)


def _run(options: argparse.Namespace) -> int:
    say(compare_steps(options.hidden, options.batch, options.rounds))
    say(compare_products(options.hidden, options.batch, options.rounds))
    return 0


def compare_steps(hidden: int, batch: int, rounds: int) -> str:
    """A table of the train step of 784-hidden-10: torch eager, and C++ with each Gemm template."""
    times = step_times(hidden, batch, rounds)
    rows = [tr("train step of 784-{hidden}-10, batch {batch}, one thread:", hidden=hidden, batch=batch)]
    for name, seconds in times.items():
        rows.append(
            tr(
                "  {name:14} {value:9.0f} us  {value2:6.2f} of torch's time",
                name=name,
                value=1e6 * seconds,
                value2=seconds / times["torch eager"],
            )
        )
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
        rows.append(tr("Gemm {title}, {a}x{a2} and {b}x{b2}:", title=title, a=a[0], a2=a[1], b=b[0], b2=b[1]))
        for name, seconds in times.items():
            speed = 2e-9 * batch * PIXELS * hidden / seconds
            rows.append(
                tr(
                    "  {name:14} {value:9.0f} us  {speed:7.1f} GFLOP/s  {value2:5.1f} x naive",
                    name=name,
                    value=1e6 * seconds,
                    speed=speed,
                    value2=times["naive"] / seconds,
                )
            )
    return "\n".join(rows)


def product(a: tuple[int, ...], b: tuple[int, ...], forms: Mapping[str, Any], algorithm: str) -> Session:
    """One Gemm of random matrices of these shapes, ready to run."""
    builder = Builder("product")
    builder.output(
        builder.op("Gemm", builder.input("a", a, "float32"), builder.input("b", b, "float32"), name="y", **forms)
    )
    session = sessions({"product": builder.finish()}, algorithm)["product"]
    random = np.random.default_rng(1)
    for name, shape in (("a", a), ("b", b)):
        session.write(name, random.standard_normal(shape).astype(np.float32))
    return session


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
