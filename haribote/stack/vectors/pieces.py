"""A chain that is too long for one loop becomes two loops, one after the other.

What passes from the first to the second stays in room of its own, in the layout of the loop. So does an output of the
first that would overwrite what the second still reads; a node of the second puts it where it belongs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import onnx

from haribote.stack.code import GRF, LM, Code
from haribote.stack.places import Place

Places = Mapping[str, Sequence[Place]]
MOST_WORDS = 64
"""Words per PE up to which what passes may be in GRF."""


@dataclass(frozen=True)
class Loop:
    """Nodes in topological order, where their inputs are, and where their outputs go."""

    nodes: tuple[onnx.NodeProto, ...]
    reads: Places
    writes: Places


def cut(code: Code, loop: Loop, first: Place) -> tuple[Loop, Loop]:
    """The two halves of a loop of at least two nodes, in turn. first: of the loop's outputs, whose map all have that
    pass. Raises NoRoom.
    """
    half = len(loop.nodes) // 2
    before, after = loop.nodes[:half], loop.nodes[half:]
    made = {name for node in before for name in node.output}
    read_later = {name for node in after for name in node.input}
    later = {name: loop.reads[name] for name in loop.reads if name in read_later}
    writes: dict[str, Sequence[Place]] = {}
    passed: dict[str, Sequence[Place]] = {}
    late: list[onnx.NodeProto] = []
    for name in sorted(made & (read_later | set(loop.writes))):
        home = loop.writes.get(name)
        if home is None or _meet(home, later):
            passed[name] = writes[name] = (_room(code, first),)
        else:
            passed[name] = writes[name] = home
        if home is not None and writes[name] is not home:
            late.append(onnx.helper.make_node("Identity", [name], [f'{name}"'], name=name))
    names = {node.input[0]: node.output[0] for node in late}
    ends = {names.get(name, name): home for name, home in loop.writes.items() if name not in made or name in names}
    reads = {name: home for name, home in loop.reads.items() if any(name in node.input for node in before)}
    return Loop(before, reads, writes), Loop((*after, *late), {**later, **passed}, ends)


def _meet(home: Sequence[Place], reads: Places) -> bool:
    """True where a home is written over what is read."""
    return any(
        place.memory == other.memory
        and place.address < other.address + other.words
        and other.address < place.address + place.words
        for place in home
        for places in reads.values()
        for other in places
    )


def _room(code: Code, first: Place) -> Place:
    words = -(-first.words // 4) * 4
    slot = code.take(words, (*reversed(GRF), *LM) if words <= MOST_WORDS else (*LM, *GRF))
    return Place(slot.bank, slot.address, first.map)
