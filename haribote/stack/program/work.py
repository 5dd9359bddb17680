"""What a program does, action by action: those of the plan, and what becomes of them when they are written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from haribote.stack import plan
from haribote.stack.maps import PART
from haribote.stack.plan import Action, Multiply, Shift, Version


@dataclass(frozen=True)
class Spill:
    """A version for which there is no room waits in DRAM; `back`: it returns."""

    version: Version
    back: bool


@dataclass(frozen=True)
class Joined:
    """A product whose parts are added up on their way: its result is never in the PEs in parts."""

    multiply: Multiply
    shift: Shift


Work = Action | Spill | Joined


def reads(work: Work) -> Iterator[Version]:
    """The versions that a piece of work needs in their homes."""
    if isinstance(work, Joined):
        yield from plan.reads(work.multiply)
    elif not isinstance(work, Spill):
        yield from plan.reads(work)
    elif not work.back:
        yield work.version


def writes(work: Work) -> Iterator[Version]:
    """The versions that it gives homes."""
    if isinstance(work, Joined):
        yield work.shift.target
    elif not isinstance(work, Spill):
        yield from plan.writes(work)
    elif work.back:
        yield work.version


def joined(actions: Sequence[Action]) -> tuple[Work, ...]:
    """The actions, with every product whose parts are wanted by nothing but one sum joined to it."""
    readers: dict[Version, list[Action]] = {}
    for action in actions:
        for version in dict.fromkeys(plan.reads(action)):
            readers.setdefault(version, []).append(action)
    taken: dict[int, Shift] = {}
    for action in actions:
        if isinstance(action, Multiply) and PART in action.target.map.table.values():
            (first, *others) = readers.get(action.target, [None])
            if isinstance(first, Shift) and not others and first.combine == "fadd" and not first.axes:
                taken[id(action)] = first
    return tuple(_with_sums(actions, taken))


def _with_sums(actions: Iterable[Action], taken: dict[int, Shift]) -> Iterator[Work]:
    gone = {id(shift) for shift in taken.values()}
    for action in actions:
        if id(action) in taken and isinstance(action, Multiply):
            yield Joined(action, taken[id(action)])
        elif id(action) not in gone:
            yield action
