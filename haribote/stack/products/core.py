"""A core: a way to multiply two operands that are where they are, and the map of what it gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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


Turn = tuple[int, int, int] | None
"""The three address bits of an operand that change places with W and the PE bits on the way, if any do."""


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
    turns: tuple[Turn, Turn]
    target: BitMap
    cycles: int
    steps: int
    scratch: int

    @property
    def kind(self) -> Kind:
        """What it takes at a time."""
        return kind_of(self.precision) if self.matrix else SINGLE

    @cached_property
    def target_above(self) -> BitMap | None:
        """The map of the result in L1BM, parts at the MABs (where there are any) added up; None where no transfer does
        just that."""
        return above(self.target, self.cycles, self.kind.lead)

    def __str__(self) -> str:
        if not self.matrix:
            return f"{self.spec} in the vector unit, {self.steps} steps"
        turned = " and ".join(name for name, turn in zip("ab", self.turns, strict=True) if turn)
        return f"{self.spec} with {self.matrix} as the matrix{f', {turned} turned' * bool(turned)}, {self.steps} steps"


def transfer_up(target: BitMap, lead: int = 0) -> str:
    """The transfer that takes a result to L1BM: it adds up the parts at the MABs, all 16 or four neighbours, or brings
    up every PE's own words; "" where none does just that. lead: address bits among the near ones."""
    parts = [target[Bit("MAB", number)] == PART for number in range(4)]
    if all(parts):
        return "l1bmrffadd"
    if parts == [True, True, False, False]:
        return "l1bmr4ffadd"
    return "" if any(parts) or lead else "l1bmd"


MABS_ABOVE: Mapping[str, Sequence[int]] = {"l1bmrffadd": (), "l1bmr4ffadd": (2, 3), "l1bmd": range(4)}
"""The bits of the MAB that L1BM still tells apart after each transfer, above those of the PE."""


def above(target: BitMap, cycles: int, lead: int = 0) -> BitMap | None:
    """Where L1BM has what a transfer brings up: PE at the lowest address bits, then the `lead` lowest address bits, the
    MAB bits that are left, then the result's other address bits, its lowest in the cycles; cycles without a bit of
    theirs hold copies."""
    name = transfer_up(target, lead)
    if not name:
        return None
    lower = [target[Bit("PE", 0)], target[Bit("PE", 1)], *(target[address(number)] for number in range(lead))]
    lower += [target[Bit("MAB", number)] for number in MABS_ABOVE[name]]
    table = {bit: carry for bit, carry in target.carries if bit.level in ("group", "L2B", "L1B", "W")}
    at_cycles = [target[address(lead + number)] if number < cycles else COPY for number in range(2)]
    upper = [target[address(number)] for number in range(lead + cycles, target.address_bits)]
    table |= {address(number): carry for number, carry in enumerate([*lower, *at_cycles, *upper])}
    return BitMap.of("L1BM", target.shape, table)
