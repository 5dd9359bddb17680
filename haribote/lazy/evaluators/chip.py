"""Expressions on the simulated chip."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from numpy.typing import NDArray

from haribote.frontend.compiled import CompiledGraph, Options
from haribote.lazy.evaluators.graph import graph
from haribote.lazy.evaluators.reference import Reference
from haribote.lazy.primitives.arrays import Array, depends
from haribote.progress import aloud


class Chip:
    """The expressions by name, evaluated on inputs by name; device: "chip", or "host" for the graph without the chip.

    Attributes:
        graph: compiled; `graph.cost` is what a call costs on the chip, `graph.model` the ONNX graph. None where no
            expression depends on an input.
    """

    def __init__(self, outputs: Mapping[str, Array], device: Literal["chip", "host"] = "chip") -> None:
        model, self._names = graph({name: output for name, output in outputs.items() if depends(output)})
        with aloud():
            self.graph = CompiledGraph(model, Options(device)) if self._names else None
        self._known = Reference({name: output for name, output in outputs.items() if not depends(output)})({})

    def __call__(self, inputs: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """Every output."""
        if self.graph is None:
            return self._known
        results = self.graph({name: value for name, value in inputs.items() if name in self.graph.names})
        return self._known | {name: results[value] for name, value in self._names.items()}
