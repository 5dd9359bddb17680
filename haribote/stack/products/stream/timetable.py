"""Steps as a table of units: an instruction is put where it shall be issued, or at the first step where it can be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

Direction = str
"""Of a transfer: "up" towards DRAM, "down" towards the PEs."""
TO_DOWN: Mapping[str, int] = {"l1bm": 3, "l2bm": 4}
TO_UP: Mapping[str, int] = {"l1bm": 1, "l2bm": 8}
"""Steps from a transfer upwards to the next one downwards of the same unit, at least, and the other way round (isa.md,
section 12.2)."""


class Slot(NamedTuple):
    """An instruction in a step, and which way it goes."""

    text: str
    direction: Direction


class Timetable:
    """The steps of a program and the MV instructions before them."""

    def __init__(self) -> None:
        self._steps: list[dict[str, Slot]] = []
        self._moves: dict[int, list[str]] = {}

    def free(self, step: int, unit: str, *ports: str, direction: Direction = "") -> bool:
        """Whether the unit and the ports are free in a step, and far enough from where the unit turns round."""
        if step < len(self._steps) and not self._steps[step].keys().isdisjoint((unit, *ports)):
            return False
        if not direction:
            return True
        other = "up" if direction == "down" else "down"
        before, after = (TO_DOWN, TO_UP) if direction == "down" else (TO_UP, TO_DOWN)
        near = [*range(step - before[unit] + 1, step), *range(step + 1, step + after[unit])]
        return all(self._direction(there, unit) != other for there in near)

    def _direction(self, step: int, unit: str) -> Direction:
        slot = self._steps[step].get(unit) if 0 <= step < len(self._steps) else None
        return slot.direction if slot else ""

    def put(self, step: int, unit: str, text: str, *ports: str, direction: Direction = "") -> int:
        """An instruction in a step; the step. ports: what it takes beside its unit, such as a memory's read port."""
        while len(self._steps) <= step:
            self._steps.append({})
        assert self.free(step, unit, *ports, direction=direction), (step, self._steps[step], text)
        self._steps[step] |= {port: Slot("", "") for port in ports} | {unit: Slot(text, direction)}
        return step

    def first(self, step: int, unit: str, text: str, *ports: str, direction: Direction = "") -> int:
        """The same in the first step from `step` on in which it can be; the step."""
        while not self.free(step, unit, *ports, direction=direction):
            step += 1
        return self.put(step, unit, text, *ports, direction=direction)

    def chain(self, step: int, unit: str, instructions: Sequence[tuple[str, ...]]) -> int:
        """Instructions of a unit one after another, each forwarded to the next, in the first steps from `step` on in
        which they can be; the step after them. Each is its text and its ports."""
        while not all(self.free(step + k, unit, *ports) for k, (_, *ports) in enumerate(instructions)):
            step += 1
        for text, *ports in instructions:
            self.put(step, unit, text, *ports)
            step += 1
        return step

    def move(self, step: int, text: str) -> None:
        """An MV instruction before a step."""
        self._moves.setdefault(step, []).append(text)

    def lines(self) -> Iterator[str]:
        """The program, without steps in which nothing is issued: waits are filled when it is assembled."""
        for number in range(max([len(self._steps), *(step + 1 for step in self._moves)])):
            yield from self._moves.get(number, [])
            issued = self._steps[number].values() if number < len(self._steps) else ()
            if texts := [slot.text for slot in issued if slot.text]:
                yield "; ".join(texts)
