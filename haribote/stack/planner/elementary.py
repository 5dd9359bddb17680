"""The core graph that the chip runs: what is no view of another value, and moves elements, is a Pick."""

from __future__ import annotations

import onnx

from haribote.core import rewrite
from haribote.core.from_onnx import lower
from haribote.core.from_onnx.indexing import moved
from haribote.graph import Builder, Index
from haribote.passes.cse import run as share
from haribote.stack.planner.views import view_of


def run(model: onnx.ModelProto) -> onnx.ModelProto:
    """The same function; what has no rule stays as it is."""
    lowered = lower(model, _taken)
    return share(rewrite.once(lowered, _as_pick) or lowered)


def _taken(node: onnx.NodeProto, _: Index) -> bool:
    """One Pick is better than a transpose between two reshapes."""
    return node.op_type in ("DepthToSpace", "SpaceToDepth")


def _as_pick(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    return view_of(node, index) is None and moved(builder, index, node)
