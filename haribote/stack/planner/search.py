"""The search: a beam of states, node by node, the cheapest of each set of layouts kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from math import inf
from typing import NamedTuple

import onnx

from haribote.graph import Index, complete, updates
from haribote.progress import stage
from haribote.stack.maps import COPY, PART
from haribote.stack.plan import Action, Become, Plan, Shift, Store, Version
from haribote.stack.planner.batch import batch_axes
from haribote.stack.planner.beam import Beam
from haribote.stack.planner.clusters import clustered
from haribote.stack.planner.early import early
from haribote.stack.planner.facts import MOST_WORDS, Facts
from haribote.stack.planner.families import candidates, reduced
from haribote.stack.planner.halves import halved, stored_as_halves
from haribote.stack.planner.precision import Precision
from haribote.stack.planner.rules import REDUCTIONS, NotPlanned, rule_of
from haribote.stack.planner.states import NoWay, State
from haribote.stack.planner.tariff import NEVER, Ask, Tariff
from simulator.messages import tr

BEAM, LEAST_BEAM = 12, 3
"""States that are kept after each node; of graphs with so many nodes that time counts."""
ROUNDS, LEAST_ROUNDS = 12, 4
"""Times that a graph is planned anew since its moves cost other than guessed."""
MANY_NODES = 100
"""From here on beam and rounds are reduced in proportion, and from ten times as many on the least of rounds too."""
HOPELESS = 1.3
"""How much dearer than the cheapest a plan may prove, until what else it wants is not asked for."""
MORE_ROUNDS = 4
"""Times as many rounds where the plan has moves that have turned out not to be there."""


def plan(
    model: onnx.ModelProto,
    beam: int = BEAM,
    precision: Precision = "float",
    quick: bool = False,
    most_words: int = MOST_WORDS,
) -> Plan:
    """The cheapest plan that is found for a graph of elementary operators. quick: the first whose moves are there, of
    few states. most_words: per PE, of a value in a layout.

    Raises NotPlanned for a node that the stack cannot do.
    """
    axes = batch_axes(Index(model), frozenset(updates(model)), model.graph.node)
    best: tuple[float, Found] | None = None
    for cut in (None,) if axes is None else (axes, axes._replace(copied=True), None):
        found = _searched(Facts(model, Tariff(), precision, cut, most_words), beam, quick, best[0] if best else inf)
        best = min(filter(None, (best, found)), key=lambda entry: entry[0], default=None)
        if quick and best and best[0] < NEVER:
            break
    assert best is not None, "without a limit there is a plan, or an error"
    return Plan(_with_constants(best[1].facts), best[1].actions, best[1].residents)


def _searched(facts: Facts, beam: int, quick: bool, limit: float) -> tuple[float, Found] | None:
    """The cheapest plan that is found, with its cycles; None where it would take `limit` or more, or where values that
    are all cut along the batch cannot be planned. Raises NotPlanned for others.
    """
    known: list[tuple[float, Found]] = []
    model, tariff = facts.model, facts.tariff
    share = min(1.0, MANY_NODES / max(1, len(model.graph.node)))
    least = min(LEAST_ROUNDS, max(2, round(10 * share * LEAST_ROUNDS)))  # one of each kind of guess
    beam, rounds = max(LEAST_BEAM, round(beam * share)), max(least, round(ROUNDS * share))
    wanted = 1 if quick else rounds
    for number in range(MORE_ROUNDS * rounds):
        again = facts.anew()
        tariff.begin(boldly=number % 2 == 0)
        try:
            cost, found = _planned(again, LEAST_BEAM if quick else beam, number + 1, limit)
        except NotPlanned:
            if facts.batch is None and limit == inf:
                raise
            break
        with stage("moves"):
            cost, learnt = _settled(cost, found, tariff, min((cost for cost, _ in known), default=inf))
        known.append((cost, found))
        if not learnt:
            break
        if number + 1 >= wanted and min(known, key=lambda entry: entry[0])[0] < NEVER:
            break
    return min(known, key=lambda entry: entry[0], default=None)


def _settled(cost: float, found: Found, tariff: Tariff, limit: float) -> tuple[float, bool]:
    """What a plan costs with its moves known, and whether any had to be found out. Of a plan that proves HOPELESS times
    as dear as `limit` the moves that matter less stay as guessed.
    """
    counts = Counter(_moves(found.actions))
    learnt = False
    for ask, count in sorted(counts.items(), key=lambda entry: -entry[1] * tariff.price(*entry[0])):
        guessed = tariff.price(*ask)
        if tariff.learn(*ask):
            learnt = True
            cost += count * (tariff.price(*ask) - guessed)
            if cost > HOPELESS * limit:
                break
    return cost, learnt


class Found(NamedTuple):
    """What a round has found; facts: with the constants that it adds."""

    facts: Facts
    actions: tuple[Action, ...]
    residents: tuple[Version, ...]


def _planned(facts: Facts, beam: int, turn: int, limit: float = inf) -> tuple[float, Found]:
    """The cheapest plan at today's prices, with its cycles. turn: the number of the round. Raises NotPlanned where it
    takes `limit` or more."""
    states = [State(facts)]
    nodes = ordered(facts)
    with stage("planning", len(nodes), turn) as done:
        for number, (node, needed) in enumerate(zip(nodes, _needed(facts, nodes), strict=True)):
            if node.output[0] in facts.views:
                continue
            done(number)
            rule = rule_of(node, facts.index)
            after = lambda state, node=node, rule=rule: rule(state, node)  # noqa: E731
            states = _followers(states, after, Beam(beam, needed, limit))
            if not states:
                raise _no_layout(facts, node)
        finished = _followers(states, _finished, Beam(1, frozenset(), limit))
    if not finished:
        raise NotPlanned(tr("the results of the graph have no way to where they belong"), tr("report the graph"))
    best = finished[0]
    residents = tuple(version for versions in best.resident.values() for version in versions)
    actions = early(stored_as_halves(halved(clustered(best.actions())), _floats(facts)))
    return best.cost, Found(facts, actions, residents)


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
        for state in states:
            for follower in rule(state):
                beam.offer(follower)
                facts.limit = beam.limit
        if found := beam.states():
            break
    facts.desperate = False
    return found


def _moves(actions: Sequence[Action]) -> Iterator[Ask]:
    """The moves of a plan."""
    for action in actions:
        if isinstance(action, Shift):
            before = reduced(action.source.map, action.axes, PART) if action.axes else action.source.map
            after = reduced(action.source.map, action.axes, COPY) if action.axes else action.target.map
            yield before, after, action.combine


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
    with suppress(NoWay):
        yield _stored(state)


def _stored(state: State) -> State:
    """The same. Raises NoWay."""
    facts = state.facts
    for name in facts.index.outputs:
        if not state.resident.get(facts.updated.get(name, "")):  # a parameter that nothing reads is nowhere either
            state, version = state.get(_to_store(state, name))
            state = state.did(Store(version), 0.0)
    for name, parameter in facts.updated.items():
        for resident in state.resident.get(parameter, ()):
            state, version = state.get(replace(resident, value=name))
            state = state.did(Become(version, resident), 0.0)
    return state


def _to_store(state: State, name: str) -> Version:
    """The version in which an output is stored: of those that there are, or of any for what is only passed on."""
    there = [*state.below(name), *state.of(name)]
    there = there or [Version(name, found, split) for split, found in candidates(state.facts.index.shape[name])]
    return min(there, key=lambda found: (found.map.memory != "DRAM", found.map.longs))


def _with_constants(facts: Facts) -> onnx.ModelProto:
    """The graph with the constants and names that the plan has added."""
    copy = onnx.ModelProto()
    copy.CopyFrom(facts.model)
    copy.graph.initializer.extend(onnx.numpy_helper.from_array(array, name) for name, array in facts.added.items())
    copy.graph.node.extend(onnx.helper.make_node("Identity", [a], [b], name=b) for b, a in facts.renamed.items())
    return complete(copy)
