"""A program's steps on the device and by `jax.jit`, side by side: how far apart, and how long each takes."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import jax
import numpy as np

from haribote.commands.command import run_command
from haribote.errors import HariboteError
from haribote.jax.mnjit import Mnjit, mnjit
from simulator.console import Parser

Advance = Callable[[Callable[..., Any], Any, int], Any]
"""(the compiled function, state, number of the step) -> next state"""


@dataclass
class Times:
    """Seconds of a function's calls."""

    calls: list[float] = field(default_factory=list)

    def of(self, work: Callable[[], Any]) -> Any:
        """What the work gives, all of it computed."""
        start = time.perf_counter()
        result = jax.block_until_ready(work())
        self.calls.append(time.perf_counter() - start)
        return result

    def __str__(self) -> str:
        rest = self.calls[1:] or [float("nan")]
        return f"first call {self.calls[0]:.2f} s, then {1000 * float(np.median(rest)):.2f} ms"


@dataclass
class Race:
    """One function twice: by `mnjit` and by `jax.jit`.

    Attributes:
        state: where the device is; reference: where `jax.jit` is, on its own since the start.
        differences: of each step from the same state, the largest of all arrays, in terms of the largest element that
            each array has had so far: forces that vanish are small against what they were.
    """

    function: Callable[..., Any]
    advance: Advance
    state: Any
    options: dict[str, Any]
    ours: Mnjit = field(init=False)
    differences: list[float] = field(default_factory=list)
    our_times: Times = field(default_factory=Times)
    jax_times: Times = field(default_factory=Times)

    def __post_init__(self) -> None:
        self.ours = mnjit(self.function, **self.options)
        self.theirs = jax.jit(self.function)
        self.reference, self.number = self.state, 0
        self.scales = [0.0 for _ in jax.tree_util.tree_leaves(self.state)]

    def step(self) -> float:
        """One step of both; the difference between them from the same state."""
        wanted = self.advance(self.theirs, self.state, self.number)
        self.reference = self.jax_times.of(lambda: self.advance(self.theirs, self.reference, self.number))
        self.state = self.our_times.of(lambda: self.advance(self.ours, self.state, self.number))
        self.scales = [max(scale, largest(leaf)) for scale, leaf in zip(self.scales, leaves(wanted), strict=True)]
        self.differences.append(apart(self.state, wanted, self.scales))
        self.number += 1
        return self.differences[-1]

    def report(self) -> str:
        """Lines for the user: differences, times, and of the chip what runs there at which cost."""
        program = list(self.ours.cache.values())[-1].program
        cycles = f", {program.cycles:,.0f} cycles a step" if program.cycles else ""
        return "\n".join(
            (
                f"{self.number} steps; on chip {program.coverage} nodes{cycles}",
                f"a step from the same state differs from jax.jit by at most {max(self.differences):.1e} "
                f"(median {float(np.median(self.differences)):.1e}); "
                f"after {self.number} steps apart {apart(self.state, self.reference, self.scales):.1e}",
                f"mnjit:   {self.our_times} a step",
                f"jax.jit: {self.jax_times} a step",
            )
        )


def leaves(state: Any) -> list[np.ndarray[Any, Any]]:
    """All arrays of a state, as float64."""
    return [np.asarray(leaf, np.float64) for leaf in jax.tree_util.tree_leaves(state)]


def largest(array: np.ndarray[Any, Any]) -> float:
    """The largest element, by magnitude."""
    return float(np.abs(array).max(initial=0))


def apart(state: Any, other: Any, scales: Sequence[float]) -> float:
    """The largest difference of two states, of each array in terms of its scale."""
    pairs = zip(leaves(state), leaves(other), scales, strict=True)
    return max(largest(a - b) / (scale or 1.0) for a, b, scale in pairs)


def parser(name: str, what: str | None, steps: int) -> argparse.ArgumentParser:
    """The options of all programs."""
    result = Parser(prog=f"python -m benchmarks.jax_programs.{name}", description=what)
    result.add_argument("--device", choices=("chip", "host"), default="chip", help="where the graphs run")
    result.add_argument("--steps", type=int, default=steps, help=f"how many (default {steps})")
    result.add_argument("--precision", choices=("float", "mixed", "half"), default="float", help="of products")
    return result


def shown(count: int, most: int = 40, early: bool = False) -> list[int]:
    """Which of `count` states a moving picture shows, the first and the last among them; early: more of the first."""
    even = np.geomspace(1, count, most) - 1 if early else np.linspace(0, count - 1, most)
    return sorted({round(float(number)) for number in even})


def options(arguments: argparse.Namespace, state: int = 0) -> dict[str, Any]:
    """What `mnjit` is given. state: the number of the argument that stays on the device from step to step."""
    if arguments.steps < 1:
        raise HariboteError(f"--steps {arguments.steps}: at least one")
    return {"device": arguments.device, "precision": arguments.precision, "donate_argnums": state}


def run(build: argparse.ArgumentParser, work: Callable[[argparse.Namespace], int]) -> int:
    """Parse the command line and work; the exit status, a user's mistake told in words."""
    build.set_defaults(run=work)
    return run_command(build)
