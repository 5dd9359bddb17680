"""Operands that are broadcast become pseudo-singles before they travel: fewer words are rounded than after it.

The matrix unit wants singles as a rounded part and a rest, each in blocks of the eight words at W and PE. A move that
leaves these eight together moves the parts as well as the single.

Inputs that only short products read lie in DRAM as halves, which is half the way from there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace

from haribote.stack import moves, products
from haribote.stack.maps import BitMap
from haribote.stack.places import NoRoom
from haribote.stack.plan import Action, Alias, Halve, Load, Multiply, Shift, Version, halves_of, reads
from haribote.stack.planner.facts import MOST_WORDS
from haribote.stack.planner.families import PES
from haribote.stack.products.pairs import pairs_of
from simulator.isa import STEP_CYCLES

ROUNDED = 5
"""Steps that rounding four long words and what is left of them takes beside the products: three, and waits."""


def halved(actions: Sequence[Action]) -> tuple[Action, ...]:
    """The actions with operands halved before they are moved, where that saves more than it costs."""
    readers = defaultdict[Version, list[Action]](list)
    for action in actions:
        for version in reads(action):
            readers[version].append(action)
    found: list[Action] = list(actions)
    taken = set[int]()  # products that read halves of an operand
    for move in actions:
        if isinstance(move, Shift):
            there = readers[move.target]
            served = [one for one in there if id(one) not in taken and _takes(one, move)]
            also = len(served) < len(there)
            if served and _saves(move, len(served), also):
                taken.update(map(id, served))
                _halve(found, served, move, also)
    return tuple(found)


def _takes(action: Action, move: Shift) -> bool:
    """True for a product that can read the halves of a move's target."""
    if not isinstance(action, Multiply) or action.precision != "float" or action.a == action.b:
        return False
    return any(
        operand == move.target and _broadcasts(action, number, move)
        for number, operand in enumerate((action.a, action.b))
    )


def stored_as_halves(actions: Sequence[Action], floats: Collection[str]) -> tuple[Action, ...]:
    """The actions with inputs loaded as halves that only products of halves or pseudo-singles read. floats: the values
    that are floats.
    """
    found: list[Action] = []
    for action in actions:
        if isinstance(action, Load) and action.target.value in floats and pairs_of(action.target) is not None:
            action = replace(action, half=_serves_short_products(action.target, actions))
        found.append(action)
    return tuple(found)


def _serves_short_products(version: Version, actions: Sequence[Action]) -> bool:
    """True where nothing but products that round it anyway read a version, under any name and in any layout."""
    readers = [action for action in actions if version in reads(action)]
    return bool(readers) and all(
        (isinstance(reader, Multiply) and reader.precision != "float")
        or (isinstance(reader, Shift | Alias) and _serves_short_products(reader.target, actions))
        for reader in readers
    )


def _broadcasts(action: Multiply, number: int, move: Shift) -> bool:
    """True where a move broadcasts whole blocks of the operand that gives the vectors."""
    source, target = move.source.map, move.target.map
    core = next(
        (c for c in products.cores(action.spec, action.a.map, action.b.map) if c.target == action.target.map), None
    )
    whole = all(source[bit] == target[bit] for bit in PES) and not move.combine
    vectors = core is not None and bool(core.matrix) and core.matrix != "ab"[number] and core.turns[number] is None
    grows = target.longs >= 2 * source.longs and source.longs % 4 == 0 and _dense(target)
    return whole and vectors and grows


def _saves(move: Shift, served: int, also: bool) -> bool:
    """Whether rounding fewer words for so many products saves more than moving both halves costs; also: beside the
    singles, which others read. Both together take no more room than one version may: else others have none."""
    source, target = move.source.map, move.target.map
    if 2 * 2 * target.longs > MOST_WORDS:
        return False
    try:
        more = (2 if also else 1) * moves.price(source, target)
    except NoRoom:
        return False
    return more <= STEP_CYCLES * ROUNDED * (served * target.longs - source.longs) / 4


def _dense(found: BitMap) -> bool:
    """True where the tensor takes up all long words of its room."""
    return found.longs == 1 << found.address_bits


def _halve(found: list[Action], served: Sequence[Action], move: Shift, also: bool) -> None:
    """Let products read halves; also: others go on reading what is moved."""
    sources, targets = halves_of(move.source), halves_of(move.target)
    at, halve = found.index(move), Halve(move.source, *sources)
    before = [] if halve in found[:at] else [halve]  # another move from there may have its halves
    found[at : at + 1] = [*([move] if also else ()), *before, *map(Shift, sources, targets)]
    for action in served:
        assert isinstance(action, Multiply)
        found[found.index(action)] = replace(action, halves=targets)
