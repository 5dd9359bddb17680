"""A piece of an fx graph on a device: tensors in, tensors out; what has not changed is not written again."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from torch import Tensor, fx

from haribote.errors import HariboteError
from haribote.frontend.aten import IN_SINGLE, Lowering
from haribote.frontend.compiled import CompiledGraph, Options
from haribote.frontend.dynamo.partition import Part
from haribote.frontend.dynamo.support import where
from haribote.frontend.lowering import write
from haribote.graph import Builder, Index
from haribote.partition.verdicts import reason
from simulator.messages import tr

Array = NDArray[Any]


class StaysWithPyTorch(UserWarning):
    """Some operations of a compiled program run in PyTorch; `explain` says which and why."""


@dataclass
class Traffic:
    """What crossed between torch and the device, in elements. kept: of inputs that were there already."""

    runs: int = 0
    written: int = 0
    kept: int = 0
    read: int = 0


_watching: list[Traffic] = []


@contextmanager
def traffic() -> Iterator[Traffic]:
    """Counts what all pieces exchange with their devices inside."""
    found = Traffic()
    _watching.append(found)
    try:
        yield found
    finally:
        _watching.remove(found)


def lowered(part: Part, program: fx.GraphModule, name: str) -> onnx.ModelProto:
    """The ONNX graph of a part; its inputs and outputs in the part's order. Inputs without elements are constants.

    Raises HariboteError.
    """
    g, env = Lowering(Builder(name)), dict[fx.Node, Any]()
    for node in part.inputs:
        env[node] = g.declare(g.builder.fresh(node.name), node.meta["val"])
    write(g, program, part.nodes, env, {})
    for node in part.outputs:
        g.builder.output(g.builder.op("Identity", env[node], name=f"{node.name}.result"))
    return g.builder.finish()


class Piece(torch.nn.Module):
    """A part of an fx graph, compiled; called with its inputs it gives a tuple of its outputs.

    Attributes:
        part: the operations.
        graph: compiled.
        failure: why PyTorch ran it the last time; "" where the device did.
    """

    def __init__(self, part: Part, program: fx.GraphModule, name: str, options: Options) -> None:
        super().__init__()
        self.part = part
        self.graph = CompiledGraph(lowered(part, program, name), options)
        self._results = Index(self.graph.model).outputs
        self._metas = [node.meta["val"] for node in part.outputs]
        self._there: dict[str, Array] = {}
        self._program = program
        self.failure = ""

    def forward(self, *tensors: Tensor) -> tuple[Tensor, ...]:
        """The outputs, with the strides that torch expects. Whatever of ours raises, PyTorch computes them."""
        self.failure = ""
        try:
            return self._on_device(tensors)
        except Exception as error:  # PyTorch can run it
            self.failure = said(error)
        warnings.warn(
            tr(
                "PyTorch runs a compiled piece of {count} operations this time ({reason})",
                len(self.part.nodes),
                self.failure,
            ),
            StaysWithPyTorch,
            stacklevel=2,
        )
        self._there.clear()
        return self._in_torch(tensors)

    def _in_torch(self, tensors: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """The outputs as PyTorch computes them."""
        env = dict(zip(self.part.inputs, tensors, strict=True))
        interpreter = fx.Interpreter(self._program)
        interpreter.env = env
        for node in self.part.nodes:
            env[node] = interpreter.run_node(node)
        return tuple(env[node] for node in self.part.outputs)

    def _on_device(self, tensors: Sequence[Tensor]) -> tuple[Tensor, ...]:
        counts = Traffic(runs=1)
        given = [tensor for tensor in tensors if tensor.numel()]
        for name, tensor in zip(self.graph.names, given, strict=True):
            self._write(name, _array(tensor), counts)
        self.graph.run({})
        results = [np.array(self.graph.read(name)) for name in self._results]
        counts.read = sum(result.size for result in results)
        for watched in _watching:
            for field, count in vars(counts).items():
                setattr(watched, field, getattr(watched, field) + count)
        return tuple(_as_traced(array, meta) for array, meta in zip(results, self._metas, strict=True))

    def _write(self, name: str, value: Array, counts: Traffic) -> None:
        """Write an input unless these very bits are there already: no version counter sees every change."""
        there = self._there.get(name)
        if there is not None and _same_bits(there, value):
            counts.kept += value.size
            return
        copy = np.array(value, order="C")
        if copy.dtype == np.int64 and self.graph.options.device != "host" and _widest(copy) >= 2**31:
            node = next(node for node in self.part.inputs if node.name == name)
            reader = next(user for user in node.users if user in self.part.nodes)
            raise HariboteError(
                tr(
                    "an int64 is 32 bits on the chip; received a size of {copy} for {target}, {reader}",
                    _widest(copy),
                    reader.target,
                    where(reader),
                ),
                tr('numbers below 2^31, or options={"device": "host"}'),
            )
        self.graph.write(name, copy)
        self._there[name] = copy
        counts.written += copy.size


def said(error: Exception) -> str:
    """Why operations stay with PyTorch."""
    why = reason(error)
    return tr("the compiler: {said}", why) if isinstance(error, HariboteError) else why


def _widest(value: Array) -> int:
    """The size of the number that is furthest from 0; -2^31, which 32 bits hold, counts as one less."""
    return max(int(value.max()), -int(value.min()) - 1)


def _same_bits(a: Array, b: Array) -> bool:
    """Whether two arrays of one dtype and shape agree in every bit."""
    if a.dtype.kind == "f":
        a, b = a.view(np.uint32), np.ascontiguousarray(b).view(np.uint32)
    return np.array_equal(a, b)


def _array(tensor: Tensor) -> Array:
    """Its values in the type in which they are computed."""
    plain = tensor.detach()
    found: Array = (plain.float() if plain.dtype in IN_SINGLE else plain).numpy()
    return found


def _as_traced(array: Array, meta: Tensor) -> Tensor:
    """As a tensor of its own with the type and the strides of the one that was traced."""
    found = torch.from_numpy(array).to(meta.dtype)
    if tuple(found.stride()) == tuple(meta.stride()):
        return found
    for axis, stride in enumerate(meta.stride()):
        if stride == 0:  # an expanded axis, all of whose elements are one
            found = found.narrow(axis, 0, min(1, found.shape[axis]))
    return torch.empty_strided(found.shape, meta.stride(), dtype=meta.dtype).copy_(found).expand(meta.shape)
