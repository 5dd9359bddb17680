"""The meaning of a graph: its nodes one after another, each by ONNX's own reference of its operator."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray

from haribote.answers.ownership import exercise
from haribote.errors import GraphError
from haribote.model_file import reason
from haribote.operators.mended import evaluator
from simulator.errors import UserError
from simulator.messages import tr

Array = NDArray[Any]
Compute = Callable[[onnx.NodeProto, Sequence[Array | None]], Sequence[Array]]
"""(node, the arrays of its inputs) -> the arrays of its outputs, in order. An input that is left out is None."""


def operators(model: onnx.ModelProto) -> Compute:
    """What computes one node of this model, operators of the domain `haribote` included.

    Raises:
        GraphError: the model has a node with a graph inside (If, Loop, Scan), or one that ONNX does not know.
    """
    implementations = {}
    with _told(tr("the graph {name!r}", model.graph.name)):
        known = evaluator(model).rt_nodes_
    for node, implementation in zip(model.graph.node, known, strict=True):
        if implementation.need_context():
            raise GraphError(
                tr(
                    "node {name!r} ({op_type}) has a graph inside; such operators are not supported",
                    node.name,
                    node.op_type,
                )
            )
        implementations[_key(node)] = implementation

    def compute(node: onnx.NodeProto, arrays: Sequence[Array | None]) -> Sequence[Array]:
        for name, array in zip(node.input, arrays, strict=False):
            if not isinstance(array, np.ndarray | np.generic | None):
                what = tr(
                    "node {value!r}: input {name!r} must be an array, received {array!r:.60}",
                    node.name or node.op_type,
                    name,
                    array,
                )
                raise GraphError(what, tr("compute(node, arrays) gives a list of arrays, one for each output"))
        with _told(tr("node {name!r} ({op_type})", node.name or node.output[0], node.op_type)):
            results: Sequence[Array] = implementations[_key(node)].run(*arrays)
        return results[: len(node.output)]

    return compute


@contextmanager
def _told(where: str) -> Iterator[None]:
    """Inside, what ONNX's reference cannot compute, such as an index out of range, is a GraphError."""
    try:
        yield
    except (MemoryError, UserError):
        raise
    except Exception as error:  # it raises whatever comes up
        raise GraphError(
            tr("{where}: ONNX's reference cannot compute it: {error}", where, reason(error)),
            tr("look at its attributes, and at the values that it is given"),
        ) from error


def _key(node: onnx.NodeProto) -> tuple[str, ...]:
    """What tells a node from the others: nothing else of the graph makes these values."""
    return tuple(node.output)


@exercise("1.2")
def run_nodes(nodes: Iterable[onnx.NodeProto], values: Mapping[str, Array], compute: Compute) -> dict[str, Array]:
    """Every value of a graph by name: the given ones, and what its nodes make of them, one after another.

    A name "" stands for an input or output that is left out.
    """
    raise NotImplementedError
