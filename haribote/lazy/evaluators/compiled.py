"""One call for all evaluators: an expression becomes a function of its inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haribote.lazy.evaluators.reference import Reference
from haribote.lazy.primitives.arrays import Array, Input, walk
from haribote.lazy.primitives.fusing import fuse
from haribote.lazy.primitives.indices import LazyError
from simulator.messages import tr

DEVICES = ("numpy", "cpp", "chip")
Outputs = Array | Mapping[str, Array]


class Function:
    """Expressions on a device: called with their inputs by name, it gives an array, or a dictionary of arrays.

    Args:
        outputs: an expression, or expressions by name.
        on: "numpy", "cpp" or "chip"; "host" is the chip's graph on the host.

    Attributes:
        outputs: the expressions as the device computes them, by name.
        evaluator: what computes them; see `reference`, `cpp` and `chip`.
    """

    def __init__(self, outputs: Outputs, on: str = "numpy") -> None:
        if on not in (*DEVICES, "host"):
            raise LazyError(tr("there is no device {on!r}", on), tr("one of {devices}", ", ".join(DEVICES)))
        self._single = isinstance(outputs, Array)
        named = {"result": outputs} if isinstance(outputs, Array) else dict(outputs)
        self.inputs = inputs_of(*named.values())
        fused = named if on == "numpy" else dict(zip(named, fuse(*named.values()), strict=True))
        self.outputs: dict[str, Array] = fused
        self.evaluator: Callable[[Mapping[str, NDArray[Any]]], dict[str, NDArray[Any]]]
        if on == "numpy":
            self.evaluator = Reference(fused)
        elif on == "cpp":
            from haribote.lazy.evaluators.cpp import Cpp

            self.evaluator = Cpp(fused)
        else:
            from haribote.lazy.evaluators.chip import Chip

            self.evaluator = Chip(fused, "chip" if on == "chip" else "host")

    def __call__(self, **inputs: Any) -> Any:
        """The values. Raises LazyError for inputs that are missing, unknown, or of another shape or type."""
        if set(inputs) != set(self.inputs):
            raise LazyError(
                tr("inputs are {inputs}, received {value}", ", ".join(self.inputs), ", ".join(inputs) or tr("none"))
            )
        given = {name: np.ascontiguousarray(value).reshape(np.shape(value)) for name, value in inputs.items()}
        for name, value in given.items():
            wanted = self.inputs[name]
            if (value.shape, value.dtype) != (wanted.shape, wanted.dtype):
                raise LazyError(
                    tr(
                        "input {name!r} must be {wanted}, received {dtype}{shape}",
                        name=name,
                        wanted=wanted,
                        dtype=value.dtype,
                        shape=list(value.shape),
                    )
                )
        results = self.evaluator(given)
        return results["result"] if self._single else results


def evaluate(outputs: Outputs, on: str = "numpy", **inputs: Any) -> Any:
    """Compile for a device, "numpy", "cpp" or "chip", and call once."""
    return Function(outputs, on)(**inputs)


def inputs_of(*outputs: Array) -> dict[str, Input]:
    """The inputs by name. Raises LazyError where two different ones have the same name."""
    found: dict[str, Input] = {}
    for x in walk(*outputs):
        if isinstance(x, Input):
            other = found.setdefault(x.name, x)
            if (other.shape, other.dtype) != (x.shape, x.dtype):
                raise LazyError(
                    tr("two inputs are called {name!r}: {other} and {x}", x.name, other, x),
                    tr("a name of its own for each"),
                )
    return found
