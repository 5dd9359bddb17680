"""Training and inference in generated C++."""

from __future__ import annotations

from typing import Any

from haribote.backends import Floats, Labels, Parameters, example_batch, in_batches
from haribote.compiler import lower_for_cpp
from haribote.cpp.session import sessions


class CppBackend:
    """The step as C++, built with the user's compiler; see `backends.Backend`."""

    def __init__(self, model: Any, learning_rate: float, batch: int, gemm: str = "tiled") -> None:
        from haribote.frontend.torch import trace_inference, trace_step

        optimiser, images, labels = example_batch(model, batch, learning_rate)
        step = lower_for_cpp(trace_step(model, optimiser, images, labels))
        inference = lower_for_cpp(trace_inference(model, images))
        built = sessions({"train_step": step, "inference": inference}, gemm)
        self._training, self._inference = built["train_step"], built["inference"]
        self._batch, self._names = batch, [name for name, _ in model.named_parameters()]
        self.load({name: value.detach().numpy() for name, value in model.named_parameters()})
        self.summary = f"C++, {len(step.graph.node)} nodes, Gemm {gemm}"

    def step(self, images: Floats, labels: Labels) -> float:
        """See `Backend.step`."""
        self._training.step({"x": images, "labels": labels})
        return float(self._training.read("loss"))

    def logits(self, images: Floats) -> Floats:
        """See `Backend.logits`."""
        for name, value in self.parameters().items():
            self._inference.write(name, value)

        def run(part: Floats) -> Floats:
            self._inference.write("x", part)
            self._inference.run()
            return self._inference.read("logits")

        return in_batches(images, self._batch, run)

    def parameters(self) -> Parameters:
        """See `Backend.parameters`."""
        return {name: self._training.read(name) for name in self._names}

    def load(self, parameters: Parameters) -> None:
        """See `Backend.load`."""
        for name, value in parameters.items():
            self._training.write(name, value)
