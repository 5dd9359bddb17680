"""A round of planning: a beam of states, node by node, the cheapest of each set of layouts kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from math import inf
from typing import NamedTuple

import onnx

from haribote.progress import stage
from haribote.stack.plan import Action, Become, Store, Version
from haribote.stack.planner.alike import Alike
from haribote.stack.planner.beam import Beam
from haribote.stack.planner.clusters import clustered
from haribote.stack.planner.early import early
from haribote.stack.planner.errors import NotPlanned
from haribote.stack.planner.facts import Facts
from haribote.stack.planner.families import candidates
from haribote.stack.planner.halves import halved, stored_as_halves
from haribote.stack.planner.homes import fetched
from haribote.stack.planner.reductions import REDUCTIONS
from haribote.stack.planner.rules import rule_of
from haribote.stack.planner.states import NoWay, State
from haribote.stack.planner.sums import sums_in_parts
from simulator.messages import Text, tr


class Found(NamedTuple):
    """What a round has found; facts: with the constants that it adds; actions: as chosen, not yet joined."""

    facts: Facts
    actions: tuple[Action, ...]
    residents: tuple[Version, ...]

    def finished(self, summed: bool = False) -> tuple[Action, ...]:
        """The actions, joined and moved to where they are best. summed: with parts added up before they travel."""
        actions = sums_in_parts(self.actions) if summed else self.actions
        return early(stored_as_halves(halved(clustered(actions)), _floats(self.facts)))

    @property
    def has_sums(self) -> bool:
        """Whether parts can be added up before they travel: that is less to do, and more is on the chip at a time."""
        return len(sums_in_parts(self.actions)) < len(self.actions)


def planned(facts: Facts, beam: int, turn: int, limit: float = inf) -> tuple[float, Found]:
    """The cheapest plan at today's prices, with its cycles. turn: the number of the round. Raises NotPlanned where it
    takes `limit` or more."""
    states = [State(facts)]
    nodes = ordered(facts)
    with stage(Text("planning"), len(nodes), turn) as done:
        for number, (node, needed) in enumerate(zip(nodes, _needed(facts, nodes), strict=True)):
            if node.output[0] in facts.views:
                continue
            done(number)
            rule = rule_of(node, facts.index)
            follow = lambda state, node=node, rule=rule: rule(state, node)  # noqa: E731
            states = _followers(states, follow, Beam(beam, needed, limit))
            if not states:
                raise _no_layout(facts, node)
        finished = _followers(states, _finished, Beam(1, frozenset(), limit))
    if not finished:
        raise NotPlanned(tr("the results of the graph have no way to where they belong"), tr("report the graph"))
    best = finished[0]
    residents = tuple(version for versions in best.resident.values() for version in versions)
    return best.cost, Found(facts, fetched(best.actions(), residents), residents)


def _floats(facts: Facts) -> frozenset[str]:
    return frozenset(name for name, dtype in facts.index.dtype.items() if dtype.kind == "f")


def _no_layout(facts: Facts, node: onnx.NodeProto) -> NotPlanned:
    """Why a node cannot be planned: a value is too large in all layouts, or it is not known."""
    what = tr("there is no layout for node {name} ({op_type})", node.name, node.op_type)
    for name in (*node.input, *node.output):
        shape = facts.index.shape[name] if name else ()
        words = 2 * min((found.longs for _, found in candidates(shape)), default=0)
        if words > facts.most_words:
            sizes = "x".join(map(str, shape))
            return NotPlanned(
                tr(
                    "{what}: {name!r} ({sizes}) needs {words} words per PE, and a value may have {most_words}",
                    what=what,
                    name=name,
                    sizes=sizes,
                    words=words,
                    most_words=facts.most_words,
                ),
                tr("smaller axes: only element-wise nodes, reductions, products and views are cut into pieces"),
            )
    return NotPlanned(what, tr("report the graph"))


def _followers(states: Sequence[State], rule: Callable[[State], Iterator[State]], beam: Beam) -> list[State]:
    """The cheapest of the states after each of these; where there are none, with the last resort."""
    facts = states[0].facts
    for desperate in (False, True) if beam.limit == inf else (False,):
        facts.desperate, facts.limit = desperate, beam.limit
        alike = Alike(rule)
        for state in states:
            for follower in alike(state):
                beam.offer(follower)
                facts.limit = beam.limit
        if found := beam.states():
            break
    facts.desperate = False
    return found


def ordered(facts: Facts) -> list[onnx.NodeProto]:
    """The nodes, updates of parameters, and what is made of these, after everything else: what reads a parameter
    decides where it is. A reduction comes right behind what makes its operand, in whatever order the graph was traced.
    """
    late: set[str] = set(facts.updated)
    for node in facts.model.graph.node:
        if late.intersection(node.input):
            late.update(node.output)
    nodes = sorted(facts.model.graph.node, key=lambda node: not late.isdisjoint(node.output))
    place = {name: number for number, node in enumerate(nodes) for name in node.output}

    def key(entry: tuple[int, onnx.NodeProto]) -> tuple[int, bool, int]:
        number, node = entry
        moves = node.op_type in REDUCTIONS and node.input[0] in place and facts.root(node.input[0]) is None
        return (place[node.input[0]] if moves else number), moves, number

    return [node for _, node in sorted(enumerate(nodes), key=key)]


def _needed(facts: Facts, nodes: Sequence[onnx.NodeProto]) -> list[frozenset[str]]:
    """For every node the values that something after it still reads."""
    live = set(facts.parameters)
    found: list[frozenset[str]] = []
    for node in reversed(nodes):
        found.append(frozenset(live))
        live.update(node.input)
        live.update(facts.views[name].root for name in node.input if name in facts.views)
    return found[::-1]


def _finished(state: State) -> Iterator[State]:
    """With the outputs stored, and the parameters' new values in the place of the old; nothing where one cannot get
    there.
    """
    facts = state.facts
    with suppress(NoWay):
        for name in facts.index.outputs:
            if not state.residents(facts.updated.get(name, "")):  # a parameter that nothing reads is nowhere either
                state, version = state.get(_to_store(state, name))
                state = state.did(Store(version), 0.0)
        for name, parameter in facts.updated.items():
            for resident in state.residents(parameter):
                state, version = state.get(replace(resident, value=name))
                state = state.did(Become(version, resident), 0.0)
        yield state


def _to_store(state: State, name: str) -> Version:
    """The version in which an output is stored: of those that there are, or of any for what is only passed on."""
    there = [*state.below(name), *state.of(name)]
    there = there or [Version(name, found, split) for split, found in state.facts.layouts(name)]
    return min(there, key=lambda found: (found.map.memory != "DRAM", found.map.longs))
