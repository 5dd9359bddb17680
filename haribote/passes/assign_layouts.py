"""Give every operator that the chip can run a row of the kernel table, and with it the layouts of its operands.

An operator that fits no row keeps no metadata: it stays on the host.
"""

from __future__ import annotations

import onnx

from haribote.graph import Index, attributes, clone, verify
from haribote.kernel_table import KERNELS, OWN_ROWS, KernelRow
from haribote.layout import Layout, dram_layout, layout_of, tags_for
from haribote.passes.placement import Placement, scalars, set_placement, set_row, tensor_inputs


def run(model: onnx.ModelProto) -> onnx.ModelProto:
    """Annotate every node that has a row with its kernel and the layout and memory of each operand."""
    result = clone(model)
    index = Index(result)
    for node in result.graph.node:
        row = find_row(node, index)
        if row is not None:
            annotate(node, row)
    verify(result)
    return result


def annotate(node: onnx.NodeProto, row: KernelRow) -> None:
    """Record the row and the layouts and memories that it asks for."""
    set_row(node, row)
    for number, tag in enumerate(row.inputs):
        set_placement(node, f"in{number}", Placement(_layout(tag, row.input_memory), row.input_memory))
    set_placement(node, "out", Placement(_layout(row.output, row.output_memory), row.output_memory))


def find_row(node: onnx.NodeProto, index: Index) -> KernelRow | None:
    """The row of the kernel table that does this node, or None."""
    if node.op_type in ("DL", "UL"):
        return None
    variant = variant_of(node, index)
    rows = (row for row in (*KERNELS, *OWN_ROWS) if (row.op, row.variant) == (node.op_type, variant))
    return next((row for row in rows if _fits(row, node, index)), None)


def variant_of(node: onnx.NodeProto, index: Index) -> str | None:
    """What distinguishes kernels of the same operator (`KernelRow.variant`); None where no kernel does it."""
    if node.op_type == "Gemm":
        return _gemm_variant(node)
    if node.op_type in ("ReduceSum", "ReduceMax"):
        axes = index.constants.get(node.input[1]) if len(node.input) > 1 else None
        return {(1,): "rows", (0,): "columns"}.get(tuple(axes.tolist())) if axes is not None else None
    if node.op_type == "OneHot":
        return "" if index.constants[node.input[1]].item() == 16 else None
    if len(node.input) != 2:
        return ""
    if any(name in scalars(index) for name in node.input):
        return "constant"
    first, second = (index.shape[name] for name in node.input)
    return "rows" if first != second and second[-1:] == (1,) else ""


def _gemm_variant(node: onnx.NodeProto) -> str | None:
    values = attributes(node)
    if len(node.input) != 2 or values.get("alpha", 1.0) != 1.0:
        return None
    flags = [name for name in ("transA", "transB") if values.get(name)]
    return {0: "", 1: "".join(flags)}.get(len(flags))


def _fits(row: KernelRow, node: onnx.NodeProto, index: Index) -> bool:
    names, output = tensor_inputs(node, index), node.output[0]
    if len(row.inputs) != len(names) or row.output not in tags_for(index.shape[output]):
        return False
    return all(
        tag in tags_for(index.shape[name]) and index.dtype[name] == row.input_dtype
        for tag, name in zip(row.inputs, names, strict=True)
    )


def _layout(tag: str, memory: str) -> Layout:
    return dram_layout(layout_of(tag).shape) if memory == "DRAM" else layout_of(tag)
