"""Expressions in C++, by the same compiler as every other graph (`haribote.cpp`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from haribote.compiler import lower_for_cpp
from haribote.cpp import expand
from haribote.cpp.emit import emit
from haribote.cpp.session import sessions
from haribote.graph import Index
from haribote.lazy.evaluators.graph import graph
from haribote.lazy.primitives.arrays import Array


class Cpp:
    """The expressions by name, evaluated on inputs by name. Raises what `haribote.cpp.build` raises.

    Attributes:
        source: the C++ that was compiled.
    """

    def __init__(self, outputs: Mapping[str, Array]) -> None:
        model, self._names = graph(outputs)
        lowered = {"expression": lower_for_cpp(expand.run(model))}
        self.source = emit(lowered)
        self._session = sessions(lowered)["expression"]
        self._read = set(Index(lowered["expression"]).inputs)

    def __call__(self, inputs: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """Every output."""
        for name, value in inputs.items():
            if name in self._read:
                self._session.write(name, value)
        self._session.run()
        results = self._session.outputs()
        return {name: results[value] for name, value in self._names.items()}
