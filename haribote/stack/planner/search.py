"""The search for a plan: rounds at prices that become better known, for each way to cut all values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from math import inf, isclose

import onnx

from haribote.graph import Index, complete, updates
from haribote.progress import stage
from haribote.stack.maps import COPY, PART
from haribote.stack.plan import Action, Plan, Shift
from haribote.stack.planner.batch import batch_axes
from haribote.stack.planner.cuts import Cut
from haribote.stack.planner.errors import NotPlanned
from haribote.stack.planner.facts import MOST_WORDS, Facts
from haribote.stack.planner.families import reduced
from haribote.stack.planner.letters import most_work
from haribote.stack.planner.looks import BY_ROWS, FIRST, SECOND, THIRD, Look, worth_another
from haribote.stack.planner.one_round import Found, planned
from haribote.stack.planner.precision import Precision
from haribote.stack.planner.roles import Roles, roles
from haribote.stack.planner.shards import DEALT, Shards
from haribote.stack.planner.tariff import NEVER, Ask, Tariff
from simulator.messages import Text

BEAM, LEAST_BEAM = 12, 3
"""States that are kept after each node; of graphs with so many nodes that time counts."""
ROUNDS, LEAST_ROUNDS = 12, 3
"""Times that a graph is planned anew since its moves cost other than guessed."""
IN_VAIN = 3
"""Rounds in turn that find nothing cheaper, until no more are worth it."""
FIRST_ROUNDS = 2
"""After which of several alike ways to cut a graph one is chosen: a round of each kind of guess."""
MANY_NODES = 100
"""From here on beam and rounds are reduced in proportion, and from ten times as many on the least of rounds too."""
HOPELESS = 1.3
"""How much dearer than the cheapest a plan may prove, until what else it wants is not asked for; how much dearer it may
look by careful guesses; and how much dearer one of a third look may be than that of the second."""
NO_BETTER = 1.1
"""How much dearer than the cheapest so far a plan may look by bold guesses, some of which are above what moves cost,
until no more rounds are worth it."""
RIVAL = 1.35
"""How much dearer than the cheapest a plan may be to be written too: prices do not tell what can be done at once."""
MORE_ROUNDS = 4
"""Times as many rounds where the plan has moves that have turned out not to be there."""


def plans(
    model: onnx.ModelProto,
    beam: int = BEAM,
    precision: Precision = "float",
    quick: bool = False,
    most_words: int = MOST_WORDS,
) -> Iterator[Iterator[Plan]]:
    """Rows of plans for a graph of elementary operators, of which programs tell which is the best. In the first row the
    cheapest plan comes first; those behind it are for where it has no room. Those that are not much dearer have rows of
    their own, those with a batch that is dealt out by rows among them. There are more looks at the graph than one where
    the cheapest plan of the first is far from what the graph needs at least, and where it has a move that is not to be
    had. quick: the first plan whose moves are there, of few states. most_words: per PE, of a value in a layout.

    Raises NotPlanned, before there is any, for a node that the stack cannot do.
    """

    def facts(look: Look, cut: Cut | None) -> Facts:
        return Facts(model, Tariff(), precision, cut, most_words, look)

    first, *others = _plannings(model, beam, quick, FIRST, facts)  # without a limit there is a plan, or an error
    found = first.plan()
    yield chain([found], (planning.plan() for planning in others))
    if quick:
        return
    if first.found is not None and first.found.has_sums:
        yield iter([first.plan(summed=False)])
    if first.is_cut:
        others += _plannings(model, beam, quick, BY_ROWS, facts, RIVAL * first.cost)
    yield from (iter([planning.plan()]) for planning in others if planning.cost < RIVAL * first.cost)
    if first.cost >= NEVER or worth_another(model, found, first.cost, first.is_cut):
        known, limit = first.cost, inf
        for look in (SECOND, THIRD):
            with suppress(NotPlanned):  # there are those of the first one
                again = _plannings(model, beam, quick, look, facts, limit)
                if again and not isclose(again[0].cost, known):  # else it is the same plan
                    known = again[0].cost
                    yield (planning.plan() for planning in again)
                limit = HOPELESS * known


def _plannings(
    model: onnx.ModelProto,
    beam: int,
    quick: bool,
    look: Look,
    facts: Callable[[Look, Cut | None], Facts],
    limit: float = inf,
) -> list[Planning]:
    """Of the ways to cut all values those that gave a plan of fewer cycles than a limit, the cheapest first. facts: for
    a look and a cut."""
    best: Planning | None = None
    found: list[Planning] = []
    cheapest = limit
    for alike in _cuts(model, look):
        for cut in alike[:1] if quick else alike:
            planning = Planning(facts(look, cut), beam, quick)
            found.append(planning)
            planning.go_on(cheapest, FIRST_ROUNDS if len(alike) > 1 else None)
            if planning.cost < cheapest:
                best, cheapest = planning, planning.cost
        if best is not None:
            best.go_on()
            cheapest = best.cost
            if quick and cheapest < NEVER:
                break
    return sorted((planning for planning in found if planning.cost < limit), key=lambda one: one.cost)


def _cuts(model: onnx.ModelProto, look: Look) -> Iterator[Sequence[Cut | None]]:
    """The ways to cut all values that are tried where products are large enough for it, and free choice; of several
    that are alike only the one that looks cheapest is looked at to the end."""
    index = Index(model)
    known = roles(model) if most_work(index, model.graph.node) >= look.least_work else None
    if known is not None and not (look.by_rows and _is_even(known, index)):
        yield [Shards(known, dealt._replace(by_rows=look.by_rows), look.shared_out) for dealt in DEALT]
    if look.shared_out or look.by_rows:
        return
    axes = batch_axes(index, frozenset(updates(model)), model.graph.node)
    if axes is not None:
        yield from ([axes], [replace(axes, copied=True)])
    yield [None]


def _is_even(known: Roles, index: Index) -> bool:
    """Whether the batch has a power of two of rows, which fill all units whichever way they are dealt out."""
    rows = {
        count
        for name, axes in known.items()
        for count, role in zip(index.shape[name], axes, strict=True)
        if role == "batch"
    }
    return all(count & (count - 1) == 0 for count in rows)


class Planning:
    """The rounds of planning of a graph whose values are cut in one way.

    cost, found: the cheapest plan so far, and its cycles with its moves known; infinite and None where there is none.
    """

    def __init__(self, facts: Facts, beam: int, quick: bool) -> None:
        share = min(1.0, MANY_NODES / max(1, len(facts.model.graph.node)))
        least = min(LEAST_ROUNDS, max(2, round(10 * share * LEAST_ROUNDS)))  # one of each kind of guess
        self._facts, self._quick = facts, quick
        self._beam = LEAST_BEAM if quick else max(LEAST_BEAM, round(beam * share))
        self._rounds = max(least, round(ROUNDS * share))
        self._done, self._in_vain = 0, 0
        self._boldly, self._over = True, False
        self.cost = inf
        self.found: Found | None = None

    @property
    def is_cut(self) -> bool:
        """Whether all values are cut in one way."""
        return self._facts.cut is not None

    def plan(self, summed: bool = True) -> Plan:
        """What was found. summed: with parts added up before they travel."""
        assert self.found is not None
        return Plan(_with_constants(self.found.facts), self.found.finished(summed), self.found.residents)

    def go_on(self, limit: float = inf, rounds: int | None = None) -> None:
        """So many more rounds, or as many as it takes: until a plan has no moves whose price was guessed. They end too
        where no plan looks as if it took fewer cycles than a limit by bold guesses, or about as few as the cheapest
        so far, or none has all values cut in this way; or where several in turn find nothing cheaper.

        Raises NotPlanned where any way to cut them will do, and there is no limit.
        """
        wanted = 1 if self._quick else self._rounds
        last = MORE_ROUNDS * self._rounds if rounds is None else min(self._done + rounds, wanted)
        while not self._over and self._done < last and (self._done < wanted or self.cost >= NEVER):
            self._done += 1
            boldly, own, before = self._boldly, self._to_beat, self.cost
            most = min(limit, NO_BETTER * own) if boldly else HOPELESS * min(limit, own)
            try:
                self._round(boldly, most)
            except NotPlanned:
                if self._facts.cut is None and limit == inf and self.found is None:
                    raise
                self._over = boldly
            self._note(self.cost < before)

    def _note(self, better: bool) -> None:
        """Decide after a round how the next one guesses: in the same way if this one found a cheaper plan, else in the
        other. The second round is careful in any case, so that both ways are tried."""
        self._in_vain = 0 if better else self._in_vain + 1
        if self._done == 1 or not better:
            self._boldly = not self._boldly
        if self._in_vain == IN_VAIN and self.cost < NEVER:
            self._over = True

    @property
    def _to_beat(self) -> float:
        """What a plan must take fewer cycles than; none where last resorts are needed, which a limit leaves out."""
        return self.cost if self.found is not None and self.cost < NEVER and not self.found.facts.picks else inf

    def _round(self, boldly: bool, limit: float) -> None:
        """One round, of plans that look cheaper than a limit. Raises NotPlanned."""
        tariff = self._facts.tariff
        tariff.begin(boldly)
        cost, found = planned(self._facts.anew(), self._beam, self._done, limit)
        with stage(Text("moves")):
            cost, learnt = _settled(cost, found, tariff, self.cost)
        if cost < self.cost:
            self.cost, self.found = cost, found
        self._over = not learnt


def _settled(cost: float, found: Found, tariff: Tariff, limit: float) -> tuple[float, bool]:
    """What a plan costs with its moves known, and whether any had to be found out. Of a plan that proves HOPELESS times
    as dear as `limit` the moves that matter less stay as guessed.
    """
    counts = Counter(_moves(found.finished()))
    learnt = False
    for ask, count in sorted(counts.items(), key=lambda entry: -entry[1] * tariff.price(*entry[0])):
        guessed = tariff.price(*ask)
        if tariff.learn(*ask):
            learnt = True
            cost += count * (tariff.price(*ask) - guessed)
            if cost > HOPELESS * limit:
                break
    return cost, learnt


def _moves(actions: Sequence[Action]) -> Iterator[Ask]:
    """The moves of a plan."""
    for action in actions:
        if isinstance(action, Shift):
            before = reduced(action.source.map, action.axes, PART) if action.axes else action.source.map
            after = reduced(action.source.map, action.axes, COPY) if action.axes else action.target.map
            yield before, after, action.combine


def _with_constants(facts: Facts) -> onnx.ModelProto:
    """The graph with the constants and names that the plan has added."""
    copy = onnx.ModelProto()
    copy.CopyFrom(facts.model)
    copy.graph.initializer.extend(onnx.numpy_helper.from_array(array, name) for name, array in facts.added.items())
    copy.graph.node.extend(onnx.helper.make_node("Identity", [a], [b], name=b) for b, a in facts.renamed.items())
    return complete(copy)
