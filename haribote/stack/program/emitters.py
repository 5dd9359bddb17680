"""The lines of each action of a plan, by the emitter of its kind."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np
import onnx

from haribote.graph import Index, clone
from haribote.stack import moves, picks, products
from haribote.stack.code import Code
from haribote.stack.maps import PART, BitMap
from haribote.stack.places import NoRoom, Place
from haribote.stack.plan import (
    Alias,
    Become,
    Compute,
    Halve,
    Load,
    Multiply,
    Pick,
    Shift,
    Store,
    Stream,
    Version,
    read_as_halves,
)
from haribote.stack.planner.families import reduced
from haribote.stack.planner.padding import masks_of
from haribote.stack.products import Core, NoProduct, pairs
from haribote.stack.products.stream import emit_stream
from haribote.stack.program.allocate import Homes
from haribote.stack.program.loops import PartedLoop
from haribote.stack.program.work import Joined, Work
from simulator.isa import L1BM_LONGS, STEP_CYCLES
from simulator.messages import tr

Places = tuple[Place, ...]
STORED = 2
"""Steps more, about, that four long words of a product take which are stored before they are summed: LM is not read and
written at once."""
MENDED = "'"
"""Follows a name that is taken."""


@dataclass
class Context:
    """What emitters work with. dram: where the values are that a Load or a Store exchanges with the host."""

    code: Code
    homes: Homes
    index: Index
    dram: dict[tuple[type, Version], Place]


def emit(action: Work, context: Context) -> None:
    """Add the lines of an action, whose versions have their homes. Raises NoRoom."""
    code, homes = context.code, context.homes
    match action:
        case Load(Version(map=BitMap(memory="DRAM"))) | Store(Version(map=BitMap(memory="DRAM"))):
            pass  # the host has laid it out, or reads it there
        case Load(target, half):
            (_load_halves if half else _load)(target, context)
        case Store(source):
            moves.to_dram(code, homes.of(source)[0], context.dram[Store, source].address)
        case Shift():
            _shift(action, context)
        case Alias():
            pass
        case Become(source, parameter):
            if homes.of(source) != homes.of(parameter):
                moves.emit(code, homes.of(source)[0], homes.of(parameter))
        case Compute():
            _compute(action, context)
        case Halve(source, rounded, rest):
            products.halve(code, homes.of(source), homes.of(rounded), homes.of(rest))
        case Multiply():
            _multiplied(action, context, lambda core: homes.of(action.target))
        case Stream(matrix, vectors, target, tiling):
            matrix_at, vectors_at, target_at = (homes.of(version)[0].address for version in (matrix, vectors, target))
            emit_stream(code, tiling, matrix_at, vectors_at, target_at)
        case Joined(multiply, shift):
            _sum_on_the_way(multiply, shift, context)
        case Pick():
            _pick(action, context)


def _load(target: Version, context: Context) -> None:
    moves.from_dram(context.code, context.dram[Load, target].address, context.homes.of(target), target.fill)


def _load_halves(target: Version, context: Context) -> None:
    """Down as pairs of halves, which the PEs widen."""
    code, homes, below = context.code, context.homes.of(target), pairs.pairs_of(target)
    assert below is not None
    with code.scratch():
        slot = code.take(2 * below.map.longs, pairs.banks_beside(homes))
        place = Place(slot.bank, slot.address, below.map)
        moves.from_dram(code, context.dram[Load, target].address, (place,), below.fill)
        pairs.widen(code, place, homes)


def _shift(action: Shift, context: Context) -> None:
    """From one of the homes of a version to all of another."""
    source, *_ = context.homes.of(action.source)
    found = reduced(source.map, action.axes, PART) if action.axes else source.map
    source = replace(source, map=replace(found, shape=action.target.map.shape))  # axes of size 1 may be others
    moves.emit(context.code, source, context.homes.of(action.target), action.combine, action.target.fill is not None)


def _compute(action: Compute, context: Context) -> None:
    index, homes = context.index, context.homes
    reads = {version.value: homes.of(version) for version in action.reads}
    assert len(reads) == len(action.reads), "a loop reads a value in one layout only"
    nodes, made = _single_assignment(action.nodes, reads)
    writes = {made[version.value].pop(): (version, homes.of(version)) for version in reversed(action.writes)}
    names = {name for node in nodes for name in node.input} - set(reads)
    scalars = {name: index.constants[name] for name in names if name in index.constants}
    masks = masks_of(action.reads, index.constants)
    loop = PartedLoop(nodes, reads, dict(reversed(writes.items())), masks, scalars, index.dtype, index.shape)
    loop.emit(context.code)


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


def _sum_on_the_way(multiply: Multiply, shift: Shift, context: Context) -> None:
    """A product and the sum of its parts, those over MABs on the way to L1BM if that takes no longer."""
    code, targets = context.code, context.homes.of(shift.target)
    cycles = moves.line_cycles(multiply.target.map, targets[0].map, shift.combine)
    cycles += STEP_CYCLES * STORED * multiply.target.map.longs / 4

    def between(core: Core) -> Places:
        found = core.target_above
        if found is None or core.target != multiply.target.map or found.longs > L1BM_LONGS:
            raise NoProduct(tr("no transfer sums these parts"))
        below = Place("L1BM", code.buffer("L1BM", found.longs), found)
        if moves.line_cycles(found, targets[0].map, shift.combine) > cycles:
            raise NoProduct(tr("the way from L1BM is longer"))
        return (below,)

    padding = shift.target.fill is not None
    with code.scratch():
        mark = code.mark()
        with suppress(NoProduct):
            source = _multiplied(multiply, context, between)[0]
            try:
                moves.emit(code, source, targets, shift.combine, padding)
                return
            except NoRoom:  # in pieces, beside those that still lie in L1BM
                if code.own_buffers:
                    raise
                code.back(mark)
        place = _taken(code, multiply.target.map)
        source = _multiplied(multiply, context, lambda core: (place,))[0]
        moves.emit(code, source, targets, shift.combine, padding)


def _taken(code: Code, found: BitMap) -> Place:
    """Scratch for what has this map. Raises NoRoom."""
    slot = code.take(-(-2 * found.longs // 4) * 4)
    return Place(slot.bank, slot.address, found)


def _multiplied(action: Multiply, context: Context, target: Callable[[Core], Places]) -> Places:
    """By the first way that gives the result where it is wanted; where that is. Raises NoProduct."""
    homes = context.homes
    problem = NoProduct(tr("no way to multiply {value} by {value2}", action.a.value, action.b.value))
    halves = [homes.of(version) for version in action.halves] if action.halves is not None else None
    single = "b" if read_as_halves(action, action.a) else "a"  # beside halves only this one can be the matrix
    a, b = (homes.of(version) if version in homes else () for version in (action.a, action.b))
    for core in products.cores(action.spec, action.a.map, action.b.map, action.precision):
        if halves is not None and core.matrix != single:
            continue
        mark = context.code.mark()
        try:
            places = target(core)
            products.emit(context.code, core, a, b, places, halves)
            return places
        except NoProduct as error:
            context.code.back(mark)
            problem = error
    raise problem


def _pick(action: Pick, context: Context) -> None:
    target, homes = action.target, context.homes
    fill = action.fill if np.issubdtype(context.index.dtype[target.value], np.floating) else int(action.fill)
    assert target.fill in (None, action.fill), "a pick pads with what it fills with"
    index = homes.of(action.index) if isinstance(action.index, Version) else action.index
    source = min(homes.of(action.source), key=lambda place: place.memory != "LM0")  # from where picks read
    picks.emit(context.code, source, homes.of(target), index, fill, padding=target.fill is not None)
