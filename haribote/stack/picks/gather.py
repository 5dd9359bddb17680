"""Gathers: target[e] = source[index[e]] for any index that is known when the program is made.

Every PE gets into LM0 what its words need (`spread`), and then picks it out (`lines`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haribote.errors import HariboteError
from haribote.stack.code import LM, Code, constant_word
from haribote.stack.maps import BitMap
from haribote.stack.picks.held import FILL, Ints, word_of
from haribote.stack.picks.lines import ANY, copies, indirect, items
from haribote.stack.picks.needs import FILLED, ZERO, Needs
from haribote.stack.picks.spread import SpreadLoad, Wants, gathered, loads
from haribote.stack.places import Place
from simulator.messages import tr

Bools = NDArray[np.bool_]
KEPT = 256
"""Words of LM0 that a gather leaves free for its tables, or a quarter of what there is."""
ELSEWHERE = 1 << 16
"""Added to the addresses of words that are read from LM0 while others come from the bank of the source."""


class PickError(HariboteError):
    """An index that does not fit its tensors."""


def emit(
    code: Code, source: Place, target: Place, index: NDArray[Any], fill: float | int = 0.0, padding: bool = False
) -> None:
    """Adds the lines of target[e] = source[index[e]], all flat and row-major in the maps' shapes.

    index: of the target's shape; -1 takes `fill`. padding: what the target's map pads its axes by takes `fill` too;
    otherwise it may hold anything. The target is in a bank of the PEs; the source anywhere. Raises PickError for an
    index that is out of bounds, NoRoom.
    """
    key = "gather", target.map, source.map, id(index), padding
    needed, _ = code.once(key, lambda: (_needs(target.map, source.map, index, padding), index))  # which keeps its id
    if padding:
        target = replace(target, map=target.map.padded)
    with code.scratch():
        _gather(code, source, target, needed, constant_word(fill))


def _needs(target: BitMap, source: BitMap, index: NDArray[Any], padding: bool) -> Needs:
    """What is needed for target[e] = source[index[e]]; as `emit`."""
    end = int(np.prod(source.shape))
    wanted = np.asarray(index, np.int64)
    if wanted.size and (wanted.min() < -1 or wanted.max() >= end):
        low, high = wanted.min(), wanted.max()
        raise PickError(
            tr("a gather from {end} elements has indices from {min} to {max}", end, low, high), f"0 to {end - 1}"
        )
    shape = target.shape
    if wanted.size != np.prod(shape):
        raise PickError(
            tr("indices of shape {shape} for a target of shape {shape2}", wanted.shape, shape), tr("one per element")
        )
    if padding:
        target = target.padded
        widths = [(0, wide - size) for wide, size in zip(target.shape, shape, strict=True)]
        wanted = np.pad(wanted.reshape(shape), widths, constant_values=-1)
    return Needs.of(target, source, wanted.ravel())


def _gather(code: Code, source: Place, target: Place, needed: Needs, fill: int) -> None:
    if _copied(code, source, target, needed, fill):
        return
    rounds = rounds_of(code, source, needed.wants)
    constants = {ZERO: 0} if len(rounds) > 1 else {}
    constants |= {FILLED: fill} if needed.filled else {}
    with sink(code, target, needed.rows, LM[:1]) as (bank, base):
        for number, load in enumerate(rounds):
            with brought(code, load, constants.values()) as (start, at):
                marks = {mark: at[word] for mark, word in constants.items()}
                for pe_of, (plain, *others) in needed.profiles(rounds, number, start, base, marks):
                    code.add(*copies(plain.items, "LM0", bank))
                    indirect(code, others, pe_of, bank)


def constant(code: Code, word: int) -> int:
    """The address of four words in LM0."""
    return code.table(
        ("fill", word),
        4,
        lambda _, slot: [f'imm i"0x{word:08x}" $nowrite', f"lpassa $aluf $llm{slot.address}"],
        ("LM0",),
    ).address


def rounds_of(code: Code, source: Place, wants: Wants) -> list[SpreadLoad]:
    """The parts of the source that are in LM0 one after another: as large as there is room for."""
    room = code.largest("LM0")
    return list(loads(code, source, wants, room - min(KEPT, room // 4)))


@contextmanager
def brought(code: Code, load: SpreadLoad, constants: Iterable[int]) -> Iterator[tuple[int, Mapping[int, int]]]:
    """The address in LM0 of a part of the source, which is brought there if it is not there already, and those of words
    that are constants. These stand behind it, so that tables, which tell how far apart PEs read, are the same wherever
    all that is.
    """
    words = dict.fromkeys(constants)
    with code.scratch():
        if load.there:
            yield load.source.address, {word: constant(code, word) for word in words}
        else:
            start = code.take(load.words + 2 * len(words), ("LM0",)).address
            behind = {word: start + load.words + 2 * number for number, word in enumerate(words)}
            load.bring(code, start)
            code.add(*(f"lpassa {code.constant(word, 'GRF1')} $lm{address}" for word, address in behind.items()))
            yield start, behind


@contextmanager
def sink(code: Code, target: Place, rows: Ints, barred: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Bank and address to write to: the target, or if LM is read there all the while, room from which it is copied."""
    if target.memory not in barred:
        yield target.memory, target.address
        return
    first = int(rows[0]) // 4 * 4
    slot = code.take(-(-(int(rows[-1]) + 1 - first) // 4) * 4, _beside(target, barred))
    yield slot.bank, slot.address - first
    found = items(target.address + rows, slot.address - first + rows[:, None])
    code.add(*copies([(item, int(item.reads[0])) for item in found], slot.bank, target.memory))


def _beside(target: Place, barred: Sequence[str]) -> list[str]:
    """The banks from which a result may be copied."""
    order = ("GRF1", "GRF0", "LM1") if "LM1" in barred else ("LM1", "GRF1", "GRF0", "LM0")
    return [bank for bank in order if bank != target.memory]


def _some(code: Code, target: Place, rows: Ints, barred: Sequence[str]) -> list[Bools]:
    """Which rows go through a `sink` at once: as many as there is room for."""
    room = max(code.largest(bank) for bank in _beside(target, barred)) // 4 * 4
    if target.memory not in barred or room == 0:
        room = target.words
    blocks = rows // room
    return [blocks == number for number in np.unique(blocks)]


def _copied(code: Code, source: Place, target: Place, needed: Needs, fill: int) -> bool:
    """Adds plain copies if every PE has what it needs, at the same address as all others."""
    if source.map.memory != "LM" or not source.map.satisfies(gathered(source.map, needed.wants)):
        return False
    rows, wanted = needed.rows, needed.wanted
    elsewhere, filled = ELSEWHERE * (source.memory != "LM0"), wanted == FILL
    reads = np.where(wanted >= 0, source.address + word_of(source.map, np.maximum(wanted, 0)), ANY)
    if filled.any():
        reads[filled] = elsewhere + constant(code, fill)
    first = reads.max(axis=1, keepdims=True)
    if ((reads != ANY) & (reads != first)).any():
        return False
    parts = (source.memory, first.ravel() < ELSEWHERE), ("LM0", first.ravel() >= ELSEWHERE)
    barred = [bank for bank, chosen in parts if bank in LM and (first[chosen] != ANY).any()]
    for some in _some(code, target, rows, barred):
        with code.scratch(), sink(code, target, rows[some], barred) as (bank, base):
            for memory, chosen in parts:
                found = items(base + rows[chosen & some], first[chosen & some])
                code.add(*copies([(item, int(item.reads[0]) % ELSEWHERE) for item in found], memory, bank))
    return True
