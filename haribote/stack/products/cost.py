"""What a product in the matrix unit costs, about: as measured for products alone, scheduled."""

from __future__ import annotations

from dataclasses import dataclass

from haribote.stack.products.core import Precision
from haribote.stack.products.room import BLOCK, GROUP


@dataclass(frozen=True)
class ProductCost:
    """Of a product: row groups of the matrix operand, groups of four vectors, blocks summed over at addresses."""

    row_groups: int
    groups: int
    depth: int
    batches: int

    def steps(self, precision: Precision, matrix_turned: bool, vectors_turned: bool) -> int:
        """Turning and rounding, mostly bound by the ALU, and products beside which the next matrix is written."""
        blocks, vectors = self.row_groups * self.depth, self.groups * self.depth
        if precision != "float":
            steps = 2 * blocks + vectors + blocks * max(self.groups, 2)
        elif self.depth == 1:
            steps = 2 * vectors + blocks * (3 * self.groups + 3)
        else:
            steps = 4 * blocks + vectors + blocks * max(3 * self.groups, 6)
        turns = 2 * blocks * matrix_turned + vectors * vectors_turned
        return self.batches * (steps + turns + 3 * (matrix_turned + vectors_turned))

    def room(self, precision: Precision) -> int:
        """Words per PE: forms of both operands, and sums."""
        parts = 2 if precision == "float" else 1
        blocks = 2 if self.depth == 1 else self.row_groups * self.depth
        return parts * (BLOCK * blocks + GROUP * self.groups * self.depth) + GROUP * self.groups
