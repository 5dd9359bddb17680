"""Insert `DL` (DRAM → LM) before and `UL` (LM → DRAM) after every operator of the chip.

The baseline keeps every tensor in DRAM between operators. DL and UL have Identity as their ONNX function body: the
graph still means the same to every tool.
"""

from __future__ import annotations

import onnx

from haribote.answers.ownership import exercise
from haribote.graph import Builder, Index, clone
from haribote.kernel_table import BY_TRANSFER
from haribote.passes.assign_layouts import annotate


def run(model: onnx.ModelProto) -> onnx.ModelProto:
    """Every operand that a kernel wants in LM gets a DL, every result that it leaves in LM a UL.

    A DL is named `<node>.dl<k>` for operand k; the node's result in LM is `<node>.lm`, and its UL `<node>.ul` makes
    the value that had that name before.
    """
    return _beside_their_operators(insert_transfers(model))


def _beside_their_operators(model: onnx.ModelProto) -> onnx.ModelProto:
    """Every DL right before the node that reads it and every UL right behind the one whose result it brings up.

    Any order in which values are made before they are read is right, but a kernel's operands share the LM of the one
    before it.
    """
    nodes = [clone(node) for node in model.graph.node]
    loads = {node.output[0]: node for node in nodes if node.op_type == "DL"}
    stores = {node.input[0]: node for node in nodes if node.op_type == "UL"}
    if any(len(Index(model).consumers[name]) > 1 for name in loads):
        return model
    del model.graph.node[:]
    for node in nodes:
        if node.op_type not in ("DL", "UL"):
            before = [loads[name] for name in dict.fromkeys(node.input) if name in loads]
            model.graph.node.extend([*before, node, *(stores[name] for name in node.output if name in stores)])
    return model


@exercise("4.6")
def insert_transfers(model: onnx.ModelProto) -> onnx.ModelProto:
    """The pass itself; see `run`."""
    raise NotImplementedError


def transfer(builder: Builder, op: str, tag: str, source: str, target: str, name: str) -> None:
    """Add a node `name` that brings `source` to LM (op "DL") or to DRAM ("UL"), where it is called `target`.

    tag: the layout in LM, a key of `layout.LAYOUTS`.
    """
    builder.op(op, source, name=target, reserved=True)
    node = builder.model.graph.node[-1]
    node.name = name
    annotate(node, BY_TRANSFER[op, tag])
