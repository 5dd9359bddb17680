"""Element-wise nodes that share a layout become one loop, so that values pass from one to the next in registers."""

from __future__ import annotations

from collections.abc import Sequence

from haribote.stack.plan import Action, Become, Compute, Version, reads, writes


def clustered(actions: Sequence[Action]) -> tuple[Action, ...]:
    """The actions with every Compute joined to an earlier one of the same layout where nothing between stands in the
    way.
    """
    found: list[Action] = []
    for action in actions:
        number = _earlier(found, action) if isinstance(action, Compute) else None
        if number is None:
            found.append(action)
        else:
            first = found[number]
            assert isinstance(first, Compute) and isinstance(action, Compute)
            found[number] = _joined(first, action)
    return tuple(_trimmed(found))


def _earlier(found: Sequence[Action], action: Compute) -> int | None:
    """The number of the Compute that this one can join: all that it reads is there by then."""
    needed = set(reads(action))
    for number in range(len(found) - 1, -1, -1):
        other = found[number]
        if isinstance(other, Compute) and _same_loop(other, action):
            return number
        if needed & set(writes(other)) or isinstance(other, Become):
            return None
    return None


def _same_loop(a: Compute, b: Compute) -> bool:
    """The same layout, and no value that the two know in different ones."""
    known = {version.value: version for version in (*a.reads, *a.writes)}
    clash = any(known.get(version.value, version) != version for version in (*b.reads, *b.writes))
    return a.writes[0].map == b.writes[0].map and not clash


def _joined(a: Compute, b: Compute) -> Compute:
    """Both in one loop."""
    made = set(a.writes)
    more = tuple(version for version in b.reads if version not in made and version not in a.reads)
    return Compute((*a.nodes, *b.nodes), (*a.reads, *more), (*a.writes, *b.writes))


def _trimmed(actions: Sequence[Action]) -> list[Action]:
    """Without the writes of a loop that nothing after it reads."""
    used: set[Version] = set()
    found: list[Action] = []
    for action in reversed(actions):
        if isinstance(action, Compute):
            kept = tuple(version for version in action.writes if version in used) or action.writes[-1:]
            action = Compute(action.nodes, action.reads, kept)
        used.update(reads(action))
        found.append(action)
    return found[::-1]
