"""Which word an answer reads without having written it, and which line writes where it must not: by history."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grader.rigs.poisoned import OTHER_POISON, is_junk
from grader.rigs.rig import AnyPlace, Inputs, prepared_for
from simulator.effects.places import Place, value_of
from simulator.isa import program as p
from simulator.isa.program import Program
from simulator.messages import Text, tr
from simulator.trace.history import History

MOST = 3000
"""Words that are looked at on the way back from a result."""
MASK = Text("mask entry ")


@dataclass(frozen=True)
class Blame:
    """A line of the text, counted from 1. reads: the word, or `mask entry 3`, that it reads; "" where it writes."""

    line: int
    reads: str = ""

    def told(self, source: str) -> str:
        """What the line does, in words. source: the line itself."""
        if not self.reads:
            return tr("line {line} writes it: {source}", self.line, source)
        if self.reads.startswith(MASK):
            entry = self.reads.removeprefix(MASK)
            return tr(
                "line {line} uses mask entry {entry}, which no line before it has written: {source}",
                self.line,
                entry,
                source,
            )
        return tr(
            "line {line} reads {reads}, which no line before it has written: {source}", self.line, self.reads, source
        )


def told(blame: Blame | None, text: str) -> str:
    """What to add to an explanation: the blame and its line of the text; "" for none."""
    return f"\n{blame.told(text.splitlines()[blame.line - 1].strip())}" if blame else ""


def by_luck(wrong: NDArray[np.bool_]) -> str:
    """Why a result that was right with one kind of junk is not right."""
    return tr(
        "{sum} elements depend on what was in the memories before: with other junk they are wrong", int(wrong.sum())
    )


def unwritten_read(program: Program, inputs: Inputs, place: AnyPlace, wrong: NDArray[np.bool_]) -> Blame | None:
    """The first read on the way back from a wrong element that finds what was there before the run.

    wrong: elements of the tensor at `place`; one that changes with the junk is looked at.
    """
    masks = next(_masks_unwritten(program), None)
    if masks is not None:
        return masks
    with prepared_for(program, inputs, (place,), OTHER_POISON) as machine:
        machine.run(program)
        other = place.load(machine)
    with prepared_for(program, inputs, (place,)) as machine:
        history = History(program, machine)
        machine.run(program, observer=history.observer)
        depends = np.argwhere(wrong & (place.load(machine) != other))
        if not len(depends):
            return None
        found = list(_never_written(history, place.at(tuple(depends[0].tolist()))))
    with prepared_for(program, inputs, (place,)) as machine:  # only now: the run may have written the words later on
        for word, index in found:
            if is_junk(np.array(value_of(machine, word), np.uint32)):
                line = history.lines[index].line
                return Blame(line, str(word))
    return None


def writer_of(program: Program, inputs: Inputs, place: Place) -> Blame | None:
    """Who wrote a word last."""
    with prepared_for(program, inputs) as machine:
        history = History(program, machine)
        machine.run(program, observer=history.observer)
        writes, _ = history.writes(place, len(history.lines))
    if not writes:
        return None
    return Blame(history.lines[writes[0].index].line)


def _never_written(history: History, result: Place) -> Iterator[tuple[Place, int]]:
    """Words that go into the result with their value from before the run; the index of the line that reads them."""
    waiting, seen = [(result, len(history.lines))], {result: 0}
    for place, before in waiting:
        writes, remaining = history.writes(place, before)
        if remaining and before < len(history.lines):
            yield place, before
        for write in writes:
            for _, source in write.inputs:
                if len(seen) < MOST and seen.get(source) != write.index:
                    seen[source] = write.index
                    waiting.append((source, write.index))


def _masks_unwritten(program: Program) -> Iterator[Blame]:
    """Mask entries that a line uses before any line has written them."""
    written = {0, *range(16, 32)}
    for line in program.lines:
        if not isinstance(line, p.Step):
            continue
        used = {d.mask.entry for i in line.instructions for d in i.destinations if d.mask is not None}
        used |= {i.flush for i in line.instructions if i.flush is not None}
        for entry in sorted(used - written):
            yield Blame(line.line, f"{MASK}{entry}")
        operands = (d.operand for i in line.instructions for d in i.destinations)
        written |= {operand.entry for operand in operands if isinstance(operand, p.MaskRegister)}
