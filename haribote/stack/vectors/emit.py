"""The lines of a chain of element-wise nodes: one schedule, repeated for every group of words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from functools import lru_cache
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray

from haribote.layout import LayoutError
from haribote.stack.code import GRF, LM, Code
from haribote.stack.maps import NOTHING, PART, BitMap, W
from haribote.stack.places import BANKS, NoRoom, Place, operand_text
from haribote.stack.vectors.addresses import CYCLES, Operand, four, groups, operand
from haribote.stack.vectors.expression import Expression, expression, types_of
from haribote.stack.vectors.lines import Scheduler, Stuck
from haribote.stack.vectors.nodes import Target, nodes_of
from haribote.stack.vectors.pieces import Loop, cut
from haribote.stack.vectors.template import Symbol, Template, template

Banks = tuple[tuple[str, tuple[str, ...]], ...]
TEMPORARY_WORDS = 8
MOST_INSTRUCTIONS, MOST_TEMPORARIES = 400, 192
"""Instructions of a loop, and words of its temporaries in a GRF, from which on it becomes two."""
WORDS_IN_TURN, SPARE = 96, 64
"""Room in each GRF for sets of temporaries, so that groups need not wait for each other; and what stays free."""


def emit(
    code: Code,
    nodes: Sequence[onnx.NodeProto],
    reads: Mapping[str, Sequence[Place]],
    writes: Mapping[str, Sequence[Place]],
    dtypes: Mapping[str, np.dtype[Any]],
    constants: Mapping[str, NDArray[Any]],
    chosen: Sequence[int] | None = None,
) -> None:
    """The lines of element-wise nodes, in topological order, added to `code`.

    reads: for every input its homes, the same map in one or more banks. writes: for every output its targets; the map
    of the first one is the index space that all others are broadcast to. A target may be the very place of an input
    of the same map. dtypes: of the inputs at least. constants: arrays of one element. chosen: the groups of four long
    words of the outputs that are computed (None: all).

    Raises LayoutError where an operand is in other units than the output, or in parts that are not just added up,
    UnsupportedOp, NoRoom for temporaries.
    """
    if not writes:
        return
    loop, first = Loop(tuple(nodes), reads, writes), next(iter(writes.values()))[0]
    if PART in first.map.table.values() and any(node.op_type != "Add" for node in nodes):
        raise LayoutError(f"parts of {', '.join(writes)} can only be added up", "sum the parts first")
    mark = code.mark()
    try:
        _whole(code, loop, dtypes, constants, chosen)
    except (Stuck, NoRoom):  # shorter loops keep fewer results at a time
        if len(nodes) < 2:
            raise
        code.back(mark)
        types = {**dtypes, **types_of(nodes, dtypes, constants)}
        with code.scratch():
            for part in cut(code, loop, first):
                emit(code, part.nodes, part.reads, part.writes, types, constants, chosen)


def _whole(
    code: Code,
    loop: Loop,
    dtypes: Mapping[str, np.dtype[Any]],
    constants: Mapping[str, NDArray[Any]],
    chosen: Sequence[int] | None,
) -> None:
    """As one loop. Raises Stuck where it is too long for that."""
    found = expression(loop.nodes, dtypes, constants, list(loop.writes))
    first = next(iter(loop.writes.values()))[0].map
    homes = {name: _Operand(first, name, loop.reads[name], False) for name in found.reads}
    targets = {name: _Operand(first, name, places, True) for name, places in loop.writes.items()}
    if chosen is None:
        chosen = range(groups(next(iter(targets.values())).operand))
    with code.scratch():
        for name, home in homes.items():
            if not home.operand.together:
                homes[name] = _gathered(code, home, chosen)
        overwritten, same = _overlaps(homes, targets)
        lines = _template(found, _banks(homes), _banks(targets), overwritten, same)
        _Writer(code, lines, homes, targets, "" if first[W] == NOTHING else "l", chosen).write()


class _Operand:
    """Places of an operand and its words there."""

    def __init__(self, first: BitMap, name: str, places: Sequence[Place], written: bool) -> None:
        for place in places:
            if place.memory not in BANKS:
                raise LayoutError(f"{name!r} is in {place.memory}; PEs compute in {', '.join(BANKS)}", "move it there")
            if place.map != places[0].map:
                raise LayoutError(f"{name!r} has places of different maps", "one map in all of them")
        self.operand = operand(first, places[0].map, name, written)
        self.places = [(place.memory, place.address) for place in places]

    def words(self, number: int, group: int) -> tuple[str, tuple[int, ...]]:
        """Bank and the words of the four cycles."""
        bank, address = self.places[number]
        return bank, tuple(address + word for word in self.operand.group(group))


def _banks(operands: Mapping[str, _Operand]) -> Banks:
    return tuple((name, tuple(bank for bank, _ in found.places)) for name, found in operands.items())


# --- operands whose words are not those of the output ----------------------------------------------------------------


def _gathered(code: Code, home: _Operand, chosen: Iterable[int]) -> _Operand:
    """Long words in scratch of the pairs of words that these groups want, each pair once."""
    pairs = sorted({pair for group in chosen for pair in four(home.operand.pairs, group)})
    bank, start = home.places[0]
    slot = code.take(2 * len(pairs), tuple(b for b in (*reversed(GRF), *LM) if b != bank or b in GRF))
    for number in range(0, len(pairs), CYCLES):
        cycles = four(pairs, number // CYCLES)
        at = [slot.address + 2 * pairs.index(pair) for pair in cycles]
        high = operand_text(bank, [start + first for first, _ in cycles], 1)
        low = operand_text(bank, [start + second for _, second in cycles], 1)
        code.add(
            f"ipassa {high} {operand_text(slot.bank, at, 1)}",
            f"ipassa {'$aluf' if low == high else low} {operand_text(slot.bank, [word + 1 for word in at], 1)}",
        )
    where = {pair: (2 * number, 2 * number + 1) for number, pair in enumerate(pairs)}
    found = copy(home)
    found.operand = Operand(tuple(where.get(pair, (0, 1)) for pair in home.operand.pairs))  # others are not read
    found.places = [(slot.bank, slot.address)]
    return found


# --- outputs in the places of inputs ---------------------------------------------------------------------------------

Overwritten = tuple[tuple[Target, tuple[str, ...]], ...]
Same = frozenset[tuple[tuple[str, int], Target]]


def _overlaps(homes: Mapping[str, _Operand], targets: Mapping[str, _Operand]) -> tuple[Overwritten, Same]:
    """Inputs that lie where targets are, for every target; and which places are the same word for word."""
    overwritten: dict[Target, tuple[str, ...]] = {}
    same: set[tuple[tuple[str, int], Target]] = set()
    for output, target in targets.items():
        for number, (bank, start) in enumerate(target.places):
            for name, home in homes.items():
                for other, (own_bank, own_start) in enumerate(home.places):
                    if bank != own_bank or not _words(target, start) & _words(home, own_start):
                        continue
                    if start != own_start or target.operand != home.operand:
                        raise LayoutError(f"{output!r} would be written over {name!r} before that is read", "elsewhere")
                    key = Target(output, number, bank)
                    overwritten[key] = (*overwritten.get(key, ()), name)
                    same.add(((name, other), key))
    return tuple(overwritten.items()), frozenset(same)


def _words(operand: _Operand, start: int) -> set[int]:
    return {start + word for pair in operand.operand.pairs for word in pair if word >= 0}


@lru_cache(maxsize=1 << 10)
def _template(found: Expression, homes: Banks, targets: Banks, overwritten: Overwritten, same: Same) -> Template:
    nodes = nodes_of(found.outputs, dict(targets), dict(overwritten))
    if len(nodes) > MOST_INSTRUCTIONS:
        raise Stuck(f"a loop of {len(nodes)} instructions", "a shorter chain")
    lines = template(Scheduler(nodes, dict(homes), same).run())
    if TEMPORARY_WORDS * max(lines.temporaries) > MOST_TEMPORARIES:
        raise Stuck(f"a loop keeps {max(lines.temporaries)} results at a time", "a shorter chain")
    return lines


# --- writing ---------------------------------------------------------------------------------------------------------


class _Writer:
    """A template with addresses. length: `l` where a step takes long words. chosen: the groups that are written."""

    def __init__(
        self,
        code: Code,
        lines: Template,
        homes: Mapping[str, _Operand],
        targets: Mapping[str, _Operand],
        length: str,
        chosen: Sequence[int],
    ) -> None:
        self.code, self.lines, self.homes, self.targets, self.length = code, lines, homes, targets, length
        self.chosen = chosen
        code.constants(lines.constants)  # before temporaries: they cannot lie where a line has written
        wanted = {bank: TEMPORARY_WORDS * n for bank, n in zip(GRF, lines.temporaries, strict=True) if n}
        self.sets = [self._taken(wanted)]
        while len(self.sets) < min(len(chosen), WORDS_IN_TURN // max([*wanted.values(), 1])) and all(
            code.largest(bank) >= words + SPARE for bank, words in wanted.items()
        ):
            self.sets.append(self._taken(wanted))

    def _taken(self, wanted: Mapping[str, int]) -> dict[str, int]:
        """Room for one set of temporaries: the address in each bank."""
        return {bank: self.code.take(words, (bank,)).address for bank, words in wanted.items()}

    def write(self) -> None:
        """The lines of all groups that are chosen."""
        for turn, group in enumerate(self.chosen):
            entries = [self.code.entry() for _ in range(self.lines.flags)]
            self.code.add(*self.lines.text(lambda s, g=group, t=turn: self._operand(s, g, t), entries, self.length))  # type: ignore[misc]

    def _operand(self, symbol: Symbol, group: int, turn: int) -> str:
        match symbol.kind, *symbol.what:
            case "path", str(unit):
                return f"${unit}f"
            case "fixed", str(text):
                return text
            case ["T"]:
                return "$t"
            case "const", int(word), str(bank):
                return self._constant(word, bank)
            case "temporary", str(bank), int(number):
                start = self.sets[turn % len(self.sets)][bank] + TEMPORARY_WORDS * number
                return f"${self.length}{BANKS[bank]}{start}v"
            case "read", str(name), int(number):
                return operand_text(*self.homes[name].words(number, group), 1 + len(self.length))
            case "target", Target(name=name, number=number):
                return operand_text(*self.targets[name].words(number, group), 1 + len(self.length))
        raise AssertionError(symbol)

    def _constant(self, word: int, bank: str) -> str:
        text = self.code.constant(word, bank)
        return text if self.length else text.replace("$l", "$")


# --- estimates -------------------------------------------------------------------------------------------------------


def steps(
    nodes: Sequence[onnx.NodeProto],
    dtypes: Mapping[str, np.dtype[Any]],
    constants: Mapping[str, NDArray[Any]] | None = None,
) -> int:
    """Steps for each group of 8 words, with the inputs in banks in turn and what no node uses as outputs."""
    used = {name for node in nodes for name in node.input}
    outputs = [node.output[0] for node in nodes if node.output[0] not in used]
    found = expression(nodes, dtypes, constants or {}, outputs)
    homes = tuple((name, (("LM0", *GRF)[number % 3],)) for number, name in enumerate(found.reads))
    return len(_template(found, homes, tuple((name, ("LM1",)) for name in outputs), (), frozenset()).lines)
