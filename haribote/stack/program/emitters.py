"""The lines of each action of a plan, by the emitter of its kind."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
import onnx

from haribote.graph import Index, clone
from haribote.stack import moves, picks, products, vectors
from haribote.stack.code import Code
from haribote.stack.maps import PART
from haribote.stack.places import Place
from haribote.stack.plan import Action, Alias, Become, Compute, Halve, Load, Multiply, Pick, Shift, Store, Version
from haribote.stack.planner.families import reduced
from haribote.stack.products import NoProduct
from haribote.stack.program.allocate import Homes

Places = tuple[Place, ...]
MENDED = "'"
"""Follows a name that is taken."""


@dataclass
class Context:
    """What emitters work with. dram: where the values are that a Load or a Store exchanges with the host."""

    code: Code
    homes: Homes
    index: Index
    dram: dict[tuple[type, Version], Place]


def emit(action: Action, context: Context) -> None:
    """Add the lines of an action, whose versions have their homes. Raises NoRoom."""
    code, homes = context.code, context.homes
    match action:
        case Load(target):
            moves.from_dram(code, context.dram[Load, target].address, homes.of(target), target.fill)
        case Store(source):
            moves.to_dram(code, homes.of(source)[0], context.dram[Store, source].address)
        case Shift(source, target, combine, axes):
            sources = tuple(_shaped(_partial(place, axes), target.map.shape) for place in homes.of(source))
            shift(code, sources, homes.of(target), combine)
        case Alias():
            pass
        case Become(source, parameter):
            if homes.of(source) != homes.of(parameter):
                shift(code, homes.of(source), homes.of(parameter), "")
        case Compute():
            _compute(action, context)
        case Halve(source, target):
            products.halve(code, homes.of(source), homes.of(target))
        case Multiply():
            _multiply(action, context)
        case Pick():
            _pick(action, context)


def shift(code: Code, sources: Places, targets: Places, combine: str) -> None:
    """From one of the homes of a version to all of another."""
    moves.emit(code, sources[0], targets, combine)


def _partial(place: Place, axes: tuple[int, ...]) -> Place:
    """A place whose map has some axes reduced to size 1, their bits carrying parts."""
    return replace(place, map=reduced(place.map, axes, PART)) if axes else place


def _shaped(place: Place, shape: tuple[int, ...]) -> Place:
    """A place whose map has another shape that differs in axes of size 1 only."""
    return replace(place, map=replace(place.map, shape=shape))


def _compute(action: Compute, context: Context) -> None:
    index, homes = context.index, context.homes
    reads = {version.value: homes.of(version) for version in action.reads}
    assert len(reads) == len(action.reads), "a loop reads a value in one layout only"
    nodes, made = _single_assignment(action.nodes, reads)
    writes = {made[version.value].pop(): homes.of(version) for version in reversed(action.writes)}
    names = {name for node in nodes for name in node.input} - set(reads)
    constants = {name: index.constants[name] for name in names if name in index.constants}
    vectors.emit(context.code, nodes, reads, dict(reversed(writes.items())), index.dtype, constants)


def _single_assignment(
    nodes: Sequence[onnx.NodeProto], reads: Collection[str]
) -> tuple[list[onnx.NodeProto], dict[str, list[str]]]:
    """The nodes of a loop with a name of its own for everything that they make, and these names for every value: a node
    that mends padding gives the value that it reads.
    """
    now = {name: name for name in reads}
    made: dict[str, list[str]] = {}
    result = []
    for node in nodes:
        copy = clone(node)
        copy.input[:] = [now.get(name, name) for name in node.input]
        for name in node.output:
            before = made.setdefault(name, [])
            now[name] = name + MENDED * (len(before) + (name in reads))
            before.append(now[name])
        copy.output[:] = [now[name] for name in node.output]
        result.append(copy)
    return result, made


def _multiply(action: Multiply, context: Context) -> None:
    homes, problem = context.homes, NoProduct(f"no way to multiply {action.a.value} by {action.b.value}")
    halves = homes.of(action.halves) if action.halves is not None else None
    a, b = (homes.of(version) if version in homes else () for version in (action.a, action.b))
    for core in products.cores(action.spec, action.a.map, action.b.map):
        mark = context.code.mark()
        try:
            products.emit(context.code, core, a, b, homes.of(action.target), halves)
            return
        except NoProduct as error:
            context.code.back(mark)
            problem = error
    raise problem


def _pick(action: Pick, context: Context) -> None:
    target, homes = action.target, context.homes
    fill = action.fill if np.issubdtype(context.index.dtype[target.value], np.floating) else int(action.fill)
    assert target.fill in (None, action.fill), "a pick pads with what it fills with"
    index = homes.of(action.index) if isinstance(action.index, Version) else action.index
    sources = [_nearest(homes.of(version)) for version in (action.source, *action.others)]
    padding = target.fill is not None
    picks.emit(context.code, sources, homes.of(target), index, fill, action.combine, padding, action.along)


def _nearest(places: Places) -> Place:
    """The home in LM0, from where picks read, if there is one."""
    return min(places, key=lambda place: place.memory != "LM0")
