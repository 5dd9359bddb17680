"""Does a move do what it says? Random words in every copy of the source, a run, and every copy of the target compared.

What is not the tensor is filled with other random words before, so that a copy that was never written, a stale buffer
and a word written beside the target all show. Where a move joins parts, these are random numbers and the result is
compared with NumPy's: sums of floats with what rounding may take, all else exactly.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haribote.layout import PE_STRIDE
from haribote.stack.chains import numbered
from haribote.stack.maps import UNITS, BitMap
from haribote.stack.moves import Move
from haribote.stack.places import BANKS, Place
from simulator import Machine, isa

Words = NDArray[np.uint32]
Ints = NDArray[np.int64]
PE_WEIGHT = {"group": isa.L2BS_PER_GROUP * PE_STRIDE["L2B"], **PE_STRIDE}
SEEN = 1 << 15
"""Long words of L2BM and PDM that are filled with random words."""


def places_of(found: BitMap) -> tuple[Ints, Ints]:
    """Unit and word of every copy of every element: int64 [copy, element], words counted from the tensor's first.

    Units are numbered as in the machine's arrays: PEs, or L1Bs, L2Bs, groups.
    """
    weights = {level: PE_WEIGHT[level] for level in UNITS[found.memory]}
    divisor = min(weights.values())
    unit = sum(
        (found.positions(level).ravel() * (weight // divisor) for level, weight in weights.items()),
        np.zeros(1, np.int64),
    )
    word = 2 * found.positions("address").ravel() + found.positions("W").ravel()
    units, words = [unit], [word]
    for bit in found.copies():
        step = 1 << bit.number
        if bit.level in weights:
            units += [u + step * (weights[bit.level] // divisor) for u in units]
            words += words
        else:
            words += [w + step * (2 if bit.level == "address" else 1) for w in words]
            units += units
    return np.stack(units), np.stack(words)


def failure(move: Move, engine: str = "native", seed: int = 0, fill: float | None = None) -> str:
    """What is wrong with a move after a run on random words: "" for nothing. fill: what must be in all places that the
    maps pad to powers of two.
    """
    if fill is not None:
        ends = [replace(place, map=place.map.padded) for place in (move.source, *move.targets)]
        padded = replace(move, source=ends[0], target=ends[1], also=tuple(ends[2:]))
        return _failure(padded, engine, seed, (move.source.map.shape, fill))
    return _failure(move, engine, seed)


def _failure(move: Move, engine: str, seed: int, filled: tuple[tuple[int, ...], float] | None = None) -> str:
    """filled: the shape beyond which all values are a float."""
    random = np.random.default_rng(seed)
    machine = Machine(engine)
    limit = 128 + max(_end(place) for place in (move.source, *move.targets))
    for bank in ("lm0", "lm1", "grf0", "grf1"):
        memory = getattr(machine, bank)
        memory[: min(limit, len(memory))] = random.integers(1, 1 << 32, memory[:limit].shape, np.uint32)
    for name in ("l1bm", "l2bm", "pdm"):
        memory = getattr(machine, name)
        memory[..., :SEEN] = random.integers(1, 1 << 63, memory[..., :SEEN].shape, np.uint64)
    start = numbered(move.source.map)
    values = _random(move.combine, start.shape, random)
    if filled is not None:
        own = tuple(slice(size) for size in (*start.shape[: -len(filled[0])], *filled[0]))
        rest = np.full_like(values, np.float32(filled[1]).view(np.uint32))
        rest[own] = values[own]
        values = rest
    for place in (move.source, *move.targets):
        _fill_around(machine, place, random)
    _store(machine, replace(move.source, map=start), values.ravel())
    before = [_array(machine, place) for place in move.targets]
    kept = _array(machine, move.source)
    machine.run(move.program)
    wanted = values.ravel() if start is move.source.map else joined(values, move.combine).ravel()
    found = (_compare(machine, move, place, wanted, old) for place, old in zip(move.targets, before, strict=True))
    return next(filter(None, found), "") or _unchanged(machine, move, kept)


def _random(combine: str, shape: tuple[int, ...], random: np.random.Generator) -> Words:
    """Words of what is joined: numbers of both signs, or any words."""
    if combine[:1] == "f":
        return random.standard_normal(shape, np.float32).view(np.uint32)
    return random.integers(1, 1 << 32, shape, np.uint32)


def joined(parts: Words, combine: str) -> Words:
    """Words joined along the first axis, a sum of floats in double precision."""
    numbers: NDArray[Any] = parts.view(np.float32).astype(np.float64) if combine[0] == "f" else parts.view(np.int32)
    if combine[1:] == "add":
        numbers = numbers.sum(axis=0)
    else:
        numbers = numbers.max(axis=0) if combine[1:] == "max" else numbers.min(axis=0)
    result: Words = numbers.astype(np.float32 if combine[0] == "f" else np.int32).view(np.uint32)
    return result


def _differ(found: Words, wanted: Words, combine: str) -> NDArray[np.bool_]:
    """Where words are not those that are wanted. A sum of up to 2^10 normal numbers stays below 200, so that each of a
    few roundings is below 2^-17.
    """
    if combine != "fadd":
        return np.asarray(found != wanted)
    difference = np.abs(found.view(np.float32).astype(np.float64) - wanted.view(np.float32))
    return np.asarray(~(difference < 1e-4))


def _end(place: Place) -> int:
    return place.address + place.words if place.memory in BANKS else 0


def _span(place: Place) -> slice:
    """The tensor's long words and 64 on each side."""
    return slice(max(place.address - 64, 0), place.address + -(-place.words // 64) * 64 + 64)


def _array(machine: Machine, place: Place) -> Words:
    """A copy of what is at and around a place: uint32 [unit, word]."""
    if place.memory in BANKS:
        return np.asarray(getattr(machine, place.memory.lower()))[: _end(place) + 64].T.copy()
    if place.memory == "DRAM":
        longs = np.stack([machine.dram[group][_span(place)] for group in range(4)])
    else:
        memory = np.asarray(getattr(machine, place.memory.lower()))
        longs = memory.reshape(-1, memory.shape[-1])[:, _span(place)]
    return longs.astype(">u8").view(">u4").astype(np.uint32).reshape(len(longs), -1)


def _put(machine: Machine, place: Place, words: Words) -> None:
    """The inverse of `_array`."""
    if place.memory in BANKS:
        getattr(machine, place.memory.lower())[: words.shape[1]] = words.T
        return
    longs = np.ascontiguousarray(words.astype(">u4")).view(">u8").astype(np.uint64)
    if place.memory == "DRAM":
        for group in range(4):
            machine.dram[group][_span(place)] = longs[group]
    else:
        memory = getattr(machine, place.memory.lower())
        memory.reshape(-1, memory.shape[-1])[:, _span(place)] = longs


def _offset(place: Place) -> int:
    """Where in `_array` the tensor's first word is."""
    return place.address if place.memory in BANKS else 2 * (place.address - _span(place).start)


def _fill_around(machine: Machine, place: Place, random: np.random.Generator) -> None:
    if place.memory == "DRAM":
        words = _array(machine, place)
        _put(machine, place, random.integers(1, 1 << 32, words.shape, np.uint32))


def _store(machine: Machine, place: Place, values: Words) -> None:
    words = _array(machine, place)
    unit, word = places_of(place.map)
    words[unit, _offset(place) + word] = values
    _put(machine, place, words)


def _compare(machine: Machine, move: Move, place: Place, values: Words, before: Words) -> str:
    """The first copy of an element that is wrong, or the first word beside the target that has changed."""
    words = _array(machine, place)
    unit, word = places_of(place.map)
    found = words[unit, _offset(place) + word]
    wrong = np.argwhere(_differ(found, values, move.combine))
    if len(wrong):
        copy, element = wrong[0]
        index = [int(i) for i in np.unravel_index(int(element), place.map.shape)]
        where = f"unit {unit[copy, element]}, word {word[copy, element]} of the tensor"
        what = f"the first is copy {copy} of element {index}: {where}"
        return f"{len(wrong)} of {found.size} words are wrong, {what}"
    own = np.zeros(words.shape[1], np.bool_)
    for target in move.targets:
        if target.memory == place.memory:
            own[_offset(target) + np.unique(places_of(target.map.padded)[1])] = True
    if place.memory not in BANKS:
        own[_offset(place) : _offset(place) + 2 * -(-place.words // 64) * 64] = True
    if move.scratch and place.memory in BANKS:
        own[max(_end(target) for target in move.targets if target.memory == place.memory) :] = True
    changed = np.argwhere((words != before) & ~own)
    if len(changed):
        where = f"unit {changed[0][0]}, word {changed[0][1] - _offset(place)}"
        return f"{len(changed)} words beside the target have changed, the first in {where}"
    return ""


def _unchanged(machine: Machine, move: Move, kept: Words) -> str:
    """The source must be what it was, unless it shares its memory with a target, which `_compare` has looked at, or
    lies in a buffer of which the move may make use too; of a bank of the PEs only the tensor's words.
    """
    buffer = move.scratch and move.source.memory not in (*BANKS, "DRAM")
    if buffer or any(move.source.memory == target.memory for target in move.targets):
        return ""
    changed = (_array(machine, move.source) != kept).any(axis=0)
    if move.source.memory in BANKS:
        changed = changed[_offset(move.source) + np.unique(places_of(numbered(move.source.map))[1])]
    return "the source has changed" if changed.any() else ""
