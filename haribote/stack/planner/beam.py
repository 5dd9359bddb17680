"""A beam: the cheapest states after a node, one of each set of versions that still matter."""

from __future__ import annotations

from math import inf

from haribote.stack.planner.states import State


class Beam:
    """limit: a state that costs so much is not kept, since as many cheaper ones are known as there is room for."""

    def __init__(self, size: int, live: frozenset[str], limit: float = inf) -> None:
        """live: the values that something still reads; limit: what is kept costs less."""
        self._size, self._live = size, live
        self._best: dict[object, State] = {}  # of states of the same cost the one that was offered first comes first
        self.limit = limit

    def offer(self, state: State) -> None:
        """Keep a state if it is one of the cheapest."""
        if state.cost >= self.limit:
            return
        key = frozenset((name, frozenset(found)) for name, found in state.versions.items() if name in self._live)
        known = self._best.get(key)
        if known is not None and known.cost <= state.cost:
            return
        self._best.pop(key, None)
        self._best[key] = state
        if len(self._best) > self._size:
            del self._best[max(reversed(self._best), key=lambda key: self._best[key].cost)]
        if len(self._best) == self._size:
            self.limit = min(self.limit, max(state.cost for state in self._best.values()))

    def states(self) -> list[State]:
        """What is kept, the cheapest first, without the values that nothing reads any more."""
        return [
            state.without_all_but(self._live) for state in sorted(self._best.values(), key=lambda state: state.cost)
        ]
