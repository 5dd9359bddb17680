"""torch.compile(model, backend="haribote") beside eager PyTorch: a first and a second call, in one run.

    python -m benchmarks.torch_compile [mlp block] [--device chip] [--inference] [--rounds 5]

A call is forward and backward pass, with --inference the forward pass without gradients. The first one compiles, unless
the cache on disk has the programs; second calls and eager ones (one thread) take turns, shown are medians. Crossing
words are those of the second call, with the same parameters and another batch.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from haribote.commands.command import run_command
from haribote.errors import HariboteError
from haribote.frontend.dynamo import StaysWithPyTorch, backend, explain, traffic


class Block(nn.Module):
    """A transformer block without dropout: layer norm, attention, GELU."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.before, self.between = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = nn.MultiheadAttention(width, heads, batch_first=True)
        self.mlp = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))

    def forward(self, x: Tensor) -> Tensor:
        """[batch, positions, width] to the same."""
        y = self.before(x)
        x = x + self.attention(y, y, y, need_weights=False)[0]
        result: Tensor = x + self.mlp(self.between(x))
        return result


def lenet() -> nn.Module:
    """Two convolutions with pooling, two Linear layers; images of 12x12."""
    first = [nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)]
    second = [nn.Conv2d(4, 6, 3), nn.ReLU(), nn.MaxPool2d(2)]
    return nn.Sequential(*first, *second, nn.Flatten(), nn.Linear(24, 12), nn.ReLU(), nn.Linear(12, 10))


MODELS: dict[str, tuple[Callable[[], nn.Module], tuple[int, ...]]] = {
    "mlp": (lambda: nn.Sequential(nn.Linear(784, 16), nn.ReLU(), nn.Linear(16, 10)), (256, 784)),
    "norm": (lambda: nn.Sequential(nn.Linear(64, 32), nn.LayerNorm(32), nn.GELU(), nn.Linear(32, 10)), (32, 64)),
    "lenet": (lenet, (8, 1, 12, 12)),
    "block": (lambda: Block(16, 2), (2, 8, 16)),
}
"""What makes a model, and the shape of its input."""


def main(arguments: list[str] | None = None) -> int:
    """Print a table; exit status 0, or 2 with a message."""
    parser = argparse.ArgumentParser(prog="torch_compile", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("models", nargs="*", default=list(MODELS), metavar="MODEL", help=", ".join(MODELS))
    parser.add_argument("--device", choices=("chip", "host"), default="chip")
    parser.add_argument("--inference", action="store_true")
    parser.add_argument("--rounds", type=int, default=5)
    parser.set_defaults(run=_print)
    return run_command(parser, arguments)


def _print(given: argparse.Namespace) -> int:
    """Raises HariboteError for a model that there is not."""
    if unknown := [name for name in given.models if name not in MODELS]:
        raise HariboteError(f"there is no model {unknown[0]!r}", f"one of {', '.join(MODELS)}")
    torch.set_num_threads(1)
    print("| model | operations | cycles | first call | second call | eager | crossing words: written, kept, read |")
    print("|---|---|---|---|---|---|---|", flush=True)
    for name in given.models:
        print(row(name, given.device, given.inference, given.rounds), flush=True)
    return 0


def row(name: str, device: str, inference: bool, rounds: int) -> str:
    """One model's line of the table."""
    make, shape = MODELS[name]
    torch.manual_seed(0)
    model = make()
    options: dict[str, Any] = {"device": device}
    fast = torch.compile(model, backend=backend, options=options)
    warnings.simplefilter("ignore", StaysWithPyTorch)

    def call(function: Any) -> float:
        x = torch.randn(shape)
        start = time.perf_counter()
        if inference:
            with torch.no_grad():
                function(x)
        else:
            function(x).square().sum().backward()
        return time.perf_counter() - start

    first = call(fast)
    with traffic() as crossed:
        call(fast)
    call(model)
    pairs = [(call(fast), call(model)) for _ in range(rounds)]
    second, eager = (statistics.median(times) for times in zip(*pairs, strict=True))
    with torch.set_grad_enabled(not inference):
        found = explain(model, torch.randn(shape), options=options)
    cycles = "" if found.cycles is None else f"{found.cycles:,.0f}"
    words = f"{crossed.written:,}, {crossed.kept:,}, {crossed.read:,}"
    times = f"{first:.1f} s | {1e3 * second:.1f} ms | {1e3 * eager:.2f} ms"
    return f"| {name} | {found.coverage} | {cycles} | {times} | {words} |"


if __name__ == "__main__":
    sys.exit(main())
