"""Tiling: the graph on pieces of its values, where the memories of the PEs do not hold what a node needs at once.

Axes that operators tie together (rows of a product's operand and of its result, …) are cut alike, into pieces that are
values of their own: inputs and outputs of the graph too, which the host cuts and joins. Between the nodes that need
them pieces wait in DRAM, as all values do for which there is no room.
"""

from haribote.stack.tiling.cut import cut
from haribote.stack.tiling.merge import merge

__all__ = ["cut", "merge"]
