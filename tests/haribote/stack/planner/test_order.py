"""The order in which nodes are planned does not depend on the order in which a graph was traced."""

from __future__ import annotations

import onnx

from haribote.graph import complete
from haribote.stack.planner.facts import Facts
from haribote.stack.planner.one_round import ordered
from haribote.stack.planner.tariff import Tariff

NODES = ["g = Relu(x)", "s = ReduceSum <keepdims = 0> (g, zero)", "a = MatMul(g, w)", "y = Exp(a)", "z = Neg(s)"]


def names(order: list[int]) -> list[str]:
    """The outputs of the nodes, given in this order, as they are planned."""
    model = onnx.parser.parse_model(
        '<ir_version: 10, opset_import: ["": 21]> agraph (float[16, 8] x, float[8, 8] w) => '
        "(float[16, 8] y, float[8] z) <int64[1] zero = {0}> {" + "\n".join(NODES[number] for number in order) + "}"
    )
    for number, node in enumerate(model.graph.node):
        node.name = f"n{number}"
    return [node.output[0] for node in ordered(Facts(complete(model), Tariff()))]


def test_reductions_come_right_behind_their_operands() -> None:
    assert names([0, 1, 2, 3, 4])[:2] == ["g", "s"]
    assert names([0, 2, 1, 3, 4]) == names([0, 2, 3, 1, 4]) == ["g", "s", "a", "y", "z"]
