"""A plan as it grows: which versions there are, what they have cost, and how to get one that is wanted."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import prod

from haribote.errors import HariboteError
from haribote.stack.maps import COPY, Bit, BitMap, unit_bits
from haribote.stack.plan import Action, Alias, Compute, Load, Shift, Version, in_dram
from haribote.stack.planner.facts import MOST_WORDS, Facts, agrees
from haribote.stack.planner.families import L1BS, L2BS, Layout, Split
from haribote.stack.planner.padding import mended
from haribote.stack.planner.resort import picked
from haribote.stack.planner.tariff import NEVER
from simulator.isa import STEP_CYCLES
from simulator.messages import tr

Chain = tuple["Chain", Action] | None
"""Actions, the last one outermost."""


class NoWay(HariboteError):
    """A version cannot be had in a state."""


@dataclass(eq=False, slots=True)
class State:
    """versions: what there is of each value; resident: of parameters and constants, also at the next run.

    Never changed, though not frozen: the planner makes tens of thousands.
    """

    facts: Facts
    cost: float = 0.0
    chain: Chain = None
    versions: Mapping[str, tuple[Version, ...]] = field(default_factory=dict)
    resident: Mapping[str, tuple[Version, ...]] = field(default_factory=dict)

    def actions(self) -> tuple[Action, ...]:
        """In the order of the program."""
        found, chain = [], self.chain
        while chain is not None:
            chain, action = chain
            found.append(action)
        return tuple(reversed(found))

    def did(self, action: Action, cost: float, *made: Version) -> State:
        """After an action. Raises NoWay for what no bank holds."""
        versions = dict(self.versions)
        self.facts.looked_at.update(version.value for version in made)
        for version in made:
            self._admit(version)
            versions[version.value] = (*versions.get(version.value, ()), version)
        return State(self.facts, self.cost + cost, (self.chain, action), versions, self.resident)

    def settled(self, version: Version, cost: float = 0.0) -> State:
        """With a version that is there before every run. Raises NoWay for what no bank holds."""
        self._admit(version)
        self.facts.looked_at.add(version.value)
        versions = dict(self.versions) | {version.value: (*self.versions.get(version.value, ()), version)}
        resident = dict(self.resident) | {version.value: (*self.resident.get(version.value, ()), version)}
        return State(self.facts, self.cost + cost, self.chain, versions, resident)

    def admits(self, version: Version) -> bool:
        """Whether a version is cut as the plan wants all to be."""
        return self.facts.cut is None or self.facts.cut.admits(version)

    def _admit(self, version: Version) -> None:
        """Raises NoWay for a version that is not, or that no bank holds."""
        if not self.admits(version):
            raise NoWay(tr("{value} is not cut as all values are", version.value))
        holdable(version, self.facts.most_words)

    def without_all_but(self, live: Collection[str]) -> State:
        """Without what is not read any more: only these values, and what the end of the graph asks for."""
        kept = {name: found for name, found in self.versions.items() if name in live or name in self.facts.asked_for}
        return State(self.facts, self.cost, self.chain, kept, self.resident)

    def below(self, name: str) -> tuple[Version, ...]:
        """The versions of a value in DRAM."""
        self.facts.looked_at.add(name)
        return tuple(version for version in self.versions.get(name, ()) if in_dram(version))

    def residents(self, name: str) -> tuple[Version, ...]:
        """The versions of a parameter or constant that are there before every run."""
        self.facts.looked_at.add(name)
        return self.resident.get(name, ())

    def of(self, name: str) -> tuple[Version, ...]:
        """The versions of a value in the PEs, those of what it is a view of included."""
        view = self.facts.root(name)
        self.facts.looked_at.add(name)
        own = tuple([version for version in self.versions.get(name, ()) if not in_dram(version)])
        if view is None:
            return own
        seen = [view.version(name, version) for version in self.of(view.root)]
        return (*own, *[version for version in seen if version is not None and version not in own])

    def get(self, wanted: Version, place_only: bool = False) -> tuple[State, Version]:
        """The state in which a version as wanted is there, by the cheapest way; fill None takes any.

        place_only: another address will do (an operand of a loop).
        """
        there = self.of(wanted.value) if not in_dram(wanted) else self.below(wanted.value)
        for version in reversed(there):  # the latest, whose padding is known best
            if self.fits(version, wanted, place_only):
                return self._named(version)
        if wanted.fill is None or wanted.value in self.facts.index.constants:
            return self._brought(wanted)
        return self._filled(wanted)

    def fits(self, version: Version, wanted: Version, place_only: bool = False) -> bool:
        """True where a version serves for another."""
        if version.split != wanted.split:
            return False
        if wanted.fill is not None and version.fill != wanted.fill and self.facts.padded_axes(version):
            return False
        return agrees(version.map, wanted.map) if place_only else version.map.satisfies(wanted.map)

    def _named(self, version: Version) -> tuple[State, Version]:
        """A version of a view becomes one of its own."""
        if version in self.versions.get(version.value, ()):
            return self, version
        view = self.facts.root(version.value)
        assert view is not None
        source = next(v for v in self.versions[view.root] if view.version(version.value, v) == version)
        return self.did(Alias(source, version), 0.0, version), version

    def _brought(self, wanted: Version) -> tuple[State, Version]:
        """From memory, or from another version."""
        facts, name = self.facts, wanted.value
        view = facts.root(name)
        if view is not None and not self.of(name):
            asked = view.inverse(wanted)
            if asked is None:
                return self._resorted(
                    wanted, tr("{name} is a view of {root}, which cannot be split so", name, view.root)
                )
            state, _ = self.get(asked)
            return state.get(wanted)
        fresh = wanted.filled(0.0)
        if name in facts.parameters:
            home, kept, moved = min(_homes(facts, fresh), key=lambda entry: entry[1] + entry[2])
            if kept + moved >= NEVER:
                raise NoWay(tr("{name} cannot be kept in {map}", name, wanted.map))
            state = self.settled(home, kept)
            return (state, home) if home == fresh else (state.did(Shift(home, fresh), moved, fresh), fresh)
        if name in facts.index.constants:
            fresh = fresh.filled(facts.constant_fill(name, wanted.fill))
            return self.settled(fresh), fresh
        if name in facts.inputs and in_dram(wanted):
            return self.did(Load(fresh), 0.0, fresh), fresh  # the host lays it out
        near = [v for v in (*self.of(name), *self.below(name)) if v.split == wanted.split]
        if not near and name in facts.inputs:
            cost = load_cost(fresh.map)
            if cost >= NEVER:
                raise NoWay(tr("{name} does not pass through an L1BM on its way to {map}", name, wanted.map))
            return self.did(Load(fresh), cost, fresh), fresh
        if not near:
            return self._resorted(wanted, tr("{name} is in no version that is split as {split}", name, wanted.split))
        source = min(near, key=lambda version: facts.tariff.price(version.map, wanted.map))
        state, source = self._named(source)
        made = wanted.filled(source.fill)
        cost = facts.tariff.price(source.map, made.map)
        if cost >= NEVER:
            return self._resorted(wanted, tr("{name} has no way from {map} to {map2}", name, source.map, wanted.map))
        return state.did(Shift(source, made), cost, made), made

    def _resorted(self, wanted: Version, problem: str) -> tuple[State, Version]:
        """By the last resort, where there is no other way for a node. Raises NoWay."""
        facts, name = self.facts, wanted.value
        if not facts.desperate:
            raise NoWay(problem)
        state, there = self, self.of(name)
        if not there:
            view = facts.root(name)
            assert view is not None
            there = self.of(view.root)
            if not there:
                split, found = min(facts.layouts(view.root), key=lambda place: place[1].longs)
                state, version = self.get(Version(view.root, found, split))
                there = (version,)
        source = min(there, key=lambda version: version.map.longs)
        state, source = state._named(source)
        action, cost = picked(facts, source, wanted)
        return state.did(action, cost, wanted), wanted

    def _filled(self, wanted: Version) -> tuple[State, Version]:
        """A version whose padding holds `wanted.fill`: brought, and mended where its padding holds something else."""
        state, found = self.get(wanted.filled(None))
        if not self.facts.padded_axes(found) or found.fill == wanted.fill:
            return state, found
        assert wanted.fill is not None
        nodes, masks = mended(self.facts, found, wanted.fill)
        there = []
        for mask in masks:
            state, version = state.get(mask, place_only=True)
            there.append(version)
        written = replace(found, value=nodes[-1].output[0], fill=wanted.fill)
        cost = STEP_CYCLES * groups(found.map) * len(nodes)
        state = state.did(Compute(tuple(nodes), (*there, found), (written,)), cost, written)
        made = found.filled(wanted.fill)
        return state.did(Alias(written, made), 0.0, made), made


def holdable(version: Version, most_words: int = MOST_WORDS) -> None:
    """Raises NoWay for a version of more words per PE, where it is in one."""
    if not in_dram(version) and 2 * version.map.longs > most_words:
        raise NoWay(
            tr(
                "{value} would take {value2} words per PE; {most_words} are the most",
                version.value,
                2 * version.map.longs,
                most_words,
            )
        )


def groups(found: BitMap) -> int:
    """Groups of four long words that a loop over a version takes."""
    return max(1, -(-found.longs // 4))


@lru_cache(maxsize=1 << 14)
def load_cost(found: BitMap) -> float:
    """Cycles from DRAM to the PEs: at 16 long words a cycle into each group, one L2B after another where they differ
    and groups do too, then down.
    """
    group, below = (_longs_held(found, bits) for bits in (L2BS[1:], L2BS))
    if any(found[bit] == COPY for bit in L2BS[1:]):
        group = below
    dealt = 64 if any(found[bit] == COPY for bit in L1BS) else 256
    return group / 16 + STEP_CYCLES * (below / dealt + found.longs / 4)


def _longs_held(found: BitMap, units: Sequence[Bit]) -> float:
    """Long words of what the unit of number 0 has of all that is dealt out over these bits of the units: none has more,
    since padding is at the end of axes."""
    dealt = sum(1 << found[bit] for bit in units if found[bit] >= 0)
    held = [
        sum(1 for number in range(size) if not (number << bits.start) & dealt)
        for size, bits in zip(found.shape, found.axes, strict=True)
    ]
    return max(prod(held) / 2, 1.0)


def _homes(facts: Facts, wanted: Version) -> Iterator[tuple[Version, float, float]]:
    """Where a parameter may be kept that is wanted in a layout, what that costs a run, and the way from there: there,
    or, where all values are cut in one way, where each unit has fewer of its words."""
    yield wanted, _return_cost(facts, wanted), 0.0
    if facts.cut is not None:
        for split, found in facts.cut.layouts(wanted.value, facts.index.shape[wanted.value]):
            if split == wanted.split and found.longs < wanted.map.longs:
                home = replace(wanted, map=found)
                yield home, _return_cost(facts, home), facts.tariff.price(found, wanted.map)


def _return_cost(facts: Facts, version: Version) -> float:
    """What a resident version costs a run: its update in place, and the way of what it is updated with, which was
    dealt out over all units as sums of gradients are.
    """
    dealt = _most_dealt(facts.layouts(version.value), version.split)
    return STEP_CYCLES * groups(version.map) + min(facts.tariff.price(found, version.map) for found in dealt)


@lru_cache(maxsize=1 << 10)
def _most_dealt(layouts: tuple[Layout, ...], split: Split) -> tuple[BitMap, ...]:
    """The layouts that are dealt out over most units."""
    units = {found: sum(found[bit] >= 0 for bit in unit_bits("LM")) for other, found in layouts if other == split}
    return tuple(found for found, count in units.items() if count == max(units.values()))
