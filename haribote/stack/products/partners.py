"""Maps for one operand of a product where the other's is known.

At every unit bit the known operand decides: what is summed over or a batch stands at the same bit, what is its own is
copied. Where it holds copies, free index bits of the other may be dealt out to the units, so that each computes less.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from haribote.stack.maps import COPY, Bit, BitMap, address
from haribote.stack.products.core import SINGLE, Kind
from haribote.stack.products.matching import ALL, FAR, turned
from haribote.stack.products.spec import Carries, Carry, Spec, Tag, address_tags, index_tags, map_of, tags

DEALT: tuple[tuple[str, ...], ...] = (
    (),
    ("MAB",),
    ("MAB", "L1B"),
    ("MAB", "L2B", "group"),
    ("MAB", "L1B", "L2B", "group"),
    ("L1B",),
    ("L2B", "group"),
    ("L1B", "L2B", "group"),
)
"""Levels to which the free index bits of the wanted operand are dealt out, where the known one holds copies."""


def candidates(spec: Spec, which: str, known: BitMap, shape: Sequence[int], kind: Kind = SINGLE) -> Iterator[BitMap]:
    """Maps for operand `which` that may fit; some of them twice, and some not at all. kind: of the matrix unit's
    operands."""
    own, other = (spec.a, spec.b) if which == "a" else (spec.b, spec.a)
    carries = tags(known, other)
    for ready in _ready(spec, carries, kind):
        for found in _partners(spec, own, shape, ready, FAR, kind):
            yield from _turnable(shape, own, found, kind)
    for found in _partners(spec, own, shape, carries, ALL, SINGLE):
        yield map_of(shape, own, "LM", found)


def _ready(spec: Spec, known: Carries, kind: Kind) -> Iterator[Carries]:
    """The known operand as the matrix unit could read it: as it is, or turned."""
    at = {tag: number for number, tag in address_tags(known)}
    summed = sorted(filter(spec.is_summed, at), key=spec.rank)[:3]
    found = [known]
    if len(summed) == 3:
        found.append(turned(known, (at[summed[0]], at[summed[1]], at[summed[2]])))
    for carries in found:
        if all(spec.is_summed(carries.get(bit)) for bit in kind.near):
            yield carries


def _partners(
    spec: Spec, own: str, shape: Sequence[int], ready: Carries, units: Sequence[Bit], kind: Kind
) -> Iterator[dict[Bit, Carry]]:
    """The other operand, read in place, its free index bits dealt out in each way. own, shape: of its axes; units: bits
    at which each unit has its own share of the work."""
    found: dict[Bit, Carry] = {bit: ready[bit] for bit in kind.near}
    for bit in units:
        carry = ready[bit]
        found[bit] = carry if isinstance(carry, Tag) and carry.letter in own else COPY
    left = sorted(set(index_tags(tuple(shape), own)).difference(found.values()), key=spec.rank)
    free = [tag for tag in left if tag.letter not in spec.summed | spec.batch]
    rest = [tag for tag in left if tag not in free]
    kept = 0 if units is ALL else len(kind.near)  # rows of a matrix, or what comes to addresses by a turn
    for spare, start in _dealt(ready, units, len(free), kept):
        dealt = free[start : start + len(spare)]
        at_addresses = [*free[:start], *free[start + len(spare) :], *rest]
        yield {
            **found,
            **dict(zip(spare, dealt, strict=True)),
            **{address(kind.lead + number): tag for number, tag in enumerate(at_addresses)},
        }


def _dealt(ready: Carries, units: Sequence[Bit], free: int, kept: int) -> list[tuple[tuple[Bit, ...], int]]:
    """The units that get free index bits, each time with the place of the first of these: of the highest, and of the
    lowest. free: how many there are; kept: so many of the lowest stay at addresses."""
    found: list[tuple[tuple[Bit, ...], int]] = []
    for levels in DEALT:
        near = ("PE", "W") if levels and units is ALL else ()
        spare = [bit for level in (*levels, *near) for bit in units if bit.level == level and ready[bit] == COPY]
        chosen = tuple(spare[: max(free - kept, 0)])
        found += [(chosen, free - len(chosen)), (chosen, kept)] if chosen else [((), free)]
    return list(dict.fromkeys(found))


def _turnable(shape: Sequence[int], own: str, found: Carries, kind: Kind) -> Iterator[BitMap]:
    """An operand as it is, and as it would be before its lowest three address bits come to W and PE."""
    yield map_of(shape, own, "LM", found)
    if len(address_tags(found)) >= kind.lead + 3:
        yield map_of(shape, own, "LM", turned(found, (kind.lead, kind.lead + 1, kind.lead + 2)))
