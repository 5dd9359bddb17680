"""What there is to say about a wrong word: who wrote it and from what, or which line writes next to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from grader.feedback.failure import WrongWord
from grader.rigs.poisoned import is_junk
from grader.rigs.rig import DramTensor, DramWords, Inputs, Words
from simulator import Machine, messages
from simulator.effects.places import Place
from simulator.effects.running import touches_of
from simulator.engine.state.dump import format_word
from simulator.isa.program import Line, Program
from simulator.messages import tr
from simulator.trace import Origin, trace
from simulator.view.opening import Spot, spot_of

DEPTH, WIDTH = 3, 3
Source = Callable[[int], str]
"""From a line of the text to what to add about the answer's file: ` (t5_14_mul.py:29)`, or nothing."""


@dataclass(frozen=True)
class Story:
    """sentences: for people, the first things first. line: of the text to look at, None for the start."""

    sentences: tuple[str, ...]
    line: int | None


def story_of(program: Program, start: Machine, inputs: Inputs, word: WrongWord, source: Source) -> Story:
    """About a wrong word at the end of a run. start: the machine before it; it is run. Raises ExecutionError."""
    origin = trace(program, start, word.place, DEPTH, WIDTH)[0]
    head = _head(word)
    if origin.line is not None:
        return Story((head, *_Teller(inputs, source).told(origin)), origin.line)
    near = _nearest(program, start, spot_of(word.place))
    if near is None:
        return Story((head, tr("never written; no line writes {place}", _memory(word.place))), None)
    at = f"{near.line}{source(near.line)}"
    if near.address == spot_of(word.place).address:
        said = tr("never written; line {at} writes this address, but not in this unit: {text}", at, near.text)
    else:
        said = tr(
            "never written; line {at} writes next to it, at address {address}: {text}", at, near.address, near.text
        )
    return Story((head, said), near.line)


def _head(word: WrongWord) -> str:
    name, place, received = word.name, word.place, shown(word.received)
    if word.expected is None:
        return tr("{name} ({place}) has changed, but belongs to no output: received {received}", name, place, received)
    return tr(
        "the first wrong word is {name} in {place}: expected {expected}, received {received}",
        name,
        place,
        shown(word.expected),
        received,
    )


def shown(bits: int) -> str:
    """A word as hexadecimal digits and as a single; junk by its name."""
    if _junk(bits):
        return tr("0x{bits:08x} (junk: what was there before)", bits)
    return format_word(bits)


def _junk(bits: int) -> bool:
    return bool(is_junk(np.array(bits, np.uint32)))


@dataclass(frozen=True)
class _Teller:
    """Tells origins as lines of text, with the elements of operands and the lines of the answer's file by name."""

    inputs: Inputs
    source: Source

    def told(self, origin: Origin, indent: str = "") -> Iterator[str]:
        """An origin, and under it what it was made of."""
        if origin.line is None:
            yield indent + self._given(origin)
        elif indent:
            yield indent + self._written(origin)
        else:
            yield tr("written by line {origin}: {text}", self._at(origin), origin.text[:100])
        for child in origin.inputs:
            yield from self.told(child, indent + "    ")
        if origin.omitted:
            yield f"{indent}    {origin.more}"
        if origin.kept is not None:
            yield from self.told(origin.kept, indent + "  ")

    def _written(self, origin: Origin) -> str:
        """What a word holds, and who wrote it."""
        return tr("{held}: written by line {at}: {text}", _held(origin), self._at(origin), origin.text[:100])

    def _at(self, origin: Origin) -> str:
        """A line, with what is known about it."""
        assert origin.line is not None
        source = self.source(origin.line)
        if origin.cycle is None:
            return f"{origin.line}{source}"
        return tr("{line}, cycle {cycle}{source}", origin.line, origin.cycle, source)

    def _given(self, origin: Origin) -> str:
        """What a word is that no line wrote: an element of an operand, or nothing."""
        if name := element_at(self.inputs, origin.place):
            return tr("{held}: given, {name}", _held(origin), name)
        if _junk(origin.value):
            return tr("{held}: never written, and not given", _held(origin))
        return tr("{held}: never written", _held(origin))


def _held(origin: Origin) -> str:
    """A word, what it is in the instruction that read it, and what it holds."""
    part = f"{messages.shown(origin.part)} = " if origin.part else ""
    return f"{part}{origin.place} = {shown(origin.value)}"


def element_at(inputs: Inputs, place: Place) -> str:
    """`x[3, 5]` for a word that holds an element of an operand, in any copy; "" for others."""
    for name, where, bits in inputs:
        if isinstance(where, Words) and where.memory.lower() == place.memory:
            found = np.argwhere(np.isin(place.unit - where.pe, where.copies) & (where.word == place.word))
            if len(found):
                return f"{name}{found[0].tolist()}"
        elif isinstance(where, DramTensor | DramWords) and place.memory == "dram":
            first = where.at((0,) * bits.ndim)
            in_each = bits.size if isinstance(where, DramWords) else where.in_each
            groups = 1 if in_each == bits.size else 4
            inside, group = place.word - first.word, place.unit - first.unit
            if 0 <= inside < in_each and 0 <= group < groups:
                index = np.unravel_index(group * in_each + inside, bits.shape)
                return f"{name}{[int(number) for number in index]}"
    return ""


# --- a word that nobody wrote ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Near:
    distance: tuple[int, int]
    line: int
    address: int
    text: str


def _nearest(program: Program, start: Machine, spot: Spot) -> _Near | None:
    """The line that writes nearest to a word: the same word of other units first, then the nearest address."""
    best: _Near | None = None
    machine = start

    def look(line: Line) -> None:
        nonlocal best
        for touch in touches_of([line], machine):
            if not touch.write or touch.memory != spot.memory or not len(touch.addresses):
                continue
            addresses = np.unique(touch.addresses[touch.addresses >= 0])
            if not len(addresses):
                continue
            nearest = int(addresses[np.abs(addresses - spot.address).argmin()])
            distance = (abs(nearest - spot.address), -line.line)
            if best is None or distance < best.distance:
                best = _Near(distance, line.line, nearest, line.text[:100])

    lines = iter(program.lines)
    pending = next(lines, None)

    def observe(_: Line) -> None:
        following = next(lines, None)
        if following is not None:
            look(following)

    if pending is not None:
        look(pending)
        machine.run(program, observer=observe)
    return best


def _memory(place: Place) -> str:
    return tr("this memory") if place.memory not in ("lm0", "lm1", "dram") else place.memory.upper()
