"""How long a check takes, per kind of task: cold (a new Python process, as `grader check` in a shell) and warm.

    python -m benchmarks.check_latency [TASK …] [--runs 5]

Solutions are checked, since a right answer runs through all cases. Wall time is the median of the runs, with the CPU
time of the process beside it, which a busy machine changes less.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

KINDS = {
    "0.1": "a function on arrays", "1.1": "a rule of the front end (imports torch)", "1.2": "a loop over a graph",
    "2.3": "a gradient rule", "3.1": "C++ (compiled and run)", "3.2": "a decomposition", "3.3": "fusion",
    "3.4": "another layout of images", "3.5": "mixed precision", "4.1": "the layout formula", "4.2": "assembly",
    "4.4": "assembly with masks", "6.1": "the address planner", "6.2": "the train loop",
    "5.1": "kernel: DL 16", "5.12": "kernel: Relu", "5.15": "kernel of four shapes", "5.24": "kernel: Exp",
    "5.28": "kernel: small Gemm", "5.30": "kernel: largest DL", "5.33": "kernel: 1024-wide Gemm",
}  # fmt: skip
CHECK = "from pathlib import Path; from grader import check; r = check({task!r}, path=Path({path!r}), seed=1); "


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tasks", nargs="*", metavar="TASK", default=list(KINDS))
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    print(f"{'task':<6}{'what':<42}{'cold s (CPU)':>16}{'warm s (CPU)':>16}   of {options.runs} runs")
    for task in options.tasks:
        cold = [_cold(task) for _ in range(options.runs)]
        warm = _warm(task, options.runs)
        print(f"{task:<6}{KINDS.get(task, ''):<42}{_median(cold):>16}{_median(warm):>16}", flush=True)


def _cold(task: str) -> tuple[float, float]:
    """Wall and CPU time of a new process."""
    start = time.perf_counter()
    code = _code(task) + "import os; print(sum(os.times()[:4])); exit(not r.passed)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise SystemExit(f"task {task}: its solution does not pass")
    return time.perf_counter() - start, float(done.stdout)


def _warm(task: str, runs: int) -> list[tuple[float, float]]:
    """Wall and CPU time of checks in one process that has made one already."""
    code = f"import time; {_code(task)}"
    again = _code(task).replace("; ", "\n    ")
    code += f"\nfor _ in range({runs}):\n    t, c = time.perf_counter(), time.process_time()\n    {again}"
    code += "\n    print(time.perf_counter() - t, time.process_time() - c)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True)
    lines = [line.split() for line in done.stdout.splitlines()]
    return [(float(wall), float(cpu)) for wall, cpu in lines]


def _code(task: str) -> str:
    from haribote.answers.ownership import answer_file
    from haribote.answers.tasks import find_task

    return CHECK.format(task=task, path=str(answer_file(find_task(task), solutions=True)))


def _median(times: list[tuple[float, float]]) -> str:
    wall, cpu = (statistics.median(column) for column in zip(*times, strict=True))
    return f"{wall:.2f} ({cpu:.2f})"


if __name__ == "__main__":
    main()
