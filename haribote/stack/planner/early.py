"""Large values leave as soon as they are there: their room is then free for what comes next."""

from __future__ import annotations

from collections.abc import Sequence

from haribote.stack.plan import Action, Alias, Become, Store, Version, reads, writes

LARGE = 64
"""Long words per PE of a version that does not wait for the end of a step."""


def early(actions: Sequence[Action]) -> tuple[Action, ...]:
    """The actions with every Store and Become of a large version right behind what it has to follow."""
    found = [action for action in actions if not _goes(action)]
    for action in filter(_goes, actions):
        assert isinstance(action, Store | Become)
        old = {action.parameter} if isinstance(action, Become) else set[Version]()
        place = 0
        for number, other in enumerate(found):
            if isinstance(other, Alias) and other.source in old:
                old.add(other.target)
            if action.source in writes(other) or not old.isdisjoint(reads(other)):
                place = number + 1
        found.insert(place, action)
    return tuple(found)


def _goes(action: Action) -> bool:
    return isinstance(action, Store | Become) and action.source.map.longs >= LARGE
