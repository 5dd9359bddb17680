"""Gathers: target[e] = source[index[e]] for any index that is known when the program is made.

Every PE gets into LM0 what its words need (`spread`), and then picks it out (`lines`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from haribote.errors import HariboteError
from haribote.stack.code import GRF, LM, Code
from haribote.stack.maps import BitMap
from haribote.stack.picks.held import FILL, NONE, elements, flat_of, word_of
from haribote.stack.picks.lines import ANY, copies, indirect, items, profiles
from haribote.stack.picks.rounds import OTHER, Picker
from haribote.stack.picks.spread import SpreadLoad, Wants, gathered, loads
from haribote.stack.places import BANKS, Place
from haribote.stack.ways import Combine
from simulator import isa
from simulator.messages import tr

Ints = NDArray[np.int64]
KEPT = 256
"""Words of LM0 that a gather leaves free for its tables, or a quarter of what there is."""
Join = Combine | Literal["fmul"]
NOTHING: Mapping[str, int] = {
    "fadd": 0,
    "fmul": 0x3F800000,
    "iadd": 0,
    "fmax": 0xFF800000,
    "fmin": 0x7F800000,
    "imax": 0x80000000,
    "imin": 0x7FFFFFFF,
}
"""The words that change nothing when they are joined."""
VIRTUAL = 1 << 16
"""Between the addresses of one bank and the next, where banks are told apart by addresses."""


class PickError(HariboteError):
    """An index that does not fit its tensors."""


def emit(
    code: Code,
    source: Place | Sequence[Place],
    target: Place | Sequence[Place],
    index: NDArray[Any],
    fill: float | int = 0.0,
    combine: Join = "",
    padding: bool = False,
) -> None:
    """Adds the lines of target[e] = source[index[e]], all flat and row-major in the maps' shapes.

    source: several tensors count as one, one after another. target: one place, or several with any maps. index: of the
    target's shape; -1 takes `fill`. With `combine` it has one axis more, the first: the terms of every element, which
    are joined (in single precision, or as int32); -1 is none, and what has none becomes the least there is (0, -inf,
    …). padding: what the target's map pads its axes by takes `fill` too; otherwise it may hold anything. Targets are in
    banks of the PEs; sources anywhere. Raises PickError for an index that is out of bounds, NoRoom.
    """
    sources = [source] if isinstance(source, Place) else list(source)
    end = sum(int(np.prod(place.map.shape)) for place in sources)
    flat = np.asarray(index, np.int64)
    if flat.size and (flat.min() < -1 or flat.max() >= end):
        raise PickError(
            tr("a gather from {end} elements has indices from {min} to {max}", end=end, min=flat.min(), max=flat.max()),
            f"0 to {end - 1}",
        )
    for place in [target] if isinstance(target, Place) else target:
        terms = flat.shape[0] if combine else 1
        if flat.size != terms * np.prod(place.map.shape):
            raise PickError(
                tr("indices of shape {shape} for a target of shape {shape2}", shape=flat.shape, shape2=place.map.shape),
                tr("one per element"),
            )
        own = flat.reshape(terms, *place.map.shape)
        if padding:
            place = replace(place, map=place.map.padded)
            widths = [(0, wide - size) for wide, size in zip((terms, *place.map.shape), own.shape, strict=True)]
            own = np.pad(own, widths, constant_values=-1)
        with code.scratch():
            wanted = needs(place.map, sources, own.reshape(terms, -1))
            _gather(code, sources, place, wanted, NOTHING[combine] if combine else word_of_fill(fill), combine)


def word_of_fill(fill: float | int) -> int:
    """The word of a fill value: of a float as a single, of an int as it is."""
    return int(np.float32(fill).view(np.uint32)) if isinstance(fill, float) else fill & 0xFFFFFFFF


def needs(target: BitMap, sources: Sequence[Place], index: Ints) -> list[Ints]:
    """For every source, which of its elements each word of each PE wants: int64 [term, word, 4096], FILL, NONE or
    OTHER. index: [term, element].
    """
    held = elements(target)
    places = np.maximum(held, 0)
    if 1 << target.width < held.size:
        places = flat_of(target, np.arange(1 << target.width))[places]
    else:
        places = flat_of(target, places)
    nowhere = held < 0
    places[nowhere] = 0
    end = sum(int(np.prod(place.map.shape)) for place in sources)
    found, start = [], 0
    for place in sources:
        numbers = place.map.indices().ravel()
        named = np.full(end + 1, OTHER)  # by the index, of which -1, the last one, asks for the fill
        named[start : start + len(numbers)] = numbers
        named[-1] = FILL
        wanted = named[index][:, places]
        wanted[:, nowhere] = NONE
        found.append(wanted)
        start += len(numbers)
    return found


def _gather(code: Code, sources: Sequence[Place], target: Place, wanted: list[Ints], fill: int, combine: Join) -> None:
    pes = isa.ALL_PES
    wants = [
        Wants.of(numbers.reshape(-1, pes), place.map.width) for numbers, place in zip(wanted, sources, strict=True)
    ]
    constants = constant(code, 0), constant(code, fill)
    rows = np.flatnonzero((elements(target.map.padded) >= 0).any(axis=1))
    if not combine and _copied(code, sources, target, rows, [numbers[0] for numbers in wanted], wants, constants[1]):
        return
    rounds = rounds_of(code, sources, wants)
    picker = Picker(rows, wanted, rounds, *constants, combine)
    near = max(map(code.largest, GRF)) >= target.words  # LM is slow to read again what was written
    with sink(code, target, rows, LM if combine and near else LM[:1]) as (bank, base):
        for number, batch in enumerate(rounds):
            with code.scratch():
                starts = []
                for load in batch:
                    starts.append(load.source.address if load.there else code.take(load.words, ("LM0",)).address)
                    if not load.there:
                        load.bring(code, starts[-1])
                for pe_of, found in picker.items(number, starts, base):
                    plain, *others = profiles(found)
                    code.add(*copies(plain.items, "LM0", bank))
                    indirect(code, others, pe_of, bank)


def constant(code: Code, word: int) -> int:
    """The address of four words in LM0."""
    return code.table(
        ("fill", word), 4, lambda slot: [f'imm i"0x{word:08x}" $nowrite', f"lpassa $aluf $llm{slot.address}"], ("LM0",)
    ).address


def rounds_of(
    code: Code, sources: Sequence[Place], wants: Sequence[Wants], together: bool = True
) -> list[list[SpreadLoad]]:
    """What is in LM0 at the same time: as many parts of the sources as there is room for, or one."""
    room = code.largest("LM0")
    room -= min(KEPT, room // 4)
    rounds: list[list[SpreadLoad]] = [[]]
    left = room
    for number, (source, wanted) in enumerate(zip(sources, wants, strict=True)):
        for load in loads(code, number, source, wanted, room):
            words = 0 if load.there else load.words
            if words > left or not together:
                rounds.append([])
                left = room
            rounds[-1].append(load)
            left -= words
    return rounds


@contextmanager
def sink(code: Code, target: Place, rows: Ints, barred: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Bank and address to write to: the target, or if LM is read there all the while, room from which it is copied."""
    if target.memory not in barred:
        yield target.memory, target.address
        return
    order = ("GRF1", "GRF0", "LM1") if "LM1" in barred else ("LM1", "GRF1", "GRF0", "LM0")
    slot = code.take(target.words, [bank for bank in order if bank != target.memory])
    yield slot.bank, slot.address
    found = items(target.address + rows, slot.address + rows[:, None])
    code.add(*copies([(item, int(item.reads[0])) for item in found], slot.bank, target.memory))


def _copied(
    code: Code,
    sources: Sequence[Place],
    target: Place,
    rows: Ints,
    wanted: Sequence[Ints],
    wants: Sequence[Wants],
    fill: int,
) -> bool:
    """Adds plain copies if every PE has what it needs, at the same address as all others."""
    maps = [gathered(place.map, wanted_of) if place.map.memory == "LM" else None
            for place, wanted_of in zip(sources, wants, strict=True)]  # fmt: skip
    if not all(found is not None and place.map.satisfies(found) for place, found in zip(sources, maps, strict=True)):
        return False
    banks = list(BANKS)
    reads = np.where(wanted[0][rows] == FILL, banks.index("LM0") * VIRTUAL + fill, ANY)
    for place, numbers in zip(sources, wanted, strict=True):
        mine = numbers[rows] >= 0
        start = banks.index(place.memory) * VIRTUAL + place.address
        reads = np.where(mine, start + word_of(place.map, np.maximum(numbers[rows], 0)), reads)
    first = reads.max(axis=1, keepdims=True)
    if ((reads != ANY) & (reads != first)).any():
        return False
    used = sorted({int(start) // VIRTUAL for start in first.ravel() if start != ANY})
    barred = [banks[number] for number in used if banks[number] in LM]
    with sink(code, target, rows, barred if target.memory in barred else ()) as (bank, base):
        found = items(base + rows, first)
        for number in used:
            part = [(item, int(item.reads[0]) % VIRTUAL) for item in found if item.reads[0] // VIRTUAL == number]
            code.add(*copies(part, banks[number], bank))
    return True
