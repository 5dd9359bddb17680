"""Where an operand of a lowered node sits: its layout, memory and address, kept in the node's metadata.

A node carries `haribote.in0.layout`, `haribote.in0.memory`, `haribote.in0.address`, … and the same for `out`, so that
Netron shows them and a saved graph is complete. `haribote.kernel` names the row of the kernel table that serves it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import onnx

from haribote.errors import GraphError
from haribote.graph import Index, attributes, metadata, put, set_metadata
from haribote.kernel import Memory, Op, Operand
from haribote.kernel_table import KernelRow, row_named
from haribote.layout import Layout
from simulator.messages import tr


@dataclass(frozen=True)
class Placement:
    """Layout, memory and address of one operand; address None before the place pass."""

    layout: Layout
    memory: Memory
    address: int | None = None


@dataclass(frozen=True)
class Home:
    """Where a parameter stays in LM from step to step. updated: the value that takes its place."""

    place: Placement
    updated: str


def row_of(node: onnx.NodeProto) -> KernelRow | None:
    """The row of the kernel table that serves the node, or None for a node of the host."""
    name = metadata(node).get("haribote.kernel")
    return row_named(name) if name else None


def set_row(node: onnx.NodeProto, row: KernelRow) -> None:
    """Say which row of the kernel table serves the node."""
    put(node, "haribote.kernel", row.name)


def set_placement(node: onnx.NodeProto, slot: str, placement: Placement) -> None:
    """Record where the operand `slot` ("in0", "in1", "out") sits."""
    put(node, f"haribote.{slot}.layout", str(placement.layout))
    put(node, f"haribote.{slot}.memory", placement.memory)
    if placement.address is not None:
        put(node, f"haribote.{slot}.address", str(placement.address))


def placement_of(node: onnx.NodeProto, slot: str) -> Placement:
    """Where the operand `slot` sits; raises GraphError where the node does not say."""
    said = metadata(node)
    layout, memory = said.get(f"haribote.{slot}.layout"), said.get(f"haribote.{slot}.memory")
    if layout is None or memory is None:
        raise GraphError(
            tr(
                "node {name} ({op_type}) has no layout for {slot}; run the layout pass first",
                node.name,
                node.op_type,
                slot,
            )
        )
    address = said.get(f"haribote.{slot}.address")
    return Placement(Layout.parse(layout), cast(Memory, memory), None if address is None else int(address))


def scalars(index: Index) -> dict[str, float]:
    """The float constants of a single value, by name: what a kernel writes into its text as a literal."""
    return {
        name: value.item() for name, value in index.constants.items() if value.size == 1 and value.dtype == np.float32
    }


def tensor_inputs(node: onnx.NodeProto, index: Index) -> list[str]:
    """The inputs of a node that are tensors in memory, not parameters (axes, depth) or literals of the kernel."""
    if node.op_type in ("OneHot", "ReduceSum", "ReduceMax"):
        return list(node.input[:1])
    constants = scalars(index)
    return [name for name in node.input if name not in constants]


def op_of(node: onnx.NodeProto, row: KernelRow, index: Index) -> Op:
    """The operator as its kernel sees it, from the placed node."""
    names = tensor_inputs(node, index)
    inputs = tuple(_operand(node, f"in{number}", name, index) for number, name in enumerate(names))
    values: dict[str, Any] = attributes(node)
    if row.variant == "constant":
        constants = scalars(index)
        values["constant"] = next(constants[name] for name in node.input if name in constants)
    return Op(row.op, inputs, _operand(node, "out", node.output[0], index), values, scratch_from=scratch_of(node))


def copy_of(node: onnx.NodeProto, index: Index) -> tuple[Operand, Operand]:
    """The operands of a node that moves a tensor: where it comes from, and where it goes."""
    return _operand(node, "in0", node.input[0], index), _operand(node, "out", node.output[0], index)


def scratch_of(node: onnx.NodeProto) -> int:
    """The first word of LM from which the node's kernel gets scratch, if that is behind its operands."""
    return int(metadata(node).get("haribote.scratch", "0"))


def set_homes(model: onnx.ModelProto, homes: Mapping[str, Home]) -> None:
    """Record in a model which parameters stay in LM from step to step."""
    written = {name: [str(home.place.layout), home.place.memory, home.place.address, home.updated]
               for name, home in homes.items()}  # fmt: skip
    set_metadata(model, homes=json.dumps(written))


def homes_of(model: onnx.ModelProto) -> dict[str, Home]:
    """The parameters that stay in LM from step to step, by name; none at -O0."""
    written = json.loads(metadata(model).get("haribote.homes", "{}"))
    return {
        name: Home(Placement(Layout.parse(layout), memory, address), updated)
        for name, (layout, memory, address, updated) in written.items()
    }


def _operand(node: onnx.NodeProto, slot: str, name: str, index: Index) -> Operand:
    place = placement_of(node, slot)
    if place.address is None:
        raise GraphError(
            tr(
                "node {name} ({op_type}) has no address for {slot}; run the place pass first",
                node.name,
                node.op_type,
                slot,
            )
        )
    return Operand(name, index.shape[name], str(index.dtype[name]), place.layout, place.memory, place.address)
