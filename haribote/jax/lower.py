"""From operations to an ONNX graph, small before the chip's compiler sees it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import onnx
from onnx import numpy_helper

from haribote.errors import UnsupportedOp
from haribote.graph import complete, set_metadata
from haribote.jax.flat.values import Array, Operation, Ref
from haribote.jax.rules import Lowering
from haribote.jax.rules.lowering import graph_type
from haribote.passes import cse, join_moves, simplify
from simulator.messages import tr


@dataclass(frozen=True, eq=False)
class LoweredGraph:
    """A graph, and which of its inputs and outputs are which values of the program.

    A result may have no node of its own: its name is then that of an input, or of another result. known: results that
    turned out to be constants. updates: inputs that stay on the device, each with the result that is its next value.
    """

    model: onnx.ModelProto
    inputs: dict[str, Ref]
    outputs: dict[Ref, str]
    known: dict[Ref, Array]
    updates: dict[Ref, Ref] = field(default_factory=dict)


def lower(
    operations: Sequence[Operation],
    inputs: Sequence[Ref],
    outputs: Sequence[Ref],
    names: Mapping[Ref, str],
    updates: Mapping[Ref, Ref],
) -> LoweredGraph:
    """The graph of operations. names: of inputs; others are numbered. updates: inputs whose next value is a result.

    Raises:
        UnsupportedOp: a primitive without a rule, or one that its rule does not cover, with the user's line.
    """
    g = Lowering("mnjit")
    given = {names.get(ref, f"value{number}"): ref for number, ref in enumerate(inputs)}
    for name, ref in given.items():
        _check_type(ref, tr("the program"))
        g.input(ref, name)
    for operation in operations:
        for ref in operation.outputs:
            _check_type(ref, f"{operation.name} at {operation.where}")
        g.write(operation)
    g.operation = Operation("result", [], [])
    results = {ref: g.full(ref) for ref in outputs}
    constants = {init.name: numpy_helper.to_array(init) for init in g.builder.model.graph.initializer}
    known = {ref: constants[name] for ref, name in results.items() if name in constants}
    results = {ref: name for ref, name in results.items() if ref not in known}
    for name in dict.fromkeys(results.values()):
        if name not in given:
            g.builder.output(name)
    piece = _without_unread(LoweredGraph(small(complete(g.builder.model)), given, results, known))
    return _with_updates(piece, updates)


def small(model: onnx.ModelProto) -> onnx.ModelProto:
    """The same graph without what is computed twice, in vain or from constants only."""
    return cse.run(simplify.run(join_moves.run(cse.run(model))))


def _without_unread(piece: LoweredGraph) -> LoweredGraph:
    """Inputs that no node reads are none of the graph's."""
    read = {name for node in piece.model.graph.node for name in node.input}
    for info in [info for info in piece.model.graph.input if info.name not in read]:
        piece.model.graph.input.remove(info)
    kept = {info.name for info in piece.model.graph.input} | set(piece.outputs.values())
    inputs = {name: ref for name, ref in piece.inputs.items() if name in kept}
    return replace(piece, inputs=inputs)


def _with_updates(piece: LoweredGraph, updates: Mapping[Ref, Ref]) -> LoweredGraph:
    """The graph says which of its inputs are updated, where a node of it makes their next value."""
    made = {name for node in piece.model.graph.node for name in node.output}
    names: dict[str, str] = {}
    kept: dict[Ref, Ref] = {}
    for name, ref in piece.inputs.items():
        after = updates.get(ref)
        result = piece.outputs.get(after, "") if after else ""
        exact = graph_type(ref.dtype) == ref.dtype  # a float16 that stays would not be rounded
        if after and exact and result in made and result not in names.values():
            names[name], kept[ref] = result, after
    if kept:
        set_metadata(piece.model, updates=json.dumps(names))
    return replace(piece, updates=kept)


def _check_type(ref: Ref, what: str) -> None:
    if ref.dtype.kind == "c":
        raise UnsupportedOp(
            tr("complex numbers, in {what}: there are none in the graphs of this compiler", what),
            tr("real numbers; JAX-CFD has `implementation='matmul'` in place of Fourier transforms"),
        )
