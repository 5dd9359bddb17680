"""How each kind of node may be planned: from a state, the states after it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import onnx

from haribote.core.elementwise import ELEMENTWISE
from haribote.graph import Index
from haribote.stack.planner.contractions import product
from haribote.stack.planner.elementwise import elementwise
from haribote.stack.planner.errors import NotPlanned
from haribote.stack.planner.gathers import pick
from haribote.stack.planner.letters import PRODUCTS
from haribote.stack.planner.reductions import REDUCTIONS, reduction
from haribote.stack.planner.states import State
from simulator.messages import tr

Rule = Callable[[State, onnx.NodeProto], Iterator[State]]


def rule_of(node: onnx.NodeProto, index: Index | None = None) -> Rule:
    """The rule of a node. Raises NotPlanned, which with an index says of what operands."""
    if node.op_type in REDUCTIONS:
        return reduction
    if node.op_type in PRODUCTS:
        return product
    if node.op_type == "Pick":
        return pick
    if node.op_type in ELEMENTWISE:
        return elementwise
    why = tr("there is no rule for {op_type}", node.op_type)
    if index is not None:
        operands = _told(index, node)
        why = tr("there is no rule for {op_type} of {operands}", node.op_type, operands)
    what_to_try = tr("operators and forms that -O2 has; `haribote cut` leaves the others to the host")
    raise NotPlanned(tr("node {name}: {why}", node.name, why), what_to_try)


def _told(index: Index, node: onnx.NodeProto) -> str:
    """The operands and the attributes of a node, as x float32[3, 5], k int64[], axis=1."""
    given = [f"{name} {index.dtype[name]}{list(index.shape[name])}" for name in node.input if name]
    return ", ".join([*given, *(str(onnx.helper.printable_attribute(attribute)) for attribute in node.attribute)])
