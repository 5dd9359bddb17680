"""Random graphs at -O2 on the simulated chip, compared with the reference evaluator.

    python -m benchmarks.graphs --graphs 2000 --seed 0 [--kinds gather scatter_nd …]

A failure is printed with its seed and the graph as text; `--graphs 1 --seed N` repeats it. The exit status is 1 where
there was one.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Mapping

import numpy as np
import onnx

from benchmarks.random_graphs import KINDS, Array, Case, random_graph
from haribote.graph import evaluate
from haribote.stack.program.compiled import planned
from haribote.stack.program.session import session_of
from haribote.stack.program.shortest import build
from simulator import Machine

TOLERANCE = 1e-4
"""Largest difference of a float, as a share of the largest absolute value of its tensor, or of 1; other types agree
exactly.
"""


def difference(case: Case) -> str:
    """What the chip gives otherwise than the reference; "" for nothing. Raises what the compiler raises."""
    session = session_of(build(planned(case.model)).executable, Machine("native"))
    for name, value in case.feeds.items():
        session.write(name, value)
    session.run()
    return compared(session.outputs(), evaluate(case.model, case.feeds))


def compared(found: Mapping[str, Array], wanted: Mapping[str, Array]) -> str:
    """Which outputs differ, and by how much."""
    return "; ".join(told for name, value in wanted.items() if (told := _compared(name, found[name], value)))


def _compared(name: str, found: Array, wanted: Array) -> str:
    """How a value differs."""
    if (found.shape, found.dtype) != (wanted.shape, wanted.dtype):
        return f"{name} is {found.dtype}{list(found.shape)}, and should be {wanted.dtype}{list(wanted.shape)}"
    error = np.abs(found * 1.0 - wanted).max()
    if error <= _allowed(wanted):  # NaN is not
        return ""
    return f"{name} differs by {error:.3g}, the largest is {np.abs(wanted * 1.0).max():.3g}"


def _allowed(value: Array) -> float:
    """The difference that is allowed beside this value."""
    return TOLERANCE * max(1.0, float(np.abs(value).max())) if value.dtype.kind == "f" else 0.0


def verdict(case: Case) -> str:
    """The difference, or what went wrong before there was one; "" where all is well."""
    try:
        return difference(case)
    except Exception as error:  # a failure of the compiler is a finding here, whatever it is
        return f"{type(error).__name__}: {error}"


def main() -> int:
    """Try some graphs, and say what failed."""
    parser = argparse.ArgumentParser(description="Random graphs at -O2 against the reference evaluator.")
    parser.add_argument("--graphs", type=int, default=100, help="how many")
    parser.add_argument("--seed", type=int, default=0, help="of the first; the others follow")
    parser.add_argument("--nodes", type=int, default=8, help="of a graph at most")
    parser.add_argument(
        "--kinds", nargs="+", choices=KINDS, default=(), metavar="KIND", help="of nodes; by default all"
    )
    options = parser.parse_args()
    failures, slowest = Counter[str](), (0.0, 0)
    for seed in range(options.seed, options.seed + options.graphs):
        start = time.perf_counter()
        case = random_graph(seed, (min(2, options.nodes), options.nodes), options.kinds)
        found = verdict(case)
        slowest = max(slowest, (time.perf_counter() - start, seed))
        if found:
            failures[found.split(":")[0]] += 1
            print(f"--- seed {seed}: {found}\n{onnx.printer.to_text(case.model)}", flush=True)
    print(f"{options.graphs - failures.total()} of {options.graphs} graphs are right", dict(failures) or "")
    print(f"the slowest took {slowest[0]:.1f} s: seed {slowest[1]}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
