"""Vectors: a chain of element-wise operators as one loop over the words of a PE, an expression in registers.

nodes of the graph -> values (machine operations) -> nodes (masked writes, targets) -> lines -> text for each group
"""

from __future__ import annotations

from haribote.stack.vectors.emit import emit, steps
from haribote.stack.vectors.expression import SUPPORTED
from haribote.stack.vectors.fills import fill_of

__all__ = ["SUPPORTED", "emit", "fill_of", "steps"]
