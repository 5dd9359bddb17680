"""Training and inference in generated C++."""

from __future__ import annotations

from typing import Any

from haribote.compiler import lower_for_cpp
from haribote.cpp.gemm import default_gemm
from haribote.cpp.session import sessions
from haribote.training.backends import CompiledBackend, example_batch, initial_parameters
from haribote.training.step import training_step
from simulator.messages import tr


class CppBackend(CompiledBackend):
    """The step as C++, built with the user's compiler; see `backends.Backend`.

    gemm: see `sessions`. short: the products of the step read this format, see `compiler.lower_for_cpp`.
    """

    def __init__(self, model: Any, learning_rate: float, batch: int, gemm: str = "", short: str = "") -> None:
        from haribote.frontend.torch import trace_inference

        optimiser, images, labels = example_batch(model, batch, learning_rate)
        step = lower_for_cpp(training_step(model, optimiser, images, labels), short)
        inference = lower_for_cpp(trace_inference(model, images))
        gemm = gemm or default_gemm()
        built = sessions({"train_step": step, "inference": inference}, gemm)
        summary = tr("C++, {node} nodes, Gemm {gemm}", len(step.graph.node), gemm)
        if short:
            summary = "; ".join([summary, tr("the factors are {short}", short)])
        super().__init__(built["train_step"], built["inference"], batch, initial_parameters(model), summary)
