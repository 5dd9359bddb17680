"""The lines of each action of a plan, by the emitter of its kind."""

from __future__ import annotations

from dataclasses import dataclass, replace

from haribote.graph import Index
from haribote.stack import moves, products, vectors
from haribote.stack.code import Code
from haribote.stack.maps import COPY, PART, BitMap, W, address, unit_bits
from haribote.stack.places import Place
from haribote.stack.plan import Action, Alias, Become, Compute, Load, Multiply, Pick, Shift, Store, Version
from haribote.stack.planner.families import reduced
from haribote.stack.products import NoProduct
from haribote.stack.program.allocate import Homes

Places = tuple[Place, ...]


@dataclass
class Context:
    """What emitters work with. dram: where the values are that a Load, a Store or a spilled version goes through."""

    code: Code
    homes: Homes
    index: Index
    dram: dict[Version, Place]


def emit(action: Action, context: Context) -> None:
    """Add the lines of an action, whose versions have their homes. Raises NoRoom."""
    code, homes = context.code, context.homes
    match action:
        case Load(target):
            down(code, context.dram[target], homes.of(target))
        case Store(source):
            up(code, homes.of(source), context.dram[source])
        case Shift(source, target, combine, axes):
            shift(code, tuple(_partial(place, axes) for place in homes.of(source)), homes.of(target), combine)
        case Alias():
            pass
        case Become(source, parameter):
            if homes.of(source) != homes.of(parameter):
                shift(code, homes.of(source), homes.of(parameter), "")
        case Compute():
            _compute(action, context)
        case Multiply():
            _multiply(action, context)
        case Pick():
            _pick(action, context)


def dram_map(found: BitMap) -> BitMap:
    """The map in DRAM from which a value comes to `found` most cheaply."""
    levels = ("PE", "MAB", "address", "L1B", "L2B")
    order = [bit for level in levels for bit, carry in found.carries if carry >= 0 and bit.level == level]
    carries = {address(number): found[bit] for number, bit in enumerate(order)} | {W: found[W]}
    groups = {bit: found[bit] if found[bit] >= 0 else COPY for bit in unit_bits("DRAM")}
    return BitMap.of("DRAM", found.shape, carries | groups)


def down(code: Code, source: Place, targets: Places) -> None:
    """From DRAM to the homes of a version; what the host has filled up comes too."""
    moves.emit(code, source, targets)


def up(code: Code, sources: Places, target: Place) -> None:
    """From one of the homes of a version to DRAM."""
    moves.emit(code, sources[0], [target])


def shift(code: Code, sources: Places, targets: Places, combine: str) -> None:
    """From one of the homes of a version to all of another."""
    moves.emit(code, sources[0], targets, combine)


def _partial(place: Place, axes: tuple[int, ...]) -> Place:
    """A place whose map has some axes reduced to size 1, their bits carrying parts."""
    return replace(place, map=reduced(place.map, axes, PART)) if axes else place


def _compute(action: Compute, context: Context) -> None:
    index, homes = context.index, context.homes
    reads = {version.value: homes.of(version) for version in action.reads}
    writes = {version.value: homes.of(version) for version in action.writes}
    names = {name for node in action.nodes for name in node.input} - set(reads)
    constants = {name: index.constants[name] for name in names if name in index.constants}
    vectors.emit(context.code, action.nodes, reads, writes, index.dtype, constants)


def _multiply(action: Multiply, context: Context) -> None:
    homes, problem = context.homes, NoProduct(f"no way to multiply {action.a.value} by {action.b.value}")
    for core in products.cores(action.spec, action.a.map, action.b.map):
        mark = context.code.mark()
        try:
            products.emit(context.code, core, homes.of(action.a), homes.of(action.b), homes.of(action.target))
            return
        except NoProduct as error:
            context.code.back(mark)
            problem = error
    raise problem


def _pick(action: Pick, context: Context) -> None:
    raise NotImplementedError(action)
