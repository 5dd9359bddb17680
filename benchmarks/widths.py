"""The train step of 784-H-10 on one thread: torch eager, onnxruntime and generated C++ with each Gemm, side by side.

    OPENBLAS_NUM_THREADS=1 python -m benchmarks.widths [16 64 1024] [--batch 256] [--rounds 30]

They take turns in every round, so that a slow moment of the machine hits all alike, and what is timed is processor
time, which others' work lengthens less. Shown are medians over the rounds: of the times, and of each one's time as a
share of torch's in the same round. What is not installed is left out.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haribote.commands.command import run_command
from haribote.cpp.blas import BLAS, BlasMissing
from haribote.network import BATCH, CLASSES, LEARNING_RATE, PIXELS
from haribote.training.backends import TorchBackend, example_batch, initial_parameters
from haribote.training.cpp_backend import CppBackend
from haribote.training.models import mlp

WIDTHS = (16, 32, 64, 128, 256, 512, 1024)
GEMMS = ("tiled", "packed", BLAS)
TORCH, ONNXRUNTIME = "torch", "onnxruntime"
PAUSE = 1e-2  # seconds that one timing takes at least

Step = Callable[[], object]


def main(arguments: list[str] | None = None) -> int:
    """Print a table; exit status 0, or 2 with a message."""
    parser = argparse.ArgumentParser(prog="widths", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("widths", nargs="*", type=int, default=WIDTHS, metavar="H")
    parser.add_argument("--batch", type=int, default=BATCH, metavar="N")
    parser.add_argument("--rounds", type=int, default=30, metavar="R")
    parser.set_defaults(run=_run, command="")
    return run_command(parser, arguments)


def _run(options: argparse.Namespace) -> int:
    print(f"train step of 784-H-10, batch {options.batch}, one thread; median microseconds (share of torch's time)")
    for width in options.widths:
        times = rounds_of(steps(width, options.batch), options.rounds)
        torch = np.array(times[TORCH])
        cells = [f"{n} {1e6 * np.median(t):.0f} ({np.median(np.array(t) / torch):.2f})" for n, t in times.items()]
        print(f"{width:5}  {'  '.join(cells)}", flush=True)
    return 0


def steps(width: int, batch: int) -> dict[str, Step]:
    """By name, a function that does one train step; all on the same batch, each with parameters of its own."""
    import torch

    torch.set_num_threads(1)
    random = np.random.default_rng(0)
    images = random.standard_normal((batch, PIXELS)).astype(np.float32)
    labels = random.integers(0, CLASSES, batch)
    reference = TorchBackend(mlp(PIXELS, width, CLASSES), LEARNING_RATE)
    found: dict[str, Step] = {TORCH: lambda: reference.step(images, labels)}
    runtime = _onnxruntime(width, images, labels)
    if runtime is not None:
        found[ONNXRUNTIME] = runtime
    for gemm in GEMMS:
        try:
            backend = CppBackend(mlp(PIXELS, width, CLASSES), LEARNING_RATE, batch, gemm)
        except BlasMissing:
            continue
        found[gemm] = lambda backend=backend: backend.step(images, labels)  # type: ignore[misc]
    return found


def _onnxruntime(width: int, images: NDArray[Any], labels: NDArray[Any]) -> Step | None:
    """The traced step in onnxruntime, parameters fed back from step to step; None where it is not installed."""
    try:
        import onnxruntime
    except ImportError:
        return None
    from haribote.frontend.torch import trace_step
    from haribote.graph import updates

    model = mlp(PIXELS, width, CLASSES)
    step = trace_step(model, *example_batch(model, len(images), LEARNING_RATE))
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(step.SerializeToString(), options, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    feeds = {**initial_parameters(model), "x": images, "labels": labels}

    def run() -> None:
        results = dict(zip(names, session.run(names, feeds), strict=True))
        feeds.update({parameter: results[after] for parameter, after in updates(step).items()})

    return run


def rounds_of(actions: dict[str, Step], rounds: int) -> dict[str, list[float]]:
    """Seconds of each action in each round."""
    repeats = {
        name: max(1, int(PAUSE / min(_seconds(action, 1) for _ in range(3)))) for name, action in actions.items()
    }
    times: dict[str, list[float]] = {name: [] for name in actions}
    for _ in range(rounds):
        for name, action in actions.items():
            times[name].append(_seconds(action, repeats[name]))
    return times


def _seconds(action: Step, repeats: int) -> float:
    start = time.process_time()
    for _ in range(repeats):
        action()
    return (time.process_time() - start) / repeats


if __name__ == "__main__":
    sys.exit(main())
