"""Run generated C++: load the library, share the arrays with it, and run a graph as often as asked."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray

from haribote.cpp.arena import ALIGNMENT, plan
from haribote.cpp.blas import arguments
from haribote.cpp.build import build_library
from haribote.cpp.emit import emit
from haribote.errors import GraphError
from haribote.graph import Index, updates
from simulator.messages import tr

Array = NDArray[Any]


class Session:
    """One graph in C++ with its arrays, used like `runtime.Session`. Inputs are read where they lie, without a copy."""

    def __init__(self, model: onnx.ModelProto, function: Any) -> None:
        self._function, self._index, self._updates = function, Index(model), updates(model)
        size = plan(model).size
        memory = np.empty(size + ALIGNMENT, np.uint8)
        self._arena = memory[-memory.ctypes.data % ALIGNMENT :][:size]
        self._inputs: dict[str, Array] = {}
        index = self._index
        self._outputs = {name: np.zeros(index.shape[name], index.dtype[name]) for name in index.outputs}
        self._moved: dict[str, str] = {}  # updated value -> the parameter whose array has it after a step

    def write(self, name: str, value: Array) -> None:
        """Give an input (data, labels or a parameter) a new value. It must not change before `run`.

        Raises:
            GraphError: there is no such input, or it has another shape or kind of element.
        """
        if name not in self._index.inputs:
            raise GraphError(
                tr("the graph has no input {name!r}; its inputs are {names}", name, ", ".join(self._index.inputs))
            )
        shape, dtype = self._index.shape[name], self._index.dtype[name]
        if value.shape != shape or not np.can_cast(value.dtype, dtype, "same_kind"):
            raise GraphError(
                tr(
                    "input {name!r} must be {wanted}, received {given}",
                    name,
                    f"{dtype}{list(shape)}",
                    f"{value.dtype}{list(value.shape)}",
                )
            )
        if name in self._updates:  # the step writes to it
            value = value.copy()
            for updated in [updated for updated, parameter in self._moved.items() if parameter == name]:
                self._outputs[updated] = self._inputs[name]  # still the output of the last step
                del self._moved[updated]
        self._inputs[name] = np.require(value, dtype, ["C_CONTIGUOUS", "ALIGNED"])

    def read(self, name: str) -> Array:
        """A copy of an input or an output."""
        name = self._moved.get(name, name)
        values = self._outputs if name in self._outputs else self._inputs
        if name not in values:
            raise GraphError(tr("{name!r} is not an output, or an input without a value", name))
        return values[name].copy()

    def run(self) -> None:
        """One run of the graph on what was written last."""
        self.prepared()()
        self._moved = {}

    def prepared(self) -> Callable[[], None]:
        """`run` with its arrays looked up now, for measurements: what is written later does not count."""
        missing = [name for name in self._index.inputs if name not in self._inputs]
        if missing:
            raise GraphError(tr("inputs without a value: {names}", ", ".join(missing)), tr("`write` them first"))
        arrays = [self._inputs[name] for name in self._index.inputs], [*self._outputs.values()], self._arena
        inputs, outputs, arena = _pointers(arrays[0]), _pointers(arrays[1]), ctypes.c_void_p(self._arena.ctypes.data)

        def run(kept: object = arrays) -> None:  # pointers keep no array alive
            self._function(inputs, outputs, arena)

        return run

    def step(self, inputs: Mapping[str, Array]) -> None:
        """Write `inputs`, run, and make every updated parameter the parameter of the next step."""
        for name, value in inputs.items():
            self.write(name, value)
        self.run()
        for parameter, updated in self._updates.items():  # the arrays change places: nothing is copied
            if updated in self._moved:
                np.copyto(self._inputs[parameter], self.read(updated))
                continue
            self._inputs[parameter], self._outputs[updated] = self._outputs[updated], self._inputs[parameter]
            self._moved[updated] = parameter

    def outputs(self) -> dict[str, Array]:
        """All graph outputs."""
        return {name: self.read(name) for name in self._index.outputs}


def sessions(graphs: Mapping[str, onnx.ModelProto], gemm: str = "") -> dict[str, Session]:
    """A session for each graph; all of them are built as one library.

    Args:
        graphs: by a name that is also a C++ identifier.
        gemm: the Gemm template, one of `gemm.CHOICES`; "" for `gemm.default_gemm()`.

    Raises:
        UnsupportedOp, CompilerMissing, CompileError, BlasMissing.
    """
    library = ctypes.CDLL(str(build_library(emit(graphs, gemm), arguments(gemm))))
    result = {}
    for name, model in graphs.items():
        function = library[name]
        function.restype = None
        result[name] = Session(model, function)
    return result


def _pointers(arrays: list[Array]) -> ctypes.Array[ctypes.c_void_p]:
    return (ctypes.c_void_p * len(arrays))(*(array.ctypes.data for array in arrays))
