"""What becomes of states that look the same to a rule: worked out for the first of them, and repeated for the others.

Most states of a beam differ in what the node at hand does not look at. Whatever asks a state which versions there are
of a value leaves the value's name in `Facts.looked_at`; states with the same versions of all these values are alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from haribote.stack.plan import Action, Version
from haribote.stack.planner.states import State

Versions = Mapping[str, tuple[Version, ...]]


@dataclass(frozen=True)
class _Step:
    """What a rule has added to a state: cycles, actions in their order, and of the values that it has touched the
    versions that there are now."""

    cost: float
    actions: tuple[Action, ...]
    versions: Versions
    resident: Versions

    @staticmethod
    def between(state: State, follower: State) -> _Step:
        """What lies between a state and one that follows it."""
        actions, chain = [], follower.chain
        while chain is not state.chain:
            assert chain is not None, "a follower's chain ends in the one of its state"
            chain, action = chain
            actions.append(action)
        versions = {name: found for name, found in follower.versions.items() if state.versions.get(name) is not found}
        resident = {name: found for name, found in follower.resident.items() if state.resident.get(name) is not found}
        return _Step(follower.cost - state.cost, tuple(reversed(actions)), versions, resident)

    def after(self, state: State) -> State:
        """The same step from a state that is alike."""
        chain = state.chain
        for action in self.actions:
            chain = chain, action
        versions, resident = {**state.versions, **self.versions}, {**state.resident, **self.resident}
        return State(state.facts, state.cost + self.cost, chain, versions, resident)


class Alike:
    """A rule for the states of one beam, which come with the cheapest first: a follower that was too dear for an
    earlier one would be too dear for them too."""

    def __init__(self, rule: Callable[[State], Iterator[State]]) -> None:
        self._rule = rule
        self._known: list[tuple[Mapping[str, object], list[_Step]]] = []

    def __call__(self, state: State) -> Iterator[State]:
        """The followers of a state."""
        for looks, steps in self._known:
            if all(_look(state, name) == look for name, look in looks.items()):
                yield from (step.after(state) for step in steps)
                return
        looked_at = state.facts.looked_at
        looked_at.clear()
        steps = []
        for follower in self._rule(state):
            steps.append(_Step.between(state, follower))
            yield follower
        self._known.append(({name: _look(state, name) for name in looked_at}, steps))


def _look(state: State, name: str) -> object:
    """What a rule can see of a value."""
    return state.versions.get(name), state.resident.get(name)
