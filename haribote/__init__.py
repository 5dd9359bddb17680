"""Haribote: a graph compiler that ends on a simulated AI chip."""

from simulator.moved import keep_old_names

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
        "tasks": "answers.resolve",
        "testcases": "problems.judge_case",
        "testing": "commands.run_cases",
    },
)
