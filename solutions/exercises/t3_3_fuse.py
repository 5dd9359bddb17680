"""Task 3.3: fuse element-wise chains (from the last node to the first, each joins the cluster of its readers)."""

from __future__ import annotations

import onnx

from haribote.graph import Index
from haribote.passes.fuse import ELEMENTWISE


def clusters(model: onnx.ModelProto) -> dict[str, list[onnx.NodeProto]]:
    """Which nodes become one loop: for every node, by its name, the cluster that it belongs to.

    A cluster is a list of nodes in the graph's order; all its nodes map to the very same list, and a node that joins no
    other has a list of its own. Only the value of a cluster's last node is written to memory, so a node may join the
    cluster of its readers only if
        - it has readers, all of them are in that one cluster, and its result is no output of the graph;
        - its result has the same shape as that of the cluster's last node;
        - it is element-wise (its op_type is in ELEMENTWISE), and so is every node that is in the cluster already.
    A Gemm may join too, under the same conditions; it is then the first one of its cluster, and nothing joins after it.
    Make the clusters as large as these rules allow. `model.graph.node` is in an order in which every value is made
    before it is read. Every node here makes one value, `node.output[0]`. `Index(model)` has `consumers` (value name to
    the nodes that read it), `outputs` (names of the graph's outputs) and `shape` (value name to shape). Import
    ELEMENTWISE from haribote.passes.fuse and Index from haribote.graph.
    """
    ### BEGIN SOLUTION
    index = Index(model)
    cluster_of: dict[str, list[onnx.NodeProto]] = {}
    for node in reversed(model.graph.node):
        result = node.output[0]
        cluster_of[node.name] = [node]
        if result in index.outputs or (node.op_type not in ELEMENTWISE and node.op_type != "Gemm"):
            continue
        readers = [cluster_of[reader.name] for reader in index.consumers[result]]
        if not readers or any(cluster is not readers[0] for cluster in readers):
            continue
        same_shape = index.shape[result] == index.shape[readers[0][-1].output[0]]
        if same_shape and all(member.op_type in ELEMENTWISE for member in readers[0]):
            readers[0].insert(0, node)
            cluster_of[node.name] = readers[0]
    return cluster_of
    ### END SOLUTION
