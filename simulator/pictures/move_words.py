"""Helpers of the pictures of moves: runs of addresses, the words of PE operands, strips of cells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from simulator import isa
from simulator.explain.wording import BANKS, runs, short
from simulator.isa import program as p
from simulator.isa.words import words_of
from simulator.messages import tr
from simulator.pictures.canvas import Canvas

CYCLES = range(isa.STEP_CYCLES)


def full(numbers: Iterable[int]) -> str:
    """All runs: `0-7,16-23`."""
    return listed(sorted(set(numbers)))


def listed(numbers: Iterable[int]) -> str:
    """Numbers in their own order: `0-7`, or `0,4`."""
    return ",".join(runs(numbers))


def brief(numbers: Iterable[int], most: int = 2) -> str:
    """Runs for people: `0-7, 16-23`, or the first and the last of many."""
    parts = runs(sorted(set(numbers)))
    return ", ".join(parts if len(parts) <= most else [*parts[: most - 1], "…", parts[-1]])


def bank_words(operand: p.Operand, cycle: int, pe: int) -> list[int]:
    """The words of a PE's memory that an operand is in one cycle, as far as the text tells; T has 4 per cycle."""
    if isinstance(operand, p.TRegister):
        return [4 * cycle + word for word in range(4)]
    if not isinstance(operand, p.PeMemory):
        return []
    return list(words_of(operand, cycle, pe))


def bank_name(operand: p.Operand) -> str:
    """`LM0`, `T`, `$mauf`, …"""
    if isinstance(operand, p.PeMemory):
        return BANKS[operand.bank]
    if isinstance(operand, p.Path | p.Fixed | p.MaskRegister | p.BaseAddress):
        return short(operand)
    names = {p.TRegister: "T", p.NoWrite: tr("nowhere"), p.Turnaround: tr("turnaround"), p.Immediate: tr("literal")}
    if isinstance(operand, p.Matrix):
        return tr("matrix {register}", operand.register)
    return names.get(type(operand), type(operand).__name__.upper())


def cell_text(operand: p.Operand, cycle: int, pe: int) -> str:
    """What an operand is in one cycle, in few characters: `8-9`, `T+0-1`, `0x3f800000`."""
    if isinstance(operand, p.PeMemory):
        plus = "T+" if operand.indirect else ""
        return plus + brief(bank_words(operand, cycle, pe))
    if isinstance(operand, p.TRegister | p.Path):
        return tr("cycle {cycle}'s words", cycle)
    return short(operand) if isinstance(operand, p.Immediate) else ""


def writes(operand: p.Operand, cycle: int, pe: int) -> str:
    """The `data-name` of the words that a PE of each MAB writes; "" where the text does not tell them."""
    if isinstance(operand, p.PeMemory) and operand.indirect:
        return ""
    words = bank_words(operand, cycle, pe)
    return f"writes {bank_name(operand)} p{pe} {full(words)}" if words else ""


def closed(destination: p.Destination, cycle: int) -> bool:
    """True where a fixed mask keeps a cycle from writing."""
    return destination.mask is not None and cycle not in destination.mask.cycles


@dataclass(frozen=True)
class Segment:
    """Neighbouring cells of a strip that go to the same units. first, count: cells; style: of the cells."""

    first: int
    count: int
    style: str
    label: str


@dataclass(frozen=True)
class Strip:
    """A block of a broadcast memory: a row per cycle, a cell per long word."""

    x: float
    y: float
    cells: int
    room: float
    height: float = 20.0

    @property
    def cell(self) -> float:
        """The width of a cell."""
        return min(self.room / self.cells, 47.0)

    @property
    def left(self) -> float:
        """Where the cells begin: narrow strips stand in the middle."""
        return self.x + (self.room - self.cells * self.cell) / 2

    @property
    def bottom(self) -> float:
        """Where the last row ends."""
        return self.y + isa.STEP_CYCLES * self.height

    def centre(self, first: int, count: int) -> float:
        """The middle of some cells."""
        return self.left + (first + count / 2) * self.cell

    def middle(self, cycle: int) -> float:
        """The middle of a cycle's row."""
        return self.y + (cycle + 0.5) * self.height

    def row(
        self,
        canvas: Canvas,
        cycle: int,
        addresses: Sequence[int],
        segments: Sequence[Segment],
        data: str,
        written: bool = False,
    ) -> None:
        """One cycle: its cells, with addresses where there is room. data: of the words, where they are written."""
        y = self.y + cycle * self.height
        canvas.text(self.left - 8, y + 14, tr("cycle {cycle}", cycle), "s f", anchor="end")
        labels = [brief(addresses[s.first : s.first + s.count]) for s in segments]
        fit = all(s.count * self.cell >= 6.8 * len(label) + 2 for s, label in zip(segments, labels, strict=True))
        with canvas.group(data=data, style=canvas.lit(cycle, "w" if written else "r")):
            for segment, label in zip(segments, labels, strict=True):
                x, width = self.left + segment.first * self.cell, segment.count * self.cell
                words = addresses[segment.first : segment.first + segment.count]
                title = tr("cycle {cycle}, long words {words}: {label}", cycle, brief(words), segment.label)
                canvas.rect(x, y, width - 1, self.height - 1, segment.style, title=title)
                if fit:
                    canvas.text(x + width / 2, y + 14, label, "m on", anchor="middle")
        if not fit:
            canvas.text(self.left + self.cells * self.cell + 6, y + 14, brief(addresses), "s f")
