"""Which node of a graph does not fit, in words: for graphs that ONNX's shape inference refuses."""

from __future__ import annotations

import onnx
from onnx import shape_inference

from simulator.messages import tr

Shape = tuple[int, ...]


def misfit(model: onnx.ModelProto) -> str:
    """The first node with too few or too many operands, or product or element-wise node whose operands do not fit; ""
    where none is found.
    """
    known = known_shapes(model)
    for node in model.graph.node:
        if text := miscounted(node):
            return text
        shapes = [known.get(name) for name in node.input]
        if len(shapes) < 2 or shapes[0] is None or shapes[1] is None:
            continue
        text = _unfit(node, shapes[0], shapes[1])
        if text:
            return text
    return ""


def miscounted(node: onnx.NodeProto) -> str:
    """What is wrong with how many values a node reads; "" where that is right or not known."""
    if node.domain or not onnx.defs.has(node.op_type):
        return ""
    schema, given = onnx.defs.get_schema(node.op_type), len(node.input)
    if schema.min_input <= given <= schema.max_input:
        return ""
    here = tr("node {name!r}, {op_type}", (node.output or [node.name])[0], node.op_type)
    if given < schema.min_input:
        return tr("{here}, reads {count} values or more, received {given}", here, schema.min_input, given)
    return tr("{here}, reads {count} values at most, received {given}", here, schema.max_input, given)


def _unfit(node: onnx.NodeProto, a: Shape, b: Shape) -> str:
    here = tr("node {name!r}, {op_type}", node.output[0], node.op_type)
    given = tr(
        "{input!r} of shape {a} and {input2!r} of shape {b}",
        input=node.input[0],
        a=list(a),
        input2=node.input[1],
        b=list(b),
    )
    if node.op_type in ("Gemm", "MatMul") and len(a) == len(b) == 2:
        flags = {attribute.name: attribute.i for attribute in node.attribute}
        inner = a[0] if flags.get("transA") else a[1], b[1] if flags.get("transB") else b[0]
        turned = [f"{name}=1" for name in ("transA", "transB") if flags.get(name)]
        with_flags = f" with {', '.join(turned)}" if turned else ""
        what = tr(
            "{here} of {given}{with_flags}: the inner sizes are {inner} and {inner2}",
            here=here,
            given=given,
            with_flags=with_flags,
            inner=inner[0],
            inner2=inner[1],
        )
        return (
            tr("{what}; are the operands exchanged, or is one to be transposed?", what) if inner[0] != inner[1] else ""
        )
    if node.op_type in ("Add", "Sub", "Mul", "Div", "Greater", "Less", "Equal", "Pow", "Max", "Min"):
        pairs = zip(reversed(a), reversed(b), strict=False)
        if any(x != y and 1 not in (x, y) for x, y in pairs):
            return tr("{here} of {given}: neither broadcasts to the other", here, given)
    return ""


def known_shapes(model: onnx.ModelProto) -> dict[str, Shape]:
    """The shapes of values of which ONNX knows every size, as far as it gets."""
    try:
        graph = shape_inference.infer_shapes(model, data_prop=True).graph
    except Exception:  # whatever ONNX has against it
        graph = model.graph
    found = {tensor.name: tuple(tensor.dims) for tensor in graph.initializer}
    for info in (*graph.input, *graph.value_info, *graph.output):
        dims = info.type.tensor_type.shape.dim
        if info.type.tensor_type.HasField("shape") and all(dim.HasField("dim_value") for dim in dims):
            found[info.name] = tuple(dim.dim_value for dim in dims)
    return found
