"""`make bench`: the speed of everything in one run, beside torch and beside the project's targets.

python -m benchmarks.bench [--rounds 5] [--steps 234] [--output runs]

Medians of several rounds in which the engines take turns. Writes bench.json and bench.png.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import measure
from benchmarks.figures import Figure, Report, draw, families_text, section_text
from haribote.commands.command import run_command
from haribote.errors import HariboteError
from simulator.files import write_file


def main(arguments: list[str] | None = None) -> int:
    """Measure, print and save; exit status 0 even where a target is missed, 2 where nothing can be measured."""
    parser = argparse.ArgumentParser(prog="bench", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=_positive, default=5, metavar="R", help="timings of each; the median counts")
    parser.add_argument("--steps", type=_positive, default=measure.EPOCH, metavar="N", help="train steps of the epoch")
    parser.add_argument("--output", type=Path, default=Path("runs"), metavar="DIR", help="for bench.json and bench.png")
    parser.set_defaults(run=_run, command="")
    return run_command(parser, arguments)


def _run(options: argparse.Namespace) -> int:
    start = time.perf_counter()
    report = run(options.rounds, options.steps)
    report.machine |= {"load_after": _load(), "seconds": round(time.perf_counter() - start, 1)}
    content = json.dumps(report.as_json(), indent=1, ensure_ascii=False) + "\n"
    write_file(options.output / "bench.json", content)
    write_file(options.output / "bench.png", draw(report, (measure.STEP, measure.CPP)))
    print(_closing(report))
    print(f"wrote {options.output / 'bench.json'} and {options.output / 'bench.png'}")
    return 0


def run(rounds: int, steps: int) -> Report:
    """Measure everything, printing each part when it is there."""
    report = Report(_machine())
    print(f"{report.machine['cores']} cores, Python {report.machine['python']}; medians of {rounds} rounds", flush=True)

    def add(part: Callable[[], list[Figure]]) -> None:
        try:
            found = part()
        except (measure.Skipped, HariboteError) as reason:
            report.skipped.append(str(reason))
            print(f"skipped: {reason}", flush=True)
            return
        shown = {figure.section for figure in report.figures}
        text = section_text(found)
        print(text.split("\n", 1)[1] if found[0].section in shown else "\n" + text, flush=True)
        report.figures += found

    step = measure.Step()
    add(partial(step.figures, rounds))
    report.families = step.families(rounds)
    print("\n" + families_text(report.families), flush=True)
    add(partial(step.assembling, min(rounds, 3)))
    add(lambda: measure.judging(min(rounds, 3)))
    add(lambda: measure.exporting(min(rounds, 3)))
    del step  # and the memory of two machines
    add(lambda: measure.training(steps))
    add(lambda: measure.generated(rounds))
    return report


def _machine() -> dict[str, Any]:
    import numpy as np
    import torch

    versions = {"python": platform.python_version(), "numpy": np.__version__, "torch": torch.__version__}
    return {"system": platform.platform(), "cores": os.cpu_count(), "load_before": _load()} | versions


def _load() -> float | None:
    """Processes that wanted a core, on average of the last minute; None where the system does not tell."""
    return round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None


def _closing(report: Report) -> str:
    """How many targets are met, and how far the times can be trusted."""
    aimed = [figure.met for figure in report.figures if figure.met is not None]
    machine = report.machine
    text = f"\n{sum(aimed)} of {len(aimed)} targets met, in {machine['seconds']} s."
    if machine["load_before"] is not None:
        load = f"{machine['load_before']} before and {machine['load_after']} after"
        text += (
            f" Load average {load}, {machine['cores']} cores:\n"
            "where other work shares the machine, times grow; the ratios, measured in turns, are what counts."
        )
    return text


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"received {text!r}; expected a whole number, at least 1")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
