"""The measurements of `make bench`, each a function that gives figures or raises Skipped."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks.cpp_times import measure, step_times
from benchmarks.families import ENOUGH, family_lines, program_of
from benchmarks.figures import FamilyTime, Figure
from haribote.answers.resolve import resolve_row
from haribote.chip.codegen import run_kernel
from haribote.commands.export import compile_folder, export
from haribote.kernel_table import KERNELS, problem
from haribote.network import BATCH, HIDDEN, LEARNING_RATE, PIXELS, WIDTHS
from haribote.training.backends import Backend, TorchBackend
from haribote.training.models import mlp
from haribote.training.sim_backend import SimBackend
from simulator import Machine, assemble
from simulator.engine.native import Engine

ROOT = Path(__file__).resolve().parent.parent
EPOCH = 234  # steps
STEP = "Whole train step of 784-16-10, batch 256"
CPP = "The same step in generated C++, all on one thread"
TOOLS = "Tools"
TRAINING = "Training on the native engine, a process of its own"
ASSEMBLE = """
import sys, time
from pathlib import Path
from simulator import assemble
text = Path(sys.argv[1]).read_text(encoding="utf-8")
start = time.perf_counter()
assemble(text)
print(time.perf_counter() - start)
"""


class Skipped(Exception):
    """Something that cannot be measured here; the text says why."""


def shared_folder() -> Path:
    """The folder with test cases and MNIST: HARIBOTE_SHARED, or `shared` beside the project."""
    return Path(os.environ.get("HARIBOTE_SHARED", ROOT.parent / "shared"))


class Step:
    """The train step on both engines, at -O2 and in torch, all from the same parameters and on the same batch."""

    def __init__(self) -> None:
        """Raises BuildError where the native engine cannot be built."""
        import torch

        Engine()  # said here, before anything is measured on the wrong engine
        torch.set_num_threads(1)  # its idle threads would keep the engine's from the cores, and the other way round
        random = np.random.default_rng(0)
        self.images = random.uniform(-0.43, 2.82, (BATCH, PIXELS)).astype(np.float32)
        self.labels = random.integers(0, 10, BATCH)
        self.native, self.numpy, self.planned = (
            SimBackend(
                mlp(*WIDTHS), LEARNING_RATE, BATCH, solutions=True, require_chip=True, engine=engine, level=level
            )
            for engine, level in (("native", 0), ("numpy", 0), ("native", 2))
        )
        self.torch = TorchBackend(mlp(*WIDTHS), LEARNING_RATE)

    @cached_property
    def losses(self) -> tuple[float, float, float]:
        """The first step's loss: native, NumPy, torch."""
        native, numpy, torch = (x.step(self.images, self.labels) for x in (self.native, self.numpy, self.torch))
        return native, numpy, torch

    def figures(self, rounds: int) -> list[Figure]:
        """The whole step. Raises ArithmeticError where the three do not do the same work."""
        native, numpy, reference = self.losses
        if native != numpy or abs(native - reference) > 1e-4:
            raise ArithmeticError(f"the losses differ: native {native}, NumPy {numpy}, torch {reference}")
        backends: dict[str, Backend] = {
            "native": self.native,
            "planned": self.planned,
            "numpy": self.numpy,
            "torch": self.torch,
        }
        times = measure({n: partial(b.step, self.images, self.labels) for n, b in backends.items()}, rounds)
        return [
            Figure(STEP, "native engine", 1e3 * times["native"], "ms", 15, note="(issue 12)"),
            Figure(STEP, "native engine, -O2", 1e3 * times["planned"], "ms", 6, note="(issue 12)"),
            Figure(STEP, "NumPy engine", 1e3 * times["numpy"], "ms", 600, note="(issue 2)"),
            Figure(STEP, "torch eager", 1e3 * times["torch"], "ms", note="(one thread)"),
            Figure(STEP, "NumPy engine / native engine", times["numpy"] / times["native"], "x", 10, at_least=True),
            Figure(STEP, "native engine / torch eager", times["native"] / times["torch"], "x"),
        ]

    def families(self, rounds: int) -> list[FamilyTime]:
        """Every instruction family on both engines, on machines that have done the whole step before."""
        machines: dict[str, Machine] = {"native": self.native.machine, "numpy": self.numpy.machine}
        found = []
        for name, lines in family_lines(self.native.compiled).items():
            programs = {"native": program_of(name, lines, ENOUGH), "numpy": program_of(name, lines)}
            times = measure({e: partial(machines[e].run, programs[e]) for e in machines}, rounds)
            native, numpy = (1e6 * times[engine] / len(programs[engine].lines) for engine in ("native", "numpy"))
            found.append(FamilyTime(name, len(lines), native, numpy))
        return found

    def assembling(self, rounds: int) -> list[Figure]:
        """The assembly text of the whole step to a decoded program, in a fresh process and once more in this one."""
        text = self.native.compiled.text
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "step.vsm"
            path.write_text(text, encoding="utf-8")
            fresh = median(float(_run(["-c", ASSEMBLE, str(path)])) for _ in range(rounds))
        note = f"({text.count(chr(10)):,} lines, in a fresh process without its start)"
        return [
            Figure(TOOLS, "assembling the whole step", fresh, "s", 0.3, note=note),
            Figure(TOOLS, "the same once more", _median(partial(assemble, text), rounds), "s"),
        ]


def judging(rounds: int) -> list[Figure]:
    """`python -m simulator judge` on the largest golden, with the reference kernel as answer."""
    goldens = sorted((shared_folder() / "golden").glob("*.vsm"), key=lambda path: path.stat().st_size)
    rows = {row.testcase: row for row in KERNELS if row.testcase}
    if not goldens or goldens[-1].stem not in rows:
        raise Skipped(f"judge: no test cases in {shared_folder()}; HARIBOTE_SHARED names another folder")
    row = rows[goldens[-1].stem]
    answer = resolve_row(row, solutions=True)
    assert answer is not None  # every row has a reference kernel
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "answer.vsm"
        path.write_text("\n".join(run_kernel(answer.kernel, problem(row))) + "\n", encoding="utf-8")
        command = ["-m", "simulator", "judge", str(goldens[-1]), str(path)]
        verdict = _run(command).split()[0]
        seconds = _median(lambda: _run(command), rounds)
    size = goldens[-1].stat().st_size / 1e6
    note = f"({row.testcase}, {size:.1f} MB: {verdict})"
    return [Figure(TOOLS, "judge on the largest golden (command)", seconds, "s", 2, note=note)]


def exporting(rounds: int) -> list[Figure]:
    """From `haribote export` to step.vsm: in this process, where all is imported, and as two commands."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "export"

        def both() -> None:
            export(folder, None, (HIDDEN,), BATCH, LEARNING_RATE)
            compile_folder(folder, None, solutions=True)

        def commands() -> None:
            _run(["-m", "haribote.commands.cli", "export", "-o", str(folder)])
            _run(["-m", "haribote.commands.cli", "compile", str(folder), "--backend", "sim", "--solutions"])

        return [
            Figure(TOOLS, "haribote export to a .vsm, warm", _median(both, rounds), "s", 2, note="(issue 2)"),
            Figure(TOOLS, "export and compile as two commands", _median(commands, 1), "s", note="(each starts Python)"),
        ]


def training(steps: int) -> list[Figure]:
    """An epoch, or `steps` of it and the rest extrapolated, and the peak memory of the process that does it."""
    mnist = shared_folder() / "data" / "mnist"
    command = ["-m", "benchmarks.epoch", "--steps", str(steps), "--data", str(mnist) if mnist.is_dir() else "auto"]
    found: dict[str, Any] = json.loads(_run(command).splitlines()[-1])
    seconds = found["seconds"] / found["steps"] * EPOCH
    how = "measured" if found["steps"] == EPOCH else f"extrapolated from {found['steps']} steps"
    note = f"({found['data']}, {how}; accuracy then {100 * found['accuracy']:.1f} %)"
    figures = [Figure(TRAINING, f"one epoch of {EPOCH} steps", seconds, "s", 10, note=note)]
    if found["peak_bytes"] is not None:
        figures.append(Figure(TRAINING, "peak memory", found["peak_bytes"] / 1e6, "MB", 600))
    return figures


def generated(rounds: int) -> list[Figure]:
    """The C++ backend, with torch again in the same rounds."""
    return [Figure(CPP, name, 1e3 * seconds, "ms") for name, seconds in step_times(HIDDEN, BATCH, rounds).items()]


def _median(action: Callable[[], object], rounds: int) -> float:
    """Median seconds of an action that takes long enough to be timed once a round."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return median(times)


def _run(arguments: Sequence[str]) -> str:
    """What a command in a fresh Python prints. Raises Skipped with its message where it fails."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=os.environ | {"PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    if done.returncode:
        raise Skipped(f"{' '.join(arguments[:3])}: {(done.stderr or done.stdout).strip()}")
    return done.stdout
