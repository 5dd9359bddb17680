"""A core: a way to multiply two operands that are where they are, and the map of what it gives."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from haribote.stack.maps import COPY, PART, Bit, BitMap, W, address
from haribote.stack.products.spec import Spec

Precision = Literal["float", "pseudo", "half"]
"""float: singles, by the matrix unit as three products of pseudo-singles (18 bits each); pseudo: one product of
pseudo-singles; half: one of halves with single sums."""
NEAR = (W, Bit("PE", 0), Bit("PE", 1))
"""The bits of the place that the matrix unit sums over, and where the rows of its result stand."""


@dataclass(frozen=True)
class Kind:
    """What the matrix unit takes at a time. near: the bits of the place that it sums over, and where the rows of its
    result stand. words: of an operand of singles, and of a result, in a PE and cycle.
    """

    near: tuple[Bit, ...]
    words: int

    @property
    def lead(self) -> int:
        """Address bits among the near ones, the lowest."""
        return len(self.near) - len(NEAR)

    @property
    def rows(self) -> int:
        """Of a matrix."""
        return 1 << len(self.near)


SINGLE = Kind(NEAR, 2)
HALF = Kind((W, address(0), *NEAR[1:]), 4)


def kind_of(precision: Precision) -> Kind:
    """What the matrix unit takes at a time of operands of this precision."""
    return HALF if precision == "half" else SINGLE


@dataclass(frozen=True)
class Core:
    """How a contraction is computed.

    matrix: the operand whose 8x8 blocks are written to the matrix register, "" for products in the vector unit.
    turns: for a and b the three address bits that change places with W and the PE bits on the way, or None. target:
    the map of the result; PART where units hold parts of the sums. Any other order of the address bits, and other rows
    of the matrix operand at W and PE, may be asked of `emit`. cycles: how many of the target's lowest address bits
    (after `kind.lead`) are told apart by the cycles of a step, 2 where there are so many. steps: about how many when
    nothing else fills them. scratch: words per PE while it runs.
    """

    spec: Spec
    a: BitMap
    b: BitMap
    precision: Precision
    matrix: Literal["a", "b", ""]
    turns: tuple[tuple[int, int, int] | None, tuple[int, int, int] | None]
    target: BitMap
    cycles: int
    steps: int
    scratch: int

    @property
    def kind(self) -> Kind:
        """What it takes at a time."""
        return kind_of(self.precision) if self.matrix else SINGLE

    @cached_property
    def reduced_target(self) -> BitMap | None:
        """The map of the result in L1BM after the sums over the MABs (where their parts are), None where no transfer
        adds up exactly these."""
        return reduced(self.target, self.cycles, self.kind.lead)

    def __str__(self) -> str:
        if not self.matrix:
            return f"{self.spec} in the vector unit, {self.steps} steps"
        turned = " and ".join(name for name, turn in zip("ab", self.turns, strict=True) if turn)
        return f"{self.spec} with {self.matrix} as the matrix{f', {turned} turned' * bool(turned)}, {self.steps} steps"


def reduction(target: BitMap) -> str:
    """The transfer that adds up the parts at the MABs: all 16, or four neighbours; "" where there is none."""
    parts = [target[Bit("MAB", number)] == PART for number in range(4)]
    if all(parts):
        return "l1bmrffadd"
    return "l1bmr4ffadd" if parts == [True, True, False, False] else ""


def reduced(target: BitMap, cycles: int, lead: int = 0) -> BitMap | None:
    """Where L1BM has what a transfer adds up: PE at the lowest address bits, then the `lead` lowest address bits, with
    `l1bmr4` the higher MAB bits, then the result's other address bits, its lowest in the cycles; cycles without a bit
    of theirs hold copies."""
    name = reduction(target)
    if not name:
        return None
    lower = [target[Bit("PE", 0)], target[Bit("PE", 1)], *(target[address(number)] for number in range(lead))]
    if name == "l1bmr4ffadd":
        lower += [target[Bit("MAB", 2)], target[Bit("MAB", 3)]]
    table = {bit: carry for bit, carry in target.carries if bit.level in ("group", "L2B", "L1B", "W")}
    at_cycles = [target[address(lead + number)] if number < cycles else COPY for number in range(2)]
    upper = [target[address(number)] for number in range(lead + cycles, target.address_bits)]
    table |= {address(number): carry for number, carry in enumerate([*lower, *at_cycles, *upper])}
    return BitMap.of("L1BM", target.shape, table)
