"""Products: the matrix unit and the vector units, with the layouts that suit them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from itertools import chain, islice
from math import inf
from string import ascii_lowercase
from typing import NamedTuple

import onnx

from haribote.stack import products
from haribote.stack.maps import PART, Bit, BitMap, address
from haribote.stack.moves import joined_in_place
from haribote.stack.plan import Multiply, Shift, Version, view_shape
from haribote.stack.planner.cuts import Cut
from haribote.stack.planner.facts import Facts
from haribote.stack.planner.families import CYCLES, L1BS, L2BS, Split, half_candidates
from haribote.stack.planner.letters import letters_of
from haribote.stack.planner.states import NoWay, State, holdable
from haribote.stack.planner.streams import streamed, streams
from haribote.stack.planner.tariff import NEVER
from simulator.isa import STEP_CYCLES

Ways = tuple[products.Precision, ...]
TARGETS = 4
"""Layouts of a result that are looked at after the ways to compute it; one more where sums may be dealt out."""
MANY_STEPS = 128
"""Of a product in the matrix unit: from here on each way has so many layouts of its own."""


def product(state: State, node: onnx.NodeProto) -> Iterator[State]:
    """By every core that suits a layout of one operand and a layout of the other that goes with it."""
    letters = letters_of(state.facts.index, node)
    if streams(state.facts, node, letters):
        yield from streamed(state, node, letters)
        return
    for everywhere in (False, True):
        some = False
        for follower in _products(state, node, letters, everywhere):
            some = True
            yield follower
        if some:
            return


def _products(state: State, node: onnx.NodeProto, letters: tuple[str, str, str], everywhere: bool) -> Iterator[State]:
    """everywhere: also from layouts that no operand has yet."""
    found: dict[tuple[Version, Version], int] = {}
    for which in (0, 1):
        for known in _operands(state, node, which, everywhere):
            for other in _partners(state, node, letters, which, known):
                found.setdefault((known, other) if which == 0 else (other, known), which)
    limit = inf  # a first follower is wanted at any cost: without one, layouts would be looked at that are not there
    bring = _Bringing(state)
    for (a, b), which in found.items():
        with suppress(NoWay):
            for follower in _multiplied(bring, node, letters, a, b, which, limit):
                yield follower
                limit = state.facts.limit


def _operands(state: State, node: onnx.NodeProto, which: int, everywhere: bool) -> list[Version]:
    """The layouts of an operand from which the other's may follow: those that it has, else the families."""
    name = node.input[which]
    shape = state.facts.index.shape[name]
    there = list(state.of(name))
    if there and name not in state.facts.parameters and not everywhere:
        return there
    halves = half_candidates(shape) if "half" in state.facts.ways(node) else ()
    more = [*state.facts.versions(name), *(Version(name, found, split) for split, found in halves)]
    return [*there, *(version for version in more if state.admits(version))]


def _partners(
    state: State, node: onnx.NodeProto, letters: tuple[str, str, str], which: int, known: Version
) -> Sequence[Version]:
    """Versions of the other operand that go with a version of one."""
    name = node.input[1 - which]
    shape = state.facts.index.shape[name]
    parts = dict(zip(letters[which], known.split, strict=True))
    split = tuple(parts.get(letter, (size,)) for letter, size in zip(letters[1 - which], shape, strict=True))
    spec = _spec(letters, known.split, split) if which == 0 else _spec(letters, split, known.split)
    ways, cut = state.facts.ways(node), state.facts.cut
    return _versions_beside(name, spec, "ba"[which], known.map, split, ways, cut)


class _Core(NamedTuple):
    """zeros: enough for this one and those with fewer steps. parts: its result is in parts; skips: see `_skips`."""

    core: products.Core
    zeros: products.Zeros
    parts: bool
    skips: bool


@lru_cache(maxsize=1 << 16)
def _cores(spec: str, a: BitMap, b: BitMap, ways: Ways) -> tuple[_Core, ...]:
    """In all ways; the vector unit's once, since it multiplies singles in any."""
    found = [core for way in ways for core in products.cores(spec, a, b, way) if core.matrix or way == ways[-1]]
    found.sort(key=lambda core: core.steps)
    return tuple(
        _Core(core, products.zeros(found[: number + 1]), PART in core.target.table.values(), _skips(core.target))
        for number, core in enumerate(found)
    )


@lru_cache(maxsize=1 << 10)
def _versions_beside(
    name: str, spec: str, which: str, known: BitMap, split: Split, ways: Ways, cut: Cut | None
) -> Sequence[Version]:
    """The versions of a value that go with a map of the other operand: the same objects for all states."""
    maps = _maps_beside(spec, which, known, split, ways, cut, "" if cut is None else name)
    return [Version(name, found, split) for found in maps]


@lru_cache(maxsize=1 << 14)
def _maps_beside(
    spec: str, which: str, known: BitMap, split: Split, ways: Ways, cut: Cut | None, name: str
) -> list[BitMap]:
    """name: of the value for which the cut admits maps; without a cut they are the same for all."""

    def admitted(beside: BitMap) -> bool:
        return cut is None or cut.admits(Version(name, beside, split))

    found = (products.partners(spec, which, known, view_shape(split), way, admitted) for way in ways)
    return list(dict.fromkeys(chain.from_iterable(found)))


@lru_cache(maxsize=1 << 12)
def _spec(letters: tuple[str, str, str], a: Split, b: Split) -> str:
    """The einsum of the maps, whose axes are split: `nk,mk->nm` with k in two becomes `nkz,mkz->nm`."""
    parts = _parts(letters, a, b)
    free = iter(sorted(set(ascii_lowercase) - set(parts), reverse=True))
    names = {letter: letter + "".join(islice(free, len(sizes) - 1)) for letter, sizes in parts.items()}
    sides = ["".join(names[letter] for letter in side) for side in letters]
    return f"{sides[0]},{sides[1]}->{sides[2]}"


@lru_cache(maxsize=1 << 12)
def _split(letters: tuple[str, str, str], a: Split, b: Split) -> Split:
    """How the axes of the result are split."""
    parts = _parts(letters, a, b)
    return tuple(parts[letter] for letter in letters[2])


def _parts(letters: tuple[str, str, str], a: Split, b: Split) -> dict[str, tuple[int, ...]]:
    """What the axis of each letter is split into."""
    return dict(zip(letters[1], b, strict=True)) | dict(zip(letters[0], a, strict=True))


def _multiplied(
    bring: _Bringing,
    node: onnx.NodeProto,
    letters: tuple[str, str, str],
    a: Version,
    b: Version,
    which: int,
    limit: float,
) -> Iterator[State]:
    """A product of two versions, and its result in the layouts that are near, some of them. which: the operand that
    other pairs have too. limit: states that cost so much count as some, but are left out."""
    state = bring.state
    name, left = node.output[0], _targets(state.facts)
    spec, split = _spec(letters, a.split, b.split), _split(letters, a.split, b.split)
    cores = _cores(spec, a.map, b.map, state.facts.ways(node))
    for core, zeros, parts, skips in cores:
        cost = state.facts.look.products * STEP_CYCLES * core.steps
        if core.matrix and cores[0].core.matrix and core.steps >= MANY_STEPS:
            # with the other operand as the matrix the sums may be nearer to where they are wanted
            left = _targets(state.facts)
        if state.cost + cost >= limit:
            return  # those that follow have no fewer steps
        if 2 * core.target.longs > state.facts.most_words:
            continue
        # what gives the result cheaper may be used when it is emitted, so its zeros are wanted too
        there = bring.both(_as_wanted(state.facts, zeros, a, b), which, limit - cost)
        if there is None:  # its layouts count as looked at: those of parts are as many as may be
            left -= 1
            if parts or not left:
                return
            continue
        after, one, other = there
        fill = 0.0 if one.fill == other.fill == 0.0 and not skips else None
        for price, target in _ends(after, name, split, core.target) if parts else [(0.0, core.target)]:
            if price >= NEVER:
                continue
            final = Version(name, target, split, fill)
            holdable(final, state.facts.most_words)
            if after.cost + cost + price < limit:
                made = replace(final, map=core.target) if parts else final
                action = Multiply(spec, one, other, made, precision=core.precision)
                if parts:
                    yield after.did(action, cost).did(Shift(made, final, "fadd"), price, final)
                else:
                    yield after.did(action, cost, made)
            left -= 1
            if not left:
                break
        if not left:
            return


def _ends(state: State, name: str, split: Split, parts: BitMap) -> list[tuple[float, BitMap]]:
    """The layouts to which the parts of a product are added up most cheaply, with the prices."""
    facts = state.facts
    key = name, split, parts
    if key not in facts.ends:
        targets = [found for other, found in facts.layouts(name) if other == split]
        near = [joined_in_place(parts), *(_dealt_out(parts, facts.look.shared_out) if facts.look.dealt_out else ())]
        targets += [found for found in near if found not in targets]
        targets = [found for found in targets if state.admits(Version(name, found, split))]
        priced = [(facts.tariff.price(parts, target, "fadd"), target) for target in targets]
        facts.ends[key] = sorted(priced, key=lambda entry: entry[0])[: _targets(facts)]
    known = facts.ends[key]
    residents = dict.fromkeys(version.map for version in _residents_like(state, name) if version.split == split)
    more = [found for found in residents if all(found != target for _, target in known)]
    priced = [*known, *((facts.tariff.price(parts, found, "fadd"), found) for found in more)]
    return sorted(priced, key=lambda entry: entry[0])[: _targets(facts)] if more else known


def _targets(facts: Facts) -> int:
    """How many layouts of a result are looked at."""
    return TARGETS + facts.look.dealt_out


@lru_cache(maxsize=1 << 14)
def _skips(found: BitMap) -> bool:
    """Whether a product leaves out addresses of its result: those that the bits of a padded axis make all padding."""
    sizes = zip(found.shape, found.axes, strict=True)
    padded = {bit for size, bits in sizes if size != 1 << len(bits) for bit in bits}
    return any(carry in padded for _, carry in found.addresses)


@lru_cache(maxsize=1 << 14)
def _dealt_out(parts: BitMap, shared_out: bool) -> list[BitMap]:
    """The same with the sum dealt out over the L1Bs, the L2Bs and groups, or both, that held parts: along the highest
    bits at addresses, of which enough for the cycles of a step stay there. None where there are too few bits."""
    l1bs = L1BS if all(parts[bit] == PART for bit in L1BS) else ()
    l2bs = tuple(bit for bit in L2BS if shared_out and parts[bit] == PART)
    found = [_dealt(joined_in_place(parts), bits) for bits in dict.fromkeys((l1bs, l2bs, (*l1bs, *l2bs))) if bits]
    return [one for one in found if one is not None]


def _dealt(joined: BitMap, bits: tuple[Bit, ...]) -> BitMap | None:
    """A map with these units dealt out along the highest bits at addresses; None where there are too few."""
    if joined.address_bits < len(bits) + CYCLES:
        return None
    places = [address(joined.address_bits - len(bits) + number) for number in range(len(bits))]
    table = {bit: carry for bit, carry in joined.carries if bit not in places}
    table |= {bit: joined[place] for bit, place in zip(bits, places, strict=True)}
    return BitMap.of("LM", joined.shape, table)


def _residents_like(state: State, name: str) -> Iterator[Version]:
    """The resident versions of parameters of a value's shape: it may be what updates one."""
    shape = state.facts.index.shape[name]
    for parameter in state.facts.parameters:
        if state.facts.index.shape[parameter] == shape:
            yield from state.residents(parameter)


def _as_wanted(facts: Facts, zeros: str, a: Version, b: Version) -> tuple[Version, Version]:
    """Both operands as a product wants them: zeros in the padding of both, of one (where it costs less), or of none."""
    beyond = any(version.exceeds(facts.index.shape[version.value]) for version in (a, b))
    first = a.fill == 0.0 or (b.fill != 0.0 and a.map.longs <= b.map.longs)
    sides = (True, True) if beyond or zeros == "both" else (first, not first) if zeros == "one" else (False, False)
    return a.filled(0.0 if sides[0] else None), b.filled(0.0 if sides[1] else None)


class _Bringing:
    """Brings the operands of products from one state to where they are wanted, most of which proves too dear."""

    def __init__(self, state: State) -> None:
        self.state = state
        self._alone: dict[Version, tuple[State, Version]] = {}

    def alone(self, version: Version) -> tuple[State, Version]:
        """The state in which one operand is there. Raises NoWay."""
        if version not in self._alone:
            self._alone[version] = self.state.get(version)
        return self._alone[version]

    def both(self, wanted: tuple[Version, Version], which: int, limit: float) -> tuple[State, Version, Version] | None:
        """The state in which both are there; None where it costs so much, or one of them does. which: the operand to
        begin with, which is brought for other pairs too. Raises NoWay."""
        if self.alone(wanted[which])[0].cost >= limit:
            return None
        after, one = self.alone(wanted[0])
        if after.cost >= limit:
            return None
        after, other = after.get(wanted[1])
        return None if after.cost >= limit else (after, one, other)
