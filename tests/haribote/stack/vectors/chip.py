"""Element-wise chains on the machine, amid junk: what the outputs are, and that nothing else has changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper

from benchmarks.moved import places_of
from haribote.stack.code import Code, Slot
from haribote.stack.maps import BitMap, W, address, unit_bits
from haribote.stack.places import Place
from haribote.stack.vectors.emit import emit
from simulator import Machine, assemble
from simulator.assembly.checks import check, fix_nops

Array = NDArray[Any]
BANKS = ("LM0", "LM1", "GRF0", "GRF1")
SEEN = 512
"""Words of every bank that are looked at."""
WORDS: Mapping[str, type] = {
    "float32": np.float32,
    "int32": np.int32,
    "int64": np.int32,
    "uint32": np.uint32,
    "bool": np.int32,
}


def everywhere(words: int = 8) -> BitMap:
    """A vector with `words` words in every PE."""
    addresses = [address(number) for number in range((words // 2).bit_length() - 1)]
    bits = [W, *addresses, *unit_bits("LM")]
    return BitMap.of("LM", (4096 * words,), dict(zip(bits, range(len(bits)), strict=True)))


class Watched(Code):
    """Remembers what it has handed out."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.handed: list[Slot] = []

    def take(self, words: int, banks: Sequence[str] = BANKS, align: int = 4) -> Slot:
        slot = super().take(words, banks, align)
        self.handed.append(slot)
        return slot

    def _cut(self, bank: str, first: int, words: int) -> Slot:
        slot = super()._cut(bank, first, words)
        self.handed.append(slot)
        return slot

    def place(self, bank: str, found: BitMap) -> Place:
        """A place for a tensor."""
        slot = super().take(2 * found.longs, (bank,), 4)
        self.handed.clear()
        return Place(bank, slot.address, found)


def node(text: str, **attributes: Any) -> onnx.NodeProto:
    """`y = Add x z`; `-` for an operand that is left out."""
    output, _, rest = text.partition(" = ")
    op_type, *inputs = rest.split()
    return helper.make_node(op_type, ["" if name == "-" else name for name in inputs], [output], **attributes)


@cache
def machine_of(engine: str) -> Machine:
    """One machine for all runs: what the last one has left is junk too."""
    return Machine(engine)


@cache
def junk(bank: str) -> Array:
    """Random words for a memory."""
    return np.random.default_rng(BANKS.index(bank)).integers(0, 1 << 32, (SEEN, 4096), np.uint32)


def words_of(array: Array) -> Array:
    """The words of an array, in order."""
    return array.astype(WORDS[str(array.dtype)]).view(np.uint32).ravel()


def run(
    code: Watched,
    nodes: Sequence[onnx.NodeProto],
    arrays: Mapping[str, Array],
    reads: Mapping[str, Sequence[Place]],
    writes: Mapping[str, Sequence[Place]],
    constants: Mapping[str, Array] | None = None,
    engine: str = "native",
) -> dict[str, list[Array]]:
    """The words of every output in each of its places, all copies: uint32 [copy, element]."""
    emit(code, nodes, reads, writes, {name: array.dtype for name, array in arrays.items()}, constants or {})
    return outcome(code, arrays, reads, writes, engine)


def outcome(
    code: Watched,
    arrays: Mapping[str, Array],
    reads: Mapping[str, Sequence[Place]],
    writes: Mapping[str, Sequence[Place]],
    engine: str = "native",
) -> dict[str, list[Array]]:
    """The same, of lines that are written."""
    program = assemble(fix_nops(assemble("\n".join([*code.setup, *code.lines]))))
    assert check(program) == []
    machine = machine_of(engine)
    for bank in BANKS:
        getattr(machine, bank.lower())[:SEEN] = junk(bank)
    for name, places in reads.items():
        for place in places:
            unit, word = places_of(place.map)
            getattr(machine, place.memory.lower())[place.address + word, unit] = words_of(arrays[name])
    machine.run(program)
    changed = {bank: (junk(bank) != getattr(machine, bank.lower())[:SEEN]).any(axis=1) for bank in BANKS}
    for slot in code.handed:
        changed[slot.bank][slot.address : slot.address + slot.words] = False
    written = {(place.memory, place.address) for places in writes.values() for place in places}
    for name, places in reads.items():
        for place in places:
            unit, word = places_of(place.map)
            changed[place.memory][np.unique(place.address + word)] = False
            if (place.memory, place.address) not in written:
                kept = getattr(machine, place.memory.lower())[place.address + word, unit]
                assert (kept == words_of(arrays[name])).all(), name
    results: dict[str, list[Array]] = {}
    for name, places in writes.items():
        for place in places:
            own = np.unique(places_of(place.map.padded)[1])
            changed[place.memory][place.address + own] = False
            unit, word = places_of(place.map)
            results.setdefault(name, []).append(getattr(machine, place.memory.lower())[place.address + word, unit])
    assert {bank: np.flatnonzero(words).tolist() for bank, words in changed.items() if words.any()} == {}
    return results


def apply(
    text: str,
    *arrays: Array,
    as_type: type = np.float32,
    constants: Mapping[str, Array] | None = None,
    **attributes: Any,
) -> Array:
    """One operator on vectors of 4096 k elements: `text` as in `node`, with inputs a, b, c; words seen as `as_type`."""
    code = Watched()
    words = arrays[0].size // 4096
    names = "abc"[: len(arrays)]
    reads = {name: [code.place(BANKS[i % 4], everywhere(words))] for i, name in enumerate(names)}
    writes = {"y": [code.place("LM1", everywhere(words))]}
    found = run(code, [node(text, **attributes)], dict(zip(names, arrays, strict=True)), reads, writes, constants)
    return found["y"][0][0].view(as_type)


def ulps(found: Array, exact: Array) -> Array:
    """The distance of singles from exact numbers (float64) in units of the last place of the exact number."""
    size = np.maximum(np.abs(exact), 2.0**-126)
    unit = np.exp2(np.floor(np.log2(size)) - 23)
    return np.asarray(np.abs(found.astype(np.float64) - exact) / unit)
