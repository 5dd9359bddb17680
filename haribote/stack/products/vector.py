"""The vector core: every PE multiplies what it has, word by word, and sums over its addresses.

W and the PE bits are like those of any other unit: where both operands carry the same summed bit the result is in
parts. A step makes four long words of results, one per cycle; a sum is forwarded from step to step.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from haribote.stack.code import GRF, LM, Code
from haribote.stack.maps import Bit, BitMap, address
from haribote.stack.places import BANKS, Place
from haribote.stack.products.core import Core, Precision
from haribote.stack.products.matching import ALL, loops, meet, plain
from haribote.stack.products.result import result
from haribote.stack.products.spec import Carry, NoProduct, Spec, tags
from haribote.stack.products.walk import ProductSide, count, cycles, walk


def vector_cores(spec: Spec, a: BitMap, b: BitMap, precision: Precision) -> Iterator[Core]:
    """The way through the vector unit, if there is one."""
    both = tags(a, spec.a), tags(b, spec.b)
    if not all(map(plain, both)):
        return
    units, at = meet(spec, both[0], both[1], ALL), loops(spec, both[0], both[1])
    if units is None or at is None:
        return
    free = sorted((*at.x_free, *at.y_free, *at.batch), key=spec.rank)
    target: dict[Bit, Carry] = {**units, **{address(number): tag for number, tag in enumerate(free)}}
    steps = count(spec, free[2:]) * count(spec, at.summed)
    room = 2 * min(a.longs, b.longs)
    yield Core(spec, a, b, precision, "", (None, None), spec.map("LM", target), min(2, len(free)), steps, room)


def emit_vector(
    code: Code, core: Core, a: Sequence[Place], b: Sequence[Place], target: Place | Sequence[Place]
) -> None:
    """Add the lines of a product in the vector unit. Raises NoProduct, NoRoom."""
    spec, goal = core.spec, result(core, target)
    with code.scratch():
        x, y = _apart(code, tuple(a), tuple(b))
        left, right = ProductSide((x,), tags(x.map, spec.a)), ProductSide((y,), tags(y.map, spec.b))
        at = loops(spec, left.carries, right.carries)
        assert at is not None
        free = [*at.x_free, *at.y_free, *at.batch]
        order = [tag for tag in goal.side.tags() if tag in free]
        if goal.transfer and goal.cycles != order[: len(goal.cycles)]:
            raise NoProduct(
                "the lowest address bits before a sum over MABs are at the cycles", str(goal.side.homes[0].map)
            )
        within = goal.cycles if goal.transfer else order[:2]
        blocks = list(walk(spec, at.summed))
        for group in walk(spec, [tag for tag in order if tag not in within]):
            for number, block in enumerate(blocks):
                elements = cycles(within, {**group, **block})
                addend = " $mauf" if number else ""
                line = f"fv{'fma' if number else 'mul'} {left.text(elements)} {right.text(elements)}{addend}"
                if number < len(blocks) - 1:
                    code.add(f"{line} $nowrite")
                else:
                    code.add(*goal.store(line, cycles(within, group), (x.memory, y.memory)))


def _apart(code: Code, a: Sequence[Place], b: Sequence[Place]) -> tuple[Place, Place]:
    """A home of each operand, in different memories, as a step reads each memory at one address; where all are in one,
    the smaller operand is copied."""
    for x in a:
        for y in b:
            if x.memory != y.memory:
                return x, y
    (x, *_), (y, *_) = a, b
    if x.words <= y.words:
        return _copied(code, x), y
    return x, _copied(code, y)


def _copied(code: Code, place: Place) -> Place:
    """The same in another memory, 16 words in a step."""
    words = -(-place.words // 16) * 16
    slot = code.take(words, [bank for bank in (*GRF, *LM) if bank != place.memory])
    for start in range(0, place.words, 16):
        source, copy = f"{BANKS[place.memory]}{place.address + start}", f"{BANKS[slot.bank]}{slot.address + start}"
        code.add(f"lpassa $ll{source}v $ll{copy}v")
    return Place(slot.bank, slot.address, place.map)
