"""Where the results of a core go: the loops that a target asks for, and the lines that store a result."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from haribote.stack.code import LM
from haribote.stack.maps import NOTHING, PART, Bit, W, address
from haribote.stack.places import Place
from haribote.stack.products.core import MABS_ABOVE, Core, Kind, transfer_up
from haribote.stack.products.matching import FAR
from haribote.stack.products.spec import Carry, NoProduct, Tag, tags
from haribote.stack.products.walk import ProductSide


@dataclass(frozen=True)
class ProductResult:
    """A target. side: its carries as those of a memory of the PEs, before any sum over MABs. transfer: the one that
    sums over MABs on the way to L1BM, "" where results go to banks. kind: what comes at a time.
    """

    side: ProductSide
    transfer: str
    kind: Kind

    @property
    def cycles(self) -> list[Tag]:
        """The index bits at the cycles of a step, where the target says."""
        lead = self.kind.lead
        found = [self.side.carries.get(address(lead + number)) for number in range(2)] if self.transfer else []
        return [carry for carry in found if isinstance(carry, Tag)]

    def store(self, line: str, elements: Sequence[Mapping[Tag, int]], reads: Collection[str]) -> Iterator[str]:
        """The last step of a sum, all but its destination, and what it takes to bring the results to their places.

        reads: the memories that the step reads; what is read from LM keeps results out of it in the same step.
        """
        if self.transfer:
            (place,) = self.side.homes
            start = place.address + (4 << len(MABS_ABOVE[self.transfer])) * self.side.longs(elements[0])
            yield f"{line} $nowrite"
            yield f"{self.transfer} $mauf ${'l' * (self.kind.words // 2)}b{start}"
            return
        texts = " ".join(self.side.text(elements, home, self.kind.words) for home in range(len(self.side.homes)))
        if any(bank in LM and bank in reads for bank in self.side.banks):
            yield f"{line} $nowrite"
            yield f"lpassa $mauf {texts}"
        else:
            yield f"{line} {texts}"


def result(core: Core, target: Place | Sequence[Place]) -> ProductResult:
    """The target of a core. Raises NoProduct where the core's results do not end up there."""
    places = (target,) if isinstance(target, Place) else tuple(target)
    transfer = transfer_up(core.target, core.kind.lead) if places[0].memory == "L1BM" else ""
    found: dict[Bit, Carry] = tags(places[0].map, core.spec.out)
    if places[0].memory == "L1BM":
        if core.target_above is None:
            raise NoProduct("no transfer takes to L1BM just what this core gives", "a target in a bank")
        found = _before(found, transfer, core.kind.lead)
    elif any(place.map.memory != "LM" or place.map != places[0].map for place in places):
        raise NoProduct("the targets of a product are banks, with the same map, or a single place in L1BM")
    own = tags(core.target, core.spec.out)
    near = [Bit("PE", 0), Bit("PE", 1), W]
    if any(found.get(bit) != own[bit] for bit in FAR) or _names(found) != _names(own):
        raise NoProduct(f"the result of {core} is not where the target wants it", f"{core.target}")
    if not core.matrix and any(found[bit] != own[bit] for bit in near):
        raise NoProduct("products in the vector unit stay at W and PE where they are", f"{core.target}")
    return ProductResult(ProductSide(places, found), transfer, core.kind)


def _before(found: Mapping[Bit, Carry], transfer: str, lead: int) -> dict[Bit, Carry]:
    """What the PEs hold before a transfer to L1BM."""
    table: dict[Bit, Carry] = {bit: carry for bit, carry in found.items() if bit.level not in ("MAB", "PE", "address")}
    kept = [Bit("MAB", number) for number in MABS_ABOVE[transfer]]
    lower = [Bit("PE", 0), Bit("PE", 1), *(address(number) for number in range(lead)), *kept]
    table |= {Bit("MAB", number): PART for number in range(4)}
    table |= {bit: found.get(address(number), NOTHING) for number, bit in enumerate(lower)}
    upper = {bit.number - len(lower) + lead: carry for bit, carry in found.items() if bit.level == "address"}
    return table | {address(number): carry for number, carry in upper.items() if number >= lead}


def _names(found: Mapping[Bit, Carry]) -> set[Tag]:
    return {carry for carry in found.values() if isinstance(carry, Tag)}
