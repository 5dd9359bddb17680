"""A function of tensors as a graph: recorded, made pure, lowered to ONNX."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import onnx
import torch
from torch import fx

from haribote.errors import HariboteError, UnsupportedModel, UnsupportedOp
from haribote.frontend.lowering import RULES
from haribote.frontend.torch import lower_program
from haribote.graph import set_metadata
from haribote.mlsdk.recording import Change, Function, Tensors, Trace, record
from haribote.mlsdk.residents import OptimizerRecord, Resident, overlap
from haribote.mlsdk.settings import note_added
from haribote.mlsdk.single import pure
from simulator.messages import tr

aten = torch.ops.aten


@dataclass(frozen=True)
class Value:
    """An input or output: shape, and dtype as the function has it."""

    shape: tuple[int, ...]
    dtype: torch.dtype


@dataclass(frozen=True)
class Traced:
    """A function as a graph.

    model: its inputs are those of the function that it uses, the residents that it uses, and `changes`; its outputs
    are the function's, by `onnx_outputs`, and updated residents. inputs: all of the function's. stepped: names of the
    optimisers that take a step in it.
    """

    model: onnx.ModelProto
    inputs: dict[str, Value]
    outputs: dict[str, Value]
    onnx_outputs: dict[str, str]
    residents: tuple[str, ...]
    changes: dict[str, Change]
    stepped: tuple[str, ...]


def trace(
    function: Function, sample: Tensors, residents: Mapping[str, Resident], records: Sequence[OptimizerRecord]
) -> Traced:
    """The graph of a function; the user's tensors, optimisers and random state are afterwards what they were.

    Raises:
        UnsupportedModel, UnsupportedOp: what no graph can hold, with the line of the user's that does it.
        UnknownOptimizer: an optimiser must be registered first; then try again.
    """
    clash = sorted(set(sample) & set(residents))
    if clash:
        raise HariboteError(
            tr("{clash!r} names an input and a registered tensor", clash[0]), tr("another name for one of them")
        )
    program, noted = record(function, sample, residents, records)
    note_added(noted.added)
    return _graph(pure(program, noted.examples), noted, sample, residents)


def _graph(program: fx.GraphModule, noted: Trace, sample: Tensors, residents: Mapping[str, Resident]) -> Traced:
    """The lowered graph; inputs and residents that nothing uses are not in it."""
    results = list(program.graph.find_nodes(op="output")[0].args[0])
    places = dict(zip(noted.names, program.graph.find_nodes(op="placeholder"), strict=True))
    taken = {node.name for node in program.graph.nodes} | set(places)
    names = {key: f"{key}.output" if key in taken else key for key in noted.outputs}
    kept = dict(zip(names.values(), results, strict=False))
    updates = {}
    for name, node in zip(residents, results[len(noted.outputs) :], strict=True):
        if _origin(node) is not places[name]:
            updates[name] = f"{name}.next"
            kept[f"{name}.next"] = node
    _require_memory_of_its_own(updates, residents)
    program.graph.find_nodes(op="output")[0].args = (list(kept.values()),)
    for node in reversed(program.graph.nodes):
        if not node.users and node.op not in ("output", "placeholder"):
            program.graph.erase_node(node)
    for name, node in places.items():
        if not node.users and name not in updates:
            program.graph.erase_node(node)
    used = [name for name, node in places.items() if node.users or name in updates]
    _require_rules(program)
    model = lower_program(program, used, list(kept), [], "function")
    set_metadata(model, kind="train" if updates else "infer", updates=json.dumps(updates))
    return Traced(
        model,
        {name: Value(tuple(tensor.shape), tensor.dtype) for name, tensor in sample.items()},
        {name: Value(tuple(tensor.shape), tensor.dtype) for name, tensor in noted.outputs.items()},
        names,
        tuple(name for name in used if name in residents),
        {name: change for name, change in noted.changes.items() if name in used},
        tuple(noted.stepped),
    )


def _require_memory_of_its_own(updated: Iterable[str], residents: Mapping[str, Resident]) -> None:
    """Raises UnsupportedModel for a write to a tensor that would change another one: on the device they are two."""
    tensors = {name: found for name, resident in residents.items() if (found := resident.tensor()) is not None}
    for name in updated:
        for other, tensor in tensors.items():
            if other != name and name in tensors and overlap(tensors[name], tensor):
                raise UnsupportedModel(
                    tr("the function writes to {name!r}, whose memory is also that of {other!r}", name, other),
                    tr("one tensor for both, as in b.weight = a.weight, or .clone()"),
                )


def _origin(node: fx.Node) -> fx.Node:
    """The value itself, behind operations that change nothing."""
    while node.op == "call_function" and node.target in (aten.detach.default, aten.alias.default):
        node = node.args[0]  # type: ignore[assignment]
    return node


def _require_rules(program: fx.GraphModule) -> None:
    for node in program.graph.nodes:
        if node.op == "call_function" and node.target not in RULES and isinstance(node.target, torch._ops.OpOverload):
            shapes = ", ".join(str(list(arg.meta["val"].shape)) for arg in node.all_input_nodes)
            where = node.meta.get("stack_trace", tr("inside torch"))
            raise UnsupportedOp(
                tr("no lowering rule for {target}({shapes}), {where}", node.target, shapes, where),
                tr("other operations that compute the same"),
            )
