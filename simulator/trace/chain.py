"""`trace`: who wrote a word last and from what, back to the inputs.

origins = trace(program, machine, "$ln4n0c0b3m2p1")   # machine: the state before the run; None = all zero
origins[0].cause(since=12)                            # "never written" | "stale: …" | "written by line 31: …"
"""

from __future__ import annotations

import copy
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from simulator.assembly.checks import check
from simulator.effects.places import Place, parse_place, value_of
from simulator.engine.machine import Machine
from simulator.engine.state.dump import format_word
from simulator.engine.state.memories import Memories
from simulator.errors import Diagnostic
from simulator.isa import program as p
from simulator.messages import Text, shown, tr
from simulator.trace.history import History, Write

Kind = Literal["instruction", "move", "statement", "start"]
DEPTH = 6
WIDTH = 4
KEPT = Text("bits kept")
LARGEST = 2000
"""Origins of one trace; beyond it nothing more is followed."""


@dataclass
class Origin:
    """A word and who wrote it. value: what the place held then (32 bits). kind: what wrote it: "instruction", "move"
    (MV), "statement" (`d set`, `r`), or "start": nothing since the start of the run.

    line, text, cycle: of the writer. part: what the word is in the instruction that read it ("x", "M", …). inputs: the
    words it was made of, followed up to the chosen depth; omitted: how many more there are. kept: who wrote the bits
    that the writer's mask left alone. findings: what `check` says against the writer's line.
    """

    place: Place
    part: str = ""
    value: int = 0
    kind: Kind = "start"
    line: int | None = None
    text: str = ""
    cycle: int | None = None
    inputs: list[Origin] = field(default_factory=list)
    omitted: int = 0
    kept: Origin | None = None
    findings: tuple[Diagnostic, ...] = ()

    def cause(self, since: int = 1) -> str:
        """The likely cause if this word is wrong. since: the first line of the code that should have written it."""
        if self.line is None:
            return tr("never written")
        if self.line < since:
            return tr("stale: last written by line {line}, before line {since}: {text}", self.line, since, self.text)
        early = f"; {self.findings[0].message}" if self.findings else ""
        return tr("written by line {line}: {text}{early}", self.line, self.text, early)

    @property
    def more(self) -> str:
        """How many words it was made of beside its inputs."""
        if self.inputs:
            return tr("… from {omitted} more words", self.omitted)
        return tr("… from {omitted} words", self.omitted)

    def leaves(self) -> Iterator[Origin]:
        """The inputs at which the trace ends."""
        if not self.inputs:
            yield self
        for origin in self.inputs:
            yield from origin.leaves()


def trace(
    program: p.Program,
    start: Machine | None,
    target: str | Place,
    depth: int = DEPTH,
    width: int = WIDTH,
    before: int | None = None,
) -> tuple[Origin, ...]:
    """Who wrote each 32-bit word of `target` last when the program is run, and from what.

    start: the machine before the run; it is left as it is. target: a name such as "$ln4n0c0b3m2p1" (two words), see
    `parse_place`. depth: steps back; width: inputs followed per instruction. before: look at the word as it is before
    this line of the text, None = at the end. Raises SimulatorError.
    """
    places = parse_place(target) if isinstance(target, str) else (target,)
    if before is not None:
        program = p.Program(program.filename, tuple(x for x in program.lines if x.line < before), program.source)
    machine = _copy(start)
    history = History(program, machine)
    machine.run(program, observer=history.observer)
    search = _Origins(program, history, width)
    origins = tuple(search.origin(place, len(program.lines), "", depth) for place in places)
    _fill_values(program, _copy(start), search.values)
    return origins


def _copy(start: Machine | None) -> Machine:
    """A machine of its own in the same state."""
    machine = Machine("numpy")  # the engine that calls an observer after every line
    if start is not None:
        for name in vars(Memories()):
            setattr(machine, name, copy.deepcopy(getattr(start, name)))
    return machine


class _Origins:
    """Origins by looking back; `values` lists the ones to be filled with what their place held, by line index."""

    def __init__(self, program: p.Program, history: History, width: int) -> None:
        self.values: dict[int, list[Origin]] = defaultdict(list)
        self._lines, self._history, self._width = program.lines, history, width
        self._findings: dict[int, list[Diagnostic]] = defaultdict(list)
        self._made = 0
        for finding in check(program):
            self._findings[finding.line].append(finding)

    def origin(self, place: Place, before: int, part: str, depth: int) -> Origin:
        """The origin of what `place` holds before the line with this index."""
        writes, remaining = self._history.writes(place, before)
        origin = Origin(place, part)
        self._made += 1
        if not writes:
            self.values[-1].append(origin)
            return origin
        self._describe(origin, writes[0], depth)
        latest = origin
        for write in writes[1:]:
            older = Origin(place, KEPT)
            self._describe(older, write, depth)
            latest.kept, latest = older, older
        if remaining:
            latest.kept = Origin(place, KEPT)
            self.values[-1].append(latest.kept)
        return origin

    def _describe(self, origin: Origin, write: Write, depth: int) -> None:
        line = self._lines[write.index]
        self.values[write.index].append(origin)
        origin.kind = "instruction" if write.instruction else "move" if isinstance(line, p.Move) else "statement"
        origin.line, origin.text = line.line, write.instruction.text if write.instruction else line.text
        origin.cycle = write.datum.cycle if write.datum else None
        origin.findings = tuple(self._findings.get(line.line, ()))
        followed = write.inputs[: self._width] if depth > 0 and self._made < LARGEST else ()
        origin.omitted = len(write.inputs) - len(followed)
        origin.inputs = [self.origin(place, write.index, part, depth - 1) for part, place in followed]


def _fill_values(program: p.Program, machine: Machine, wanted: dict[int, list[Origin]]) -> None:
    """Run once more and note what the places of the origins hold right after they are written."""
    position = -1

    def note(_: p.Line | None) -> None:
        nonlocal position
        for origin in wanted.get(position, ()):
            origin.value = value_of(machine, origin.place)
        position += 1

    note(None)
    machine.run(program, observer=note)


# --- the command -----------------------------------------------------------------------------------------------------


def describe(origin: Origin, indent: str = "") -> Iterator[str]:
    """An origin and its inputs as lines of text, in the language of the moment."""
    part = f"{shown(origin.part)} = " if origin.part else ""
    yield f"{indent}{part}{shown(str(origin.place))} = {_value(origin)}: {shown(_writer(origin))}"
    for finding in origin.findings:
        yield f"{indent}    {shown(finding.label)}: {shown(finding.message)}"
    for child in origin.inputs:
        yield from describe(child, indent + "    ")
    if origin.omitted:
        yield f"{indent}    {shown(origin.more)}"
    if origin.kept is not None:
        yield from describe(origin.kept, indent + "  ")


def _value(origin: Origin) -> str:
    if origin.place.memory in ("omr", "bar"):
        return str(origin.value) if origin.place.memory != "omr" else f"{origin.value:04b}"
    return format_word(origin.value)


def _writer(origin: Origin) -> str:
    if origin.line is None:
        return tr("never written")
    if origin.cycle is None:
        return tr("line {line}: {text}", origin.line, origin.text[:100])
    return tr("line {line}, cycle {cycle}: {text}", origin.line, origin.cycle, origin.text[:100])
