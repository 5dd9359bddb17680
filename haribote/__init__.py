"""Haribote: a graph compiler that ends on a simulated AI chip."""

from pathlib import Path

from simulator.language import ipython_shell
from simulator.messages import tr, use
from simulator.moved import keep_old_names
from simulator.notebook.cells import TELLER, Translated

use("haribote", Path(__file__).parent / "locale")


def _speak() -> None:
    """In a translated notebook, whose code is English, cells speak its language."""
    shell = ipython_shell()
    if shell is not None and TELLER not in shell.user_ns:
        shell.user_ns_hidden[TELLER] = shell.user_ns[TELLER] = tr
        shell.ast_transformers.append(Translated())


_speak()

keep_old_names(
    "haribote",
    {
        "operators": "functions reference",
        "graphs": "textual listing cases",
        "passes": "place placement",
        "chip": "codegen program runtime step_cost",
        "training": "backends train checkpoint models",
        "data": "mnist digits strokes",
        "commands": "cli command export pass_report data_command demo infer view",
        "problems": "judging",
        "answers": "ownership",
        "lessons": "coverage short_run",
    },
    {
        "emitter": "graphs.writer",
        "gradients": "autodiff",
        "gradients.backward": "autodiff.rules",
        "cpp.backend": "training.cpp_backend",
        "cpp.lesson": "lessons.cpp",
        "cpp.walk": "lessons.walk",
        "speed.steps": "levels.steps",
        "speed.residency": "levels.residency",
        "speed.board": "levels.board",
        "lessons.quick_check": "own.quick_check",
        "tasks": "answers.resolve",
        "testcases": "problems.judge_case",
        "testing": "commands.run_cases",
        "lazy.primitives.cells": "core.cells",
    },
)
