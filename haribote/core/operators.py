"""The operators of the core, beside the table of element-wise ones (`core.elementwise`).

Pick             elements by their numbers: every gather, padding, slice or window
Concat           values side by side
Einsum           products, with sums along the axes that the result has not; Gemm and MatMul are forms of it
Reduce…          the sum, the largest, the smallest along axes
Reshape, …       the same elements in the same order
Transpose, …     elements that move as constants say (`MOVERS`); on the chip views where they are, else Picks
"""

from __future__ import annotations

from haribote.core.elementwise import ELEMENTWISE

PRODUCTS = frozenset(("Einsum", "Gemm", "MatMul"))
REDUCTIONS = frozenset(("ReduceSum", "ReduceMax", "ReduceMin"))
SAME_ORDER = frozenset(("Identity", "Reshape", "Flatten", "Squeeze", "Unsqueeze"))
"""Operators whose result has the elements of their first input in the same order."""
MOVERS = frozenset((
    "CenterCropPad", "DepthToSpace", "Expand", "Flatten", "Gather", "GatherElements", "GatherND", "Pad", "Reshape",
    "ReverseSequence", "Slice", "SpaceToDepth", "Split", "Tile", "Transpose", "Trilu",
))  # fmt: skip
"""Operators whose first input's elements go to their outputs, as the other inputs, constants, say."""
CORE = PRODUCTS | REDUCTIONS | SAME_ORDER | MOVERS | ELEMENTWISE.keys() | {"Pick", "Concat"}
