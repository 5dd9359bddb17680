"""Scatters to places that are computed on the chip: every PE looks at all updates that may be its own, one by one.

An update is compared with the numbers of eight words of the target at a time, and joined with those that are meant: two
steps for each. Slow, and right for any shape.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from haribote.stack import moves, uploads
from haribote.stack.code import Code, Slot
from haribote.stack.issues import operand
from haribote.stack.maps import COPY, NOTHING, BitMap, W, address, unit_bits
from haribote.stack.picks.gather import PickError, sink
from haribote.stack.picks.held import elements, flat_of
from haribote.stack.picks.lines import OP
from haribote.stack.picks.scatter import Reduction, joined
from haribote.stack.picks.spread import Load, Wants, loads, tied
from haribote.stack.places import NoRoom, Place

Ints = NDArray[np.int64]


def emit(
    code: Code,
    data: Place,
    updates: Place,
    places: Place,
    target: Place,
    reduction: Reduction = "none",
    integers: bool = False,
    along: Sequence[tuple[int, int]] = (),
) -> None:
    """Adds the lines of target = data, with updates[k] at places[k].

    places: int32, flat and row-major in the shape of data, one for each update; negative ones are left out. along:
    pairs of axes, of updates and of data, along which every place is that of its own update: what is on the same unit
    there need not travel. reduction: what an update does with what is there; without one the last wins. Raises
    PickError for products of integers, and where `updates` and `places` have other shapes; NoRoom.
    """
    if updates.map.shape != places.map.shape:
        raise PickError(f"{updates.map.shape} updates at {places.map.shape} places", "a place for every update")
    op = "" if reduction == "none" else joined(reduction, integers)
    held = elements(target.map)
    same = [(a, b) for a, b in along if updates.map.shape[a] == target.map.shape[b]]
    rows = np.flatnonzero((elements(target.map.padded) >= 0).any(axis=1))
    with code.scratch(), sink(code, target, rows, (target.memory, "LM0")) as (bank, base):
        moves.emit(code, data, Place(bank, base, target.map), padding=False)
        numbers = _numbers(code, target.map, held, bank)
        wants = tied(target.map, held, updates.map, same)
        wide = spread_out(updates.map, target.map, wants)
        room = (code.largest("LM0") - 64) // 2
        parts = [list(loads(code, number, place, wants, room, wide)) for number, place in enumerate((places, updates))]
        for at, by in zip(*parts, strict=True):
            with code.scratch():
                starts = [code.take(load.words, ("LM0",)).address for load in (at, by)]
                for load, start in zip((at, by), starts, strict=True):
                    load.bring(code, start)
                for word in _words(at, updates.map, wants):
                    _joins(code, [f"$lm{start + word}" for start in starts], numbers, bank, base, rows, op)


def _numbers(code: Code, target: BitMap, held: Ints, bank: str) -> Slot:
    """The flat number of the element in every word of the target, in every PE; beyond the tensor one that no update
    has.
    """
    flat = np.where(held >= 0, flat_of(target, np.maximum(held, 0)), np.iinfo(np.int32).min)
    words = uploads.padded(flat.astype(np.int32).view(np.uint32))
    banks = [other for other in ("LM1", "GRF0", "GRF1") if other != bank]
    try:
        return code.data(words, banks)
    except NoRoom:
        slot = code.take(len(words), banks)
        code.stream(words, slot)
        return slot


def spread_out(updates: BitMap, target: BitMap, wants: Wants) -> BitMap:
    """A map of updates in which every PE has all that it may need, at least one long word for each: both words of it
    are the same, or else belong to the two words of the target. Addresses are in the order of the index.
    """
    carries = {}
    for index in range(updates.width):
        free = [bit for bit in unit_bits("LM") if bit not in carries and wants.agrees(index, bit)]
        if free:
            carries[free[0]] = index
    left = [index for index in range(updates.width) if index not in carries.values()]
    carries |= {address(number): index for number, index in enumerate(left)}
    carries |= {bit: COPY if wants.reaches(bit) else NOTHING for bit in unit_bits("LM") if bit not in carries}
    return BitMap.of("LM", updates.shape, {**carries, W: COPY})


def _words(load: Load, updates: BitMap, wants: Wants) -> Iterator[int]:
    """The words of a part that hold updates, in their order."""
    inside = [(index, weight) for index, weight in load.weights]
    numbers = [
        sum(bit << index for (index, _), bit in zip(inside, bits, strict=True)) | load.value
        for bits in product((0, 1), repeat=len(inside))
    ]
    for number in sorted(numbers):
        flat = all(
            (number >> bits.start & (1 << len(bits)) - 1) < size
            for size, bits in zip(updates.shape, updates.axes, strict=True)
        )
        if flat:
            yield int(load.word(np.array(number)))


def _joins(code: Code, reads: Sequence[str], numbers: Slot, bank: str, base: int, rows: Ints, op: str) -> None:
    """Adds the lines that join one update with the words of the target that are meant. reads: place and update."""
    longs = sorted({int(row) // 2 * 2 for row in rows})
    for start in range(0, len(longs), 4):
        part = longs[start : start + 4]
        off = tuple(range(len(part), 4))
        part += [part[-1]] * len(off)
        entry = code.entry()
        code.add(f"ixor {reads[0]} {operand(numbers.bank, 2, [numbers.address + word for word in part])} $omr{entry}")
        into = operand(bank, 2, [base + word for word in part])
        add = f"{OP[op]} {reads[1]} {into}" if op else f"lpassa {reads[1]}"
        code.add(f"{add} {into}/$limr{entry}")
