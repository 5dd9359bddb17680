"""Elementary: the graph in the operators of the stack, which are element-wise ones, reductions, contractions and views,
and Pick for everything else that moves elements.
"""

from __future__ import annotations

import onnx

from haribote.graph import Builder, Index, complete
from haribote.passes.cse import run as share
from haribote.passes.dead_code import remove_dead_code
from haribote.stack import vectors
from haribote.stack.elementary.convolution import CONVOLUTIONS
from haribote.stack.elementary.einsums import EINSUMS
from haribote.stack.elementary.empty import without_empty
from haribote.stack.elementary.indexing import MOVERS, moved
from haribote.stack.elementary.inline import inline
from haribote.stack.elementary.lookups import LOOKUPS
from haribote.stack.elementary.more_rules import MORE
from haribote.stack.elementary.pooling import POOLS
from haribote.stack.elementary.reductions import REDUCTIONS
from haribote.stack.elementary.rules import RULES, Rule
from haribote.stack.elementary.scatters import SCATTERS
from haribote.stack.elementary.sorting import SORTING
from haribote.stack.planner.views import view_of

ALL = (EINSUMS, REDUCTIONS, RULES, CONVOLUTIONS, POOLS, LOOKUPS, SCATTERS, SORTING, MORE)
ELEMENTARY = frozenset(("Pick", "Concat", "Einsum", "ReduceSum", "ReduceMax", "ReduceMin", "Squeeze", "Unsqueeze"))


def run(model: onnx.ModelProto) -> onnx.ModelProto:
    """The same function; what has no rule here stays as it is."""
    model = _written(without_empty(inline(model, _known)), _by_rule)
    return share(_written(model, _as_pick))


def _known(node: onnx.NodeProto) -> bool:
    """True for what is elementary, or becomes so by a rule."""
    return node.op_type in ELEMENTARY | vectors.SUPPORTED.keys() | {name for rules in ALL for name in rules} | MOVERS


def _by_rule(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    return any(rules[node.op_type](builder, index, node) for rules in ALL if node.op_type in rules)


def _as_pick(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    return view_of(node, index) is None and moved(builder, index, node)


def _written(model: onnx.ModelProto, rule: Rule) -> onnx.ModelProto:
    """The graph with every node that a rule writes written so."""
    builder, index = Builder.like(model), Index(model)
    for node in model.graph.node:
        if not rule(builder, index, node):
            builder.keep(node)
    remove_dead_code(builder.model)
    return complete(builder.model)
