"""Fuse: chains of element-wise operators, and what follows a Gemm, become one node each, for backends that write loops.

    Gemm, Add bias                          ->  Gemm with three inputs
    element-wise nodes of one shape         ->  haribote.<their names>, such as MulSub or GreaterCastMul
    Gemm, then element-wise nodes           ->  haribote.Gemm<their names>, such as GemmRelu

A fused node is a function of the domain `haribote` whose body is the nodes it came from, so every ONNX tool can still
evaluate the graph, and the C++ backend writes one loop from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import onnx
from onnx import helper, numpy_helper

from haribote.answers.ownership import exercise
from haribote.core.elementwise import ROWS
from haribote.errors import GraphError
from haribote.graph import Array, Builder, Index, attributes, clone, complete
from haribote.operators.functions import DOMAIN, FUNCTIONS, OPSET
from haribote.passes.dead_code import remove_dead_code
from simulator.messages import tr

ELEMENTWISE = frozenset(row.name for row in ROWS if row.cpp and row.name not in FUNCTIONS and row.name != "Identity")
"""ONNX's own operators that one loop in C++ can do together."""


def run(model: onnx.ModelProto) -> onnx.ModelProto:
    """The same graph with fused nodes. A value that two nodes need, or that is an output, is still computed alone."""
    return fuse_clusters(fuse_bias(model))


def fuse_bias(model: onnx.ModelProto) -> onnx.ModelProto:
    """Let a Gemm add the bias that the only reader of its result adds."""
    model = clone(model)
    index = Index(model)
    for node in list(model.graph.node):
        gemm = index.producer.get(node.input[0]) if node.op_type == "Add" else None
        if gemm is None or gemm.op_type != "Gemm" or len(gemm.input) != 2 or gemm.name not in index.node:
            continue
        bias, shape = node.input[1], index.shape[node.output[0]]
        if _private(index, gemm.output[0]) and index.shape[gemm.output[0]] == shape and bias != gemm.output[0]:
            attrs = attributes(gemm)
            node.CopyFrom(helper.make_node("Gemm", [*gemm.input, bias], node.output, name=node.name, **attrs))
            model.graph.node.remove(gemm)
    return complete(model)


def fuse_clusters(model: onnx.ModelProto) -> onnx.ModelProto:
    """Make one node of every cluster of two or more nodes, where its last node was."""
    index, builder = Index(model), Builder.like(model)
    members = clusters(model)
    _check(members, index)
    for node in model.graph.node:
        cluster = members[node.name]
        if len(cluster) == 1:
            builder.keep(node)
        elif node.name == cluster[-1].name:
            _add_fused(builder, cluster, index)
    remove_dead_code(builder.model)
    return builder.finish()


@exercise("3.3")
def clusters(model: onnx.ModelProto) -> dict[str, list[onnx.NodeProto]]:
    """Node name to the cluster it belongs to: nodes in order, the last one makes the only value that others read.

    A node joins the cluster of its readers if they all are in one, it works element by element on the same shape, and
    its result is no output of the graph. A Gemm joins if it is the only one there. All paths from one node of a
    cluster to another lead through the cluster, so the graph stays without cycles.
    """
    raise NotImplementedError


def _check(members: Mapping[str, Sequence[onnx.NodeProto]], index: Index) -> None:
    """Refuse clusters that are no partition of the nodes, or that hide a value which is read outside."""
    for node in index.node.values():
        cluster = members.get(node.name)
        if cluster is None or all(member.name != node.name for member in cluster):
            raise GraphError(tr("fuse: node {name!r} is in no cluster", node.name), tr("a cluster of its own: [node]"))
        inside = {member.name for member in cluster}
        apart = [name for name in inside if name not in members or members[name] is not cluster]
        if apart:
            raise GraphError(
                tr("fuse: {apart!r} and {name!r} share a cluster, but not the same list", apart[0], node.name)
            )
        readers = {reader.name for reader in index.consumers[node.output[0]]}
        if node.name != cluster[-1].name and (readers - inside or node.output[0] in index.outputs):
            reader = next(iter(sorted(readers - inside)), tr("the graph's output"))
            raise GraphError(
                tr(
                    "fuse: {output!r} is computed inside {inside}, but {reader} reads it too",
                    node.output[0],
                    sorted(inside),
                    reader,
                )
            )


def _private(index: Index, value: str) -> bool:
    return len(index.consumers[value]) == 1 and value not in index.outputs


def _add_fused(builder: Builder, cluster: Sequence[onnx.NodeProto], index: Index) -> None:
    inner = {name for node in cluster for name in node.output}
    outer = dict.fromkeys(name for node in cluster for name in node.input if name not in inner)
    numbers = {name: index.constants[name] for name in outer if name in index.constants and not index.shape[name]}
    inputs = [name for name in outer if name not in numbers]
    name = _function(builder, cluster, inputs, numbers)
    last = cluster[-1]
    builder.op(name, *inputs, name=last.output[0], reserved=True)
    builder.model.graph.node[-1].metadata_props.extend(last.metadata_props)


def _function(
    builder: Builder, cluster: Sequence[onnx.NodeProto], inputs: Sequence[str], numbers: Mapping[str, Array]
) -> str:
    """The name of the function with the cluster as its body, constant numbers included; equal bodies share one."""
    plain = {name: f"x{number}" for number, name in enumerate(inputs)}
    plain |= {name: f"c{number}" for number, name in enumerate(numbers)}
    plain |= {node.output[0]: f"{node.op_type.lower()}{number}" for number, node in enumerate(cluster)}
    plain[cluster[-1].output[0]] = "y"
    nodes = [
        helper.make_node("Constant", [], [plain[name]], value=numpy_helper.from_array(value))
        for name, value in numbers.items()
    ]
    for node in cluster:
        copy = onnx.NodeProto(op_type=node.op_type, input=[plain[name] for name in node.input])
        copy.output.append(plain[node.output[0]])
        copy.attribute.extend(node.attribute)
        nodes.append(copy)
    base = "".join(node.op_type for node in cluster)
    known = {function.name: function for function in builder.model.functions}
    name, number = base, 1
    while True:
        opsets = [helper.make_opsetid("", OPSET)]
        function = helper.make_function(DOMAIN, name, [plain[x] for x in inputs], ["y"], nodes, opsets)
        if name in known and known[name] == function:
            return name
        if name not in known and name not in FUNCTIONS:
            builder.function(function)
            return name
        number += 1
        name = f"{base}{number}"
