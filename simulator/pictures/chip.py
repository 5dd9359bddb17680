"""The machine as a tree: groups, L2B, L1B, MAB, PE, each level inside one unit of the one above, with its memories."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from simulator import isa
from simulator.errors import SimulatorError
from simulator.isa.tree import name_of
from simulator.messages import Text, shown, tr
from simulator.pictures.canvas import MARGIN, WIDTH, Canvas, Picture, cut
from simulator.view.scope import parse_unit

LEFT, RIGHT = 118.0, 566.0
"""Where the row of a level begins and ends; its name is left of it, its memories right."""
ROW, STEP = 40.0, 66.0


@dataclass(frozen=True)
class Level:
    """A level of the tree. letter: in unit names; count: units in one of the level above; memories: names and sizes."""

    name: str
    letter: str
    count: int
    memories: tuple[tuple[str, str], ...]


LEVELS = (
    Level(Text("group"), "n", isa.GROUPS, (("DRAM", "4 GiB"), ("PDM", "4 MiB"))),
    Level("L2B", "c", isa.L2BS_PER_GROUP, (("L2BM", "256 KiB"),)),
    Level("L1B", "b", isa.L1BS, (("L1BM", "64 KiB"),)),
    Level("MAB", "m", isa.MABS, (("MAU", Text("matrix arithmetic")), (Text("matrix"), Text("x and y, 16 rows each")))),
    Level("PE", "p", isa.PES_PER_MAB, ()),
)
INSIDE = (
    ("LM0", "$m", Text("4,096 words")), ("LM1", "$n", Text("4,096 words")),
    ("GRF0", "$r", Text("512 words")), ("GRF1", "$s", Text("512 words")),
    ("T", "$t", Text("16 words")), (Text("mask"), "$omr", Text("32 entries")), ("ALU", "", Text("int, bits, max")),
)  # fmt: skip
NAMES = {name for level in LEVELS for name, _ in level.memories} | {name for name, _, _ in INSIDE}


def chip(highlight: Mapping[str, str] | str | None = None) -> Picture:
    """The tree of units and memories; every level shows the units inside the marked unit above it.

    highlight: memories (`DRAM`, `L2BM`, `LM0`, …) and one unit (`n0c1b2m3p0`, or its beginning `n0c1`), each with a
    note, "" for none; or one name alone. Raises SimulatorError for a name that is neither.
    """
    notes = {highlight: ""} if isinstance(highlight, str) else dict(highlight or {})
    unit = _unit(notes)
    canvas = Canvas()
    canvas.text(MARGIN, 28, tr("MN-Core 2: 4,096 PEs in a tree"), "head")
    total = 1
    for number, level in enumerate(LEVELS):
        y = 48 + number * STEP
        total *= level.count
        _row(canvas, y, level, total, unit[number])
        _memories(canvas, y, level, notes)
        _zoom(canvas, y, level.count, unit[number])
    bottom = _inside(canvas, 48 + len(LEVELS) * STEP, notes)
    where = tr("marked: {text}", name_of(unit))
    where += "".join(f"; {name}: {shown(note)}" for name, note in notes.items() if note)
    canvas.text(MARGIN, bottom + 20, cut(where, WIDTH - 2 * MARGIN, "s"), "s f")
    title = tr("The tree of MN-Core 2: 4 groups, 2 L2B each, 8 L1B each, 16 MAB each, 4 PE each; {where}", where)
    return canvas.picture(title, bottom + 32)


def _unit(notes: Mapping[str, str]) -> tuple[int, ...]:
    """The marked unit with all five numbers; 0 where none is named."""
    wanted: tuple[int, ...] = ()
    for name in notes:
        if name not in NAMES:
            try:
                wanted = parse_unit(name).numbers
            except SimulatorError:
                memories = ", ".join(sorted(NAMES))
                raise SimulatorError(
                    tr("cannot mark {name!r}: it is neither a memory nor a unit", name),
                    tr("{memories}, or a unit: n0c1b2", memories),
                ) from None
    return (wanted + (0,) * 5)[:5]


def _row(canvas: Canvas, y: float, level: Level, total: int, marked: int) -> None:
    name = tr("{count} groups", level.count) if level.name == "group" else f"{level.count} {level.name}"
    canvas.text(LEFT - 10, y + 17, name, "b", anchor="end")
    if total > level.count:
        canvas.text(LEFT - 10, y + 32, tr("{total:,} in all", total), "s f", anchor="end")
    width = (RIGHT - LEFT + 6) / level.count
    for number in range(level.count):
        x = LEFT + number * width
        chosen = number == marked
        title = f"{shown(level.name)} {number} ({level.letter}{number})"
        canvas.rect(x, y, width - 6, ROW, "from" if chosen else "box", round_=3, title=title)
        style = "on b" if chosen else "f"
        canvas.text(x + (width - 6) / 2, y + 25, f"{level.letter}{number}", f"m {style}", anchor="middle")


def _zoom(canvas: Canvas, y: float, count: int, marked: int) -> None:
    """From the marked unit to the row below, which is its inside."""
    width = (RIGHT - LEFT + 6) / count
    x, below, end = LEFT + marked * width, y + ROW, y + STEP
    canvas.path(f"M{x:g} {below}L{LEFT} {end}H{RIGHT}L{x + width - 6:.6g} {below}z", "empty")


def _memories(canvas: Canvas, y: float, level: Level, notes: Mapping[str, str]) -> None:
    height = ROW / max(1, len(level.memories))
    for number, (name, size) in enumerate(level.memories):
        x, top = RIGHT + 14, y + number * height
        note = notes.get(name)
        style = "to" if note is not None else "box"
        canvas.rect(x, top, WIDTH - MARGIN - x, height - 2, style, round_=3)
        ink = " on" if note is not None else ""
        canvas.text(x + 8, top + height / 2 + 3, name, f"b s{ink}")
        size = size if name in ("MAU", "matrix") else tr("{size} per {name}", size, level.name)
        room = WIDTH - MARGIN - x - 68
        canvas.text(x + 60, top + height / 2 + 3, note or size, f"s{ink or ' f'}", room=room)


def _inside(canvas: Canvas, y: float, notes: Mapping[str, str]) -> float:
    """The memories of a PE; returns where they end."""
    width = (WIDTH - MARGIN - LEFT + 6) / len(INSIDE)
    canvas.text(LEFT - 10, y + 20, tr("in each PE"), "b", anchor="end")
    for number, (name, letter, size) in enumerate(INSIDE):
        x, note = LEFT + number * width, notes.get(name)
        on = note is not None
        canvas.rect(x, y, width - 6, 50, "to" if on else "box", round_=3, title=f"{shown(name)}: {shown(note or size)}")
        canvas.text(x + (width - 6) / 2, y + 17, name, "b on" if on else "b", anchor="middle")
        canvas.text(x + (width - 6) / 2, y + 31, letter, "m on" if on else "m f", anchor="middle")
        canvas.text(x + (width - 6) / 2, y + 44, note or size, "s on" if on else "s f", anchor="middle", room=width - 8)
    return y + 50
