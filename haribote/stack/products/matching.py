"""How two operands meet: bit by bit of the place, whether a unit that has both can multiply them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

from haribote.stack.maps import COPY, NOTHING, PART, Bit, BitMap, address, unit_bits
from haribote.stack.products.core import NEAR, Core, Precision, Turn, kind_of
from haribote.stack.products.cost import ProductCost
from haribote.stack.products.spec import Carries, Carry, Spec, Tag, address_tags, tags
from haribote.stack.products.walk import count

FAR = tuple(bit for bit in unit_bits("LM") if bit.level != "PE")
"""The bits of the place beyond those that the matrix unit sums over."""
ALL = (*FAR, *NEAR)


def turned(carries: Carries, turn: Turn) -> dict[Bit, Carry]:
    """What a map carries after the 8x8 blocks of three address bits by W and PE are transposed."""
    found = dict(carries)
    for near, number in zip(NEAR, turn or (), strict=False):
        found[near], found[address(number)] = found[address(number)], found[near]
    return found


def meet(spec: Spec, a: Carries, b: Carries, bits: Iterable[Bit]) -> dict[Bit, Carry] | None:
    """What the result carries at unit bits where both operands are read in place; None where that gives no result."""
    found: dict[Bit, Carry] = {}
    for bit in bits:
        both = a[bit], b[bit]
        named = [carry for carry in both if isinstance(carry, Tag)]
        if PART in both or (named and NOTHING in both):
            return None
        if len(named) == 2:
            if named[0] != named[1]:
                return None
            found[bit] = PART if named[0].letter in spec.summed else named[0]
        elif named:
            if named[0].letter in spec.summed | spec.batch:
                return None
            found[bit] = named[0]
        else:
            found[bit] = NOTHING if NOTHING in both else COPY
    return found


def plain(carries: Carries) -> bool:
    """Whether each index bit stands at one bit of the place, none in parts."""
    named = [carry for carry in carries.values() if isinstance(carry, Tag)]
    return len(set(named)) == len(named) and PART not in carries.values()


@dataclass(frozen=True)
class Loops:
    """The index bits at addresses by what a product does with them; x is the matrix (or the first operand)."""

    x_free: tuple[Tag, ...]
    y_free: tuple[Tag, ...]
    summed: tuple[Tag, ...]
    batch: tuple[Tag, ...]


def loops(spec: Spec, x: Carries, y: Carries, near: tuple[Bit, ...] = NEAR) -> Loops | None:
    """The loops over addresses, those of `near` left out, each lowest index first; None where the operands differ in
    what is summed over there or in their batches."""
    found = [
        sorted((tag for _, tag in address_tags(own) if tag not in [own.get(bit) for bit in near]), key=spec.rank)
        for own in (x, y)
    ]
    shared = [[tag for tag in own if tag.letter in spec.summed | spec.batch] for own in found]
    if shared[0] != shared[1]:
        return None
    free = [tuple(tag for tag in own if tag not in shared[0]) for own in found]
    summed = tuple(tag for tag in shared[0] if tag.letter in spec.summed)
    return Loops(free[0], free[1], summed, tuple(tag for tag in shared[0] if tag not in summed))


def turns(spec: Spec, x: Carries, y: Carries) -> Iterator[tuple[Turn, Turn]]:
    """Which operands could be transposed so that W and PE carry the same summed bits in both; none, one, both."""
    at = [{tag: number for number, tag in address_tags(found)} for found in (x, y)]
    near = [[found[bit] for bit in NEAR] for found in (x, y)]
    summed = [all(map(spec.is_summed, own)) for own in near]
    if summed[0] and near[0] == near[1]:
        yield None, None
    for own in range(2):
        wanted = near[1 - own]
        if summed[1 - own] and all(carry in at[own] for carry in wanted):
            turn = tuple(at[own][carry] for carry in wanted if isinstance(carry, Tag))
            yield (turn, None) if own == 0 else (None, turn)  # type: ignore[misc]
    both = sorted((tag for tag in at[0] if tag in at[1] and tag.letter in spec.summed), key=spec.rank)
    for chosen in combinations(both, 3):
        yield tuple(tuple(found[tag] for tag in chosen) for found in at)  # type: ignore[misc]


def matrix_cores(spec: Spec, a: BitMap, b: BitMap, precision: Precision) -> Iterator[Core]:
    """The ways through the matrix unit."""
    both = tags(a, spec.a), tags(b, spec.b)
    if not all(map(plain, both)):
        return
    near = kind_of(precision).near
    done = False
    for turn in turns(spec, *both):
        if done and None not in turn:
            return
        ready = [turned(carries, own) for carries, own in zip(both, turn, strict=True)]
        far = meet(spec, ready[0], ready[1], FAR)
        if far is None or any(ready[0].get(bit) != ready[1].get(bit) for bit in near):
            continue
        if not all(spec.is_summed(ready[0].get(bit)) for bit in near):
            continue
        for number in range(2):
            found = loops(spec, ready[number], ready[1 - number], near)
            if found is not None:
                done = True
                yield _matrix_core(spec, a, b, precision, number, turn, far, found)


def _matrix_core(
    spec: Spec,
    a: BitMap,
    b: BitMap,
    precision: Precision,
    number: int,
    turn: tuple[Turn, Turn],
    far: Carries,
    at: Loops,
) -> Core:
    kind = kind_of(precision)
    width = len(kind.near)
    rows = at.x_free[:width]
    target: dict[Bit, Carry] = dict(far)
    target |= {bit: rows[i] if i < len(rows) else COPY for i, bit in enumerate(kind.near)}
    target |= {address(kind.lead + i): tag for i, tag in enumerate((*at.y_free, *at.x_free[width:], *at.batch))}
    cost = ProductCost(*(count(spec, bits) for bits in (at.x_free[width:], at.y_free[2:], at.summed, at.batch)))
    steps = cost.steps(precision, turn[number] is not None, turn[1 - number] is not None)
    cycles = min(2, len(at.y_free))
    return Core(
        spec, a, b, precision, "b" if number else "a", turn, spec.map("LM", target), cycles, steps, cost.room(precision)
    )
