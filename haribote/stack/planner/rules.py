"""How each kind of node may be planned: from a state, the states after it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from itertools import chain, islice
from math import prod
from string import ascii_lowercase

import numpy as np
import onnx

from haribote.errors import HariboteError
from haribote.graph import Index, attributes
from haribote.stack import products, vectors
from haribote.stack.maps import COPY, PART, BitMap
from haribote.stack.plan import Compute, Multiply, Pick, Shift, Version
from haribote.stack.planner.facts import HUGE, NEUTRAL, NO_INDEX, Facts, Split, map_axes, operand_split, view_shape
from haribote.stack.planner.families import candidates, half_candidates, projected, reduced
from haribote.stack.planner.states import MOST_WORDS, NoWay, State, groups
from haribote.stack.planner.tariff import NEVER
from simulator.isa import STEP_CYCLES

Rule = Callable[[State, onnx.NodeProto], Iterator[State]]
Place = tuple[Split, BitMap]
Ways = tuple[products.Precision, ...]
TARGETS = 4
"""Layouts of a result that are looked at after each way to compute it."""


class NotPlanned(HariboteError):
    """A node that the stack cannot do."""


# --- element by element ----------------------------------------------------------------------------------------------


def elementwise(state: State, node: onnx.NodeProto) -> Iterator[State]:
    """In the layout of an operand that is as large as the result, or, where none is there yet, in any."""
    facts, name = state.facts, node.output[0]
    if name in facts.updated and facts.updated[name] in state.resident:
        with suppress(NoWay):
            yield _updated(state, node)
        return
    for split, found in _loops(state, node):
        with suppress(NoWay):
            yield _computed(state, node, split, found)[0]


def _loops(state: State, node: onnx.NodeProto) -> list[Place]:
    """The layouts in which a node may be computed."""
    facts, shape = state.facts, state.facts.index.shape[node.output[0]]
    places: dict[Place, None] = {}
    for name in dict.fromkeys(node.input):
        if name and facts.index.shape[name] == shape:
            places |= {(v.split, v.map): None for v in state.of(name)}
    if not places:
        places = {place: None for name in node.input if name for place in _widened(state, name, shape)}
    return list(places or dict.fromkeys(candidates(shape)))


def _widened(state: State, name: str, shape: tuple[int, ...]) -> Iterator[Place]:
    """The layouts of a larger shape in which a broadcast operand can stay where it is."""
    for version in state.of(name):
        for split, found in candidates(shape):
            own = operand_split(split, state.facts.index.shape[name])
            if own == version.split and projected(found, view_shape(own)) == version.map:
                yield split, found


def _updated(state: State, node: onnx.NodeProto) -> State:
    """The new value of a parameter, in every version in which the parameter is resident."""
    name = node.output[0]
    for version in state.resident[state.facts.updated[name]]:
        state, made = _computed(state, node, version.split, version.map)
        if state.facts.padded_axes(made) and made.fill != version.fill:
            state, _ = state.get(replace(made, fill=version.fill))
    return state


def _computed(state: State, node: onnx.NodeProto, split: Split, found: BitMap) -> tuple[State, Version]:
    """A loop over a layout; operands are brought to it."""
    facts, reads = state.facts, []
    for name in dict.fromkeys(node.input):
        if not name or name in facts.scalars:
            continue
        own = operand_split(split, facts.index.shape[name])
        state, version = state.get(Version(name, projected(found, view_shape(own)), own), place_only=True)
        reads.append(version)
    made = Version(node.output[0], found, split)
    made = replace(made, fill=_fill(facts, node, reads, made))
    cost = STEP_CYCLES * groups(found) * _steps(facts, node)
    return state.did(Compute((node,), tuple(reads), (made,)), cost, made), made


def _steps(facts: Facts, node: onnx.NodeProto) -> int:
    """Steps for a group of four long words."""
    dtypes = {name: facts.index.dtype[name] for name in (*node.input, *node.output) if name}
    scalars = {name: facts.scalars[name] for name in node.input if name in facts.scalars}
    return vectors.steps([node], dtypes, scalars)


def _fill(facts: Facts, node: onnx.NodeProto, reads: Sequence[Version], made: Version) -> float | None:
    """What padding holds after a node, from what it held before; None where that is not known. An operand that is
    broadcast along a padded axis has its elements there.
    """
    padded, rank = facts.padded_axes(made), len(made.split)
    if not padded:
        return 0.0
    known: dict[str, float | None] = {name: float(array.item()) for name, array in facts.scalars.items()}
    for version in reads:
        shape = facts.index.shape[version.value]
        covers = all(axis >= rank - len(shape) and shape[axis - rank] != 1 for axis in padded)
        known[version.value] = version.fill if covers else None
    fills = {name: known.get(name) for name in node.input if name}
    if None in fills.values():
        return _fill_beside_unknown(node.op_type, list(fills.values()))
    return vectors.fill_of(node, fills, {name: facts.index.dtype[name] for name in fills})


def _fill_beside_unknown(op_type: str, fills: Sequence[float | None]) -> float | None:
    """What an operator gives whatever the elements are that the other operand has: 0 times anything, HUGE plus any
    ordinary number, a comparison with what is no index."""
    if (op_type == "Mul" and 0.0 in fills) or (op_type == "Div" and fills[0] == 0.0):
        return 0.0
    huge = [fill for fill in fills if fill is not None and abs(fill) == HUGE]
    if op_type == "Add" and len(huge) == 1:
        return huge[0]
    if op_type == "Sub" and len(huge) == 1:
        return huge[0] if fills[0] == huge[0] else -huge[0]
    return 0.0 if op_type == "Equal" and NO_INDEX in fills else None


# --- reductions ------------------------------------------------------------------------------------------------------

PRODUCTS = ("Einsum", "Gemm", "MatMul")
REDUCTIONS = {"ReduceSum": "add", "ReduceMax": "max", "ReduceMin": "min"}


def reduction(state: State, node: onnx.NodeProto) -> Iterator[State]:
    """Wherever the value is: its reduced axes become parts, and the sum is copied to all of them."""
    facts, name = state.facts, node.input[0]
    shape, kept = facts.index.shape[name], attributes(node).get("keepdims", 1)
    axes = reduced_axes(facts.index, node, len(shape))
    combine = ("f" if facts.kind(name) == "float" else "i") + REDUCTIONS[node.op_type]
    there = state.of(name)
    elsewhere = _versions(name, shape)
    yield from _first(lambda sources: _reductions(state, node, sources, axes, kept, combine), (there, elsewhere))


def _first(
    rule: Callable[[Sequence[Version]], Iterator[State]], choices: Sequence[Sequence[Version]]
) -> Iterator[State]:
    """What a rule makes of the first choice of versions from which it makes anything."""
    for versions in choices:
        found = list(rule(versions))
        if found:
            yield from found
            return


def _reductions(
    state: State, node: onnx.NodeProto, sources: Sequence[Version], axes: tuple[int, ...], kept: int, combine: str
) -> Iterator[State]:
    """A reduction of each of these versions."""
    facts = state.facts
    for source in sources:
        padded = set(facts.padded_axes(source)) & set(axes)
        with suppress(NoWay):
            after, found = state.get(replace(source, fill=NEUTRAL[combine] if padded else None))
            yield _reduced(after, found, node, axes, kept, combine)


def _reduced(
    state: State, source: Version, node: onnx.NodeProto, axes: tuple[int, ...], kept: int, combine: str
) -> State:
    """A reduction of one version."""
    inner = map_axes(source.split, axes)
    split = tuple((1,) * len(parts) if axis in axes else parts for axis, parts in enumerate(source.split))
    after = reduced(source.map, inner, COPY)
    target = projected(after, after.shape)
    if not kept:
        split = tuple(parts for axis, parts in enumerate(split) if axis not in axes)
        target = replace(target, shape=view_shape(split))
    left = [axis for axis in state.facts.padded_axes(source) if axis not in axes]
    fill = source.fill if not left or source.fill == 0.0 or "add" not in combine else None
    made = Version(node.output[0], target, split, fill if left else 0.0)
    cost = state.facts.tariff.price(reduced(source.map, inner, PART), after, combine)
    if cost >= NEVER:
        raise NoWay(f"no way to reduce {source.value} in {source.map}")
    return state.did(Shift(source, made, combine, inner), cost, made)


def reduced_axes(index: Index, node: onnx.NodeProto, rank: int) -> tuple[int, ...]:
    """The axes that a reduction reduces. Raises NotPlanned."""
    given = attributes(node).get("axes")
    if given is None and len(node.input) > 1 and node.input[1]:
        if node.input[1] not in index.constants:
            raise NotPlanned(f"node {node.name}: its axes are computed", "axes that are constants")
        given = index.constants[node.input[1]]
    if given is None or len(given) == 0:
        return tuple(range(rank))
    return tuple(sorted(int(axis) % rank for axis in given))


# --- products --------------------------------------------------------------------------------------------------------


def product(state: State, node: onnx.NodeProto) -> Iterator[State]:
    """By every core that suits a layout of one operand and a layout of the other that goes with it."""
    letters = letters_of(state.facts.index, node)
    for everywhere in (False, True):
        followers = list(_products(state, node, letters, everywhere))
        if followers:
            yield from followers
            return


def _products(state: State, node: onnx.NodeProto, letters: tuple[str, str, str], everywhere: bool) -> Iterator[State]:
    """everywhere: also from layouts that no operand has yet."""
    found: dict[tuple[Version, Version], None] = {}
    for which in (0, 1):
        for known in _operands(state, node, which, everywhere):
            for other in _partners(state, node, letters, which, known):
                found[(known, other) if which == 0 else (other, known)] = None
    for a, b in found:
        with suppress(NoWay):
            yield from islice(_multiplied(state, node, letters, a, b), TARGETS)


def letters_of(index: Index, node: onnx.NodeProto) -> tuple[str, str, str]:
    """A product in the manner of einsum: the axes of both operands and the result. Raises NotPlanned."""
    given = attributes(node)
    if node.op_type == "Einsum":
        sides, result = given["equation"].decode().replace(" ", "").split("->")
        a, b = sides.split(",")
        return a, b, result
    if node.op_type == "Gemm":
        if given.get("alpha", 1.0) != 1.0 or len(node.input) > 2:
            raise NotPlanned(f"node {node.name}: a Gemm with alpha or C", "the pass `elementary` before the planner")
        return ("kn" if given.get("transA") else "nk", "mk" if given.get("transB") else "km", "nm")
    a, b = (index.shape[name] for name in node.input)
    if len(a) < 2 or len(b) < 2 or (len(b) > 2 and a[:-2] != b[:-2]):
        raise NotPlanned(f"node {node.name}: a MatMul of {a} and {b}", "the same batch in both, or none in the second")
    batch = "abcdefgh"[: len(a) - 2]
    return f"{batch}nk", f"{batch if len(b) > 2 else ''}km", f"{batch}nm"


def _operands(state: State, node: onnx.NodeProto, which: int, everywhere: bool) -> list[Version]:
    """The layouts of an operand from which the other's may follow: those that it has, else the families."""
    name = node.input[which]
    shape = state.facts.index.shape[name]
    there = list(state.of(name))
    if there and name not in state.facts.parameters and not everywhere:
        return there
    halves = half_candidates(shape) if "half" in state.facts.ways(node) else ()
    return [*there, *_versions(name, shape), *(Version(name, found, split) for split, found in halves)]


def _partners(
    state: State, node: onnx.NodeProto, letters: tuple[str, str, str], which: int, known: Version
) -> Iterator[Version]:
    """Versions of the other operand that go with a version of one."""
    name = node.input[1 - which]
    shape = state.facts.index.shape[name]
    parts = dict(zip(letters[which], known.split, strict=True))
    split = tuple(parts.get(letter, (size,)) for letter, size in zip(letters[1 - which], shape, strict=True))
    spec = _spec(letters, known.split, split) if which == 0 else _spec(letters, split, known.split)
    yield from _versions_beside(spec, "ba"[which], known.map, name, split, state.facts.ways(node))


@lru_cache(maxsize=1 << 16)
def _cores(spec: str, a: BitMap, b: BitMap, ways: Ways) -> list[products.Core]:
    """In all ways; the vector unit's once, since it multiplies singles in any."""
    found = [core for way in ways for core in products.cores(spec, a, b, way) if core.matrix or way == ways[-1]]
    return sorted(found, key=lambda core: core.steps)


@lru_cache(maxsize=1 << 14)
def _versions_beside(spec: str, which: str, known: BitMap, name: str, split: Split, ways: Ways) -> list[Version]:
    found = (products.partners(spec, which, known, view_shape(split), way) for way in ways)
    return [Version(name, beside, split) for beside in dict.fromkeys(chain.from_iterable(found))]


@lru_cache(maxsize=1 << 14)
def _versions(name: str, shape: tuple[int, ...]) -> list[Version]:
    """A value in the layouts of the families."""
    return [Version(name, found, split) for split, found in candidates(shape)]


def _spec(letters: tuple[str, str, str], a: Split, b: Split) -> str:
    """The einsum of the maps, whose axes are split: `nk,mk->nm` with k in two becomes `nkz,mkz->nm`."""
    parts = {**dict(zip(letters[1], b, strict=True)), **dict(zip(letters[0], a, strict=True))}
    free = iter(sorted(set(ascii_lowercase) - set(parts), reverse=True))
    names = {letter: letter + "".join(islice(free, len(sizes) - 1)) for letter, sizes in parts.items()}
    sides = ["".join(names[letter] for letter in side) for side in letters]
    return f"{sides[0]},{sides[1]}->{sides[2]}"


def _multiplied(
    state: State, node: onnx.NodeProto, letters: tuple[str, str, str], a: Version, b: Version
) -> Iterator[State]:
    """A product of two versions, and its result in the layouts that are near."""
    facts, name = state.facts, node.output[0]
    spec = _spec(letters, a.split, b.split)
    parts = {**dict(zip(letters[1], b.split, strict=True)), **dict(zip(letters[0], a.split, strict=True))}
    split = tuple(parts[letter] for letter in letters[2])
    cores = _cores(spec, a.map, b.map, facts.ways(node))
    if not cores:
        return
    before, operands = state, (a, b)
    for number, core in enumerate(cores):
        if 2 * core.target.longs > MOST_WORDS:
            continue
        wanted = products.zeros(cores[: number + 1])  # what gives the result cheaper may be used when it is emitted
        state, a, b = _operands_there(before, wanted, *operands)
        zeros = a.fill == b.fill == 0.0 and not _skips(core.target)
        made = Version(name, core.target, split, 0.0 if zeros else None)
        action = Multiply(spec, a, b, made, precision=core.precision)
        cost = STEP_CYCLES * core.steps
        if PART not in dict(core.target.carries).values():
            yield state.did(action, cost, made)
            continue
        after = state.did(action, cost)
        targets = [m for s, m in candidates(facts.index.shape[name]) if s == split]
        targets += [v.map for v in _residents_like(state, name) if v.split == split and v.map not in targets]
        if (near := _joined_in_place(core.target)) not in targets:
            targets.append(near)
        priced = [(facts.tariff.price(core.target, target, "fadd"), target) for target in targets]
        for price, target in sorted(priced, key=lambda entry: entry[0])[:TARGETS]:
            if price < NEVER:
                final = replace(made, map=target)
                yield after.did(Shift(made, final, "fadd"), price, final)


def _skips(found: BitMap) -> bool:
    """Whether a product leaves out addresses of its result: those that the bits of a padded axis make all padding."""
    sizes = zip(found.shape, found.axes, strict=True)
    padded = {bit for size, bits in sizes if size != 1 << len(bits) for bit in bits}
    return any(bit.level == "address" and carry in padded for bit, carry in found.carries)


def _joined_in_place(found: BitMap) -> BitMap:
    """The map of parts with their sum copied to all of them."""
    table = {bit: COPY if carry == PART else carry for bit, carry in found.carries}
    return projected(BitMap.of("LM", found.shape, table), found.shape)


def _residents_like(state: State, name: str) -> Iterator[Version]:
    """The resident versions of parameters of a value's shape: it may be what updates one."""
    shape = state.facts.index.shape[name]
    for parameter in state.facts.parameters:
        if state.facts.index.shape[parameter] == shape:
            yield from state.resident.get(parameter, ())


def _operands_there(state: State, zeros: str, a: Version, b: Version) -> tuple[State, Version, Version]:
    """Both operands as a product wants them: zeros in the padding of both, of one (where it costs less), or of none."""
    beyond = _beyond(state.facts, a) or _beyond(state.facts, b)
    first = a.fill == 0.0 or (b.fill != 0.0 and a.map.longs <= b.map.longs)
    sides = (True, True) if beyond or zeros == "both" else (first, not first) if zeros == "one" else (False, False)
    found = []
    for version, needed in zip((a, b), sides, strict=True):
        state, there = state.get(replace(version, fill=0.0 if needed else None))
        found.append(there)
    return state, found[0], found[1]


def _beyond(facts: Facts, version: Version) -> bool:
    """True where what an axis is split into has more elements than the axis."""
    sizes = zip(facts.index.shape[version.value], version.split, strict=True)
    return any(prod(parts) != size for size, parts in sizes)


# --- what moves elements ---------------------------------------------------------------------------------------------


def pick(state: State, node: onnx.NodeProto) -> Iterator[State]:
    """From any layout of the source into any of the families, at what a gather costs."""
    facts, (source_name, index_name), result = state.facts, node.input, node.output[0]
    fill = float(attributes(node).get("fill", 0.0))
    whole: Split = tuple((size,) for size in facts.index.shape[source_name])
    sources = [version for version in state.of(source_name) if version.split == whole]
    if not sources:
        families = _versions(source_name, facts.index.shape[source_name])
        sources = [version for version in families if version.split == whole]
    for wanted in sources:
        try:
            after, source = state.get(wanted)
        except NoWay:
            continue
        for split, found in candidates(facts.index.shape[result]):
            if view_shape(split) == facts.index.shape[result]:
                with suppress(NoWay):
                    yield _picked(after, source, Version(result, found, split), index_name, fill)


def _picked(state: State, source: Version, made: Version, index_name: str, fill: float) -> State:
    """One gather; a computed index is brought to the layout of the result."""
    index = state.facts.index.constants.get(index_name)
    if index is not None:
        cost = STEP_CYCLES * (source.map.longs / 2 + 2 * made.map.longs)
        return state.did(Pick(source, made, index.astype(np.int64, copy=False), fill), cost, made)
    state, places = state.get(Version(index_name, made.map, made.split))
    cost = STEP_CYCLES * (source.map.longs / 2 + 6 * made.map.longs)
    return state.did(Pick(source, made, places, fill), cost, made)


def rule_of(node: onnx.NodeProto) -> Rule:
    """The rule of a node. Raises NotPlanned."""
    if node.op_type in REDUCTIONS:
        return reduction
    if node.op_type in PRODUCTS:
        return product
    if node.op_type == "Pick":
        return pick
    if node.op_type in vectors.SUPPORTED:
        return elementwise
    raise NotPlanned(f"node {node.name}: there is no rule for {node.op_type}", "an operator that the stack has")
