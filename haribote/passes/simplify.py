"""Simplify: fold constants, write everything in one form, remove what does nothing, make Gemm of products."""

from __future__ import annotations

from collections.abc import Iterable

import onnx
from onnx import helper

from haribote.core.operators import SAME_ORDER
from haribote.graph import Index, Shape, attributes, clone, complete, turned
from haribote.passes import canonical
from haribote.passes.dead_code import remove_dead_code
from haribote.passes.fold_constants import fold_constants


def run(model: onnx.ModelProto) -> onnx.ModelProto:
    """The same function of the same inputs, with fewer and plainer nodes. Names of inputs and outputs stay.

    Where two values become one, the later name survives if nothing else reads the earlier value: the gradient of a
    weight, transposed twice, is still called `0.weight.grad`.
    """
    model = clone(model)
    fold_constants(model)
    model = canonical.run(model)
    remove_no_ops(model)
    drop_kept_axes(model)
    fuse_gemm(model)
    remove_dead_code(model)
    return complete(model)


def remove_no_ops(model: onnx.ModelProto) -> None:
    """Remove every node whose result is a value that exists already. In place, as the other functions below."""
    index, found = Index(model), True
    while found:
        found, position = False, 0
        while position < len(model.graph.node):
            node = model.graph.node[position]
            source = _unchanged(node, index)
            if source is not None and _merge(model, index, source, node):
                index.look_up_nodes(model.graph)
                found = True  # the node is gone, and another stands here
            else:
                position += 1


def _unchanged(node: onnx.NodeProto, index: Index) -> str | None:
    """The value that equals the node's result, if there is one."""
    if not node.input or not node.input[0]:
        return None
    x: str = node.input[0]
    y: str = node.output[0]
    inner = index.producer.get(x)
    if node.op_type == "Identity":
        return x
    if node.op_type in SAME_ORDER:
        return _same_before(x, index.shape[y], index)
    if node.op_type == "Cast" and index.dtype[x] == index.dtype[y]:
        return x
    if node.op_type in ("Mul", "Div") and index.shape[x] == index.shape[y]:
        factor = index.constants.get(node.input[1])
        return x if factor is not None and (factor == 1).all() else None
    if node.op_type != "Transpose":
        return None
    order = turned(node, len(index.shape[x]))
    if order == sorted(order):
        return x
    if inner is not None and inner.op_type == "Transpose":
        first = turned(inner, len(order))
        return str(inner.input[0]) if [first[axis] for axis in order] == sorted(first) else None
    return None


def _same_before(x: str, shape: Shape, index: Index) -> str | None:
    """The last value of this shape, x or one before it, that has the elements of x in the same order."""
    while index.shape[x] != shape:
        producer = index.producer.get(x)
        if producer is None or producer.op_type not in SAME_ORDER:
            return None
        x = producer.input[0]
    return x


def _merge(model: onnx.ModelProto, index: Index, source: str, node: onnx.NodeProto) -> bool:
    """Let the readers of the node's result read the source instead, under the better name; False if both must stay."""
    result = node.output[0]
    producer = index.producer.get(source)
    fixed = producer is None or source in index.outputs
    if fixed and result in index.outputs:
        return False
    readers = index.consumers[result]
    touched = [*([] if producer is None else [producer]), *index.consumers[source], *readers]
    skipped = source != node.input[0]  # what stood between them is read by nothing any more
    model.graph.node.remove(node)
    _rename(touched, result, source)
    if result in index.outputs:
        _rename(touched, source, result)
        return True
    if skipped:
        remove_dead_code(model)
    others = sum(source in other.input for other in model.graph.node)
    if not fixed and others == len(readers):
        _rename(touched, source, result)
    return True


def _rename(nodes: Iterable[onnx.NodeProto], old: str, new: str) -> None:
    for node in nodes:
        for names in (node.input, node.output):
            if old in names:
                names[:] = [new if name == old else name for name in names]
        if node.name == old:
            node.name = new


def drop_kept_axes(model: onnx.ModelProto) -> None:
    """ReduceSum that keeps its axes, then a Reshape that removes them: one ReduceSum."""
    index = Index(model)
    for node in list(model.graph.node):
        inner = _producer(node, "Reshape", "ReduceSum", index)
        if inner is None or len(inner.input) < 2:
            continue
        x, axes = inner.input[0], index.constants.get(inner.input[1])
        if axes is None or not axes.size or not _read_only_by(node, inner.output[0], index):
            continue
        rank = len(index.shape[x])
        left = tuple(size for axis, size in enumerate(index.shape[x]) if axis not in axes % rank)
        if left == index.shape[node.output[0]]:
            node.CopyFrom(helper.make_node("ReduceSum", inner.input, node.output, name=node.name, keepdims=0))
            model.graph.node.remove(inner)


def _producer(node: onnx.NodeProto, op_type: str, producer: str, index: Index) -> onnx.NodeProto | None:
    """Of a node of one type the one of another type whose result is its first input."""
    found = index.producer.get(node.input[0]) if node.op_type == op_type else None
    return found if found is not None and found.op_type == producer else None


def _read_only_by(node: onnx.NodeProto, value: str, index: Index) -> bool:
    return index.consumers[value] == [node] and value not in index.outputs


def fuse_gemm(model: onnx.ModelProto) -> None:
    """MatMul of matrices becomes Gemm; transA and transB take the place of the Transpose nodes around a Gemm."""
    index = Index(model)
    for node in model.graph.node:
        if node.op_type == "MatMul" and all(len(index.shape[name]) == 2 for name in node.input):
            node.op_type = "Gemm"
        if node.op_type == "Gemm":
            _absorb_transposes(node, index)
    for node in model.graph.node:
        gemm = _producer(node, "Transpose", "Gemm", index)
        if gemm is not None and len(gemm.input) == 2 and turned(node, 2) == [1, 0]:
            _transpose_product(node, gemm)
    remove_dead_code(model)


def _absorb_transposes(node: onnx.NodeProto, index: Index) -> None:
    """Let a Gemm read what the Transpose before its first or second input reads."""
    for position, flag in enumerate(("transA", "transB")):
        producer = index.producer.get(node.input[position])
        if producer is not None and producer.op_type == "Transpose" and turned(producer, 2) == [1, 0]:
            node.input[position] = producer.input[0]
            others = [attribute for attribute in node.attribute if attribute.name != flag]
            turn = [] if attributes(node).get(flag, 0) else [helper.make_attribute(flag, 1)]
            del node.attribute[:]
            node.attribute.extend([*others, *turn])


def _transpose_product(node: onnx.NodeProto, gemm: onnx.NodeProto) -> None:
    """Let the node compute (a @ b).T as b.T @ a.T."""
    (a, b), attrs = gemm.input, attributes(gemm)
    attrs |= {"transA": 1 - attrs.get("transB", 0), "transB": 1 - attrs.get("transA", 0)}
    present = {name: value for name, value in attrs.items() if value or name == "alpha"}
    node.CopyFrom(helper.make_node("Gemm", [b, a], node.output, name=node.name, **present))
