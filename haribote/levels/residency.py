"""What -O1 would move if a PE had less local memory."""

from __future__ import annotations

from collections import Counter
from functools import cache

import onnx

from haribote.compiler import lower
from haribote.levels.steps import traced_step
from haribote.resident import lowered


def moved_with(words: int) -> Counter[str]:
    """How many DL, UL and Copy the training step has at -O1 if so many words of each LM may hold tensors.

    Only planned, not run: kernels would want more.
    """
    placed = lowered.place(_arranged(), words=words)
    return Counter(node.op_type for node in placed.graph.node if node.op_type in ("DL", "UL", "Copy"))


@cache
def _arranged() -> onnx.ModelProto:
    return lower(traced_step(), stop_after="layout")
