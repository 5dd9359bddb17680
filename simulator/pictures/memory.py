"""A memory as a picture: which units hold something, and what one unit holds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator import isa, messages
from simulator.engine.state.contents import KINDS, contents
from simulator.engine.state.memories import Memories
from simulator.errors import SimulatorError
from simulator.isa.tree import index_of, levels_of, name_of
from simulator.messages import tr
from simulator.pictures.canvas import MARGIN, WIDTH, Canvas, Picture, tooltip
from simulator.pictures.grids import MachineMap, ring
from simulator.pictures.style import HEAT_LIGHT
from simulator.view.memories import in_use
from simulator.view.scope import parse_unit

SHOWN = ("lm0", "lm1", "grf0", "grf1", "t", "l1bm", "l2bm", "pdm", "dram")
LEFT = 440.0
CLASSES = len(HEAT_LIGHT)
Words = NDArray[np.uint32]


def memory(
    machine: Memories, name: str, unit: str = "n0c0b0m0p0", first: int = 0, count: int = 64, dtype: str = "f"
) -> Picture:
    """Which units hold something in a memory, and the words of one unit.

    name: lm0, lm1, grf0, grf1, t, l1bm, l2bm, pdm or dram; what is not zero counts as held, among the words shown for
    DRAM. unit: whose words are listed, as in `n0c1b2m3p0`. first, count: addresses, in words for PE memories, else in
    long words. dtype: f single precision, i integers, x hexadecimal. Raises SimulatorError.
    """
    if name not in SHOWN:
        raise SimulatorError(tr("there is no memory {name!r} to draw", name), ", ".join(SHOWN))
    if dtype not in ("f", "i", "x"):
        raise SimulatorError(tr("{dtype!r} is no way to show words", dtype), tr("f, i or x (hexadecimal)"))
    kind = KINDS[name]
    if not (0 <= first < kind.size and 0 < count <= 512):
        raise SimulatorError(
            tr("{count} words from {first} on cannot be shown", count, first),
            tr("below {size}, at most 512", kind.size),
        )
    numbers = (parse_unit(unit).numbers + (0,) * 5)[: len(levels_of(name))]
    number = index_of(numbers)
    addresses = np.arange(first, min(first + count, kind.size))
    listed = contents(machine, name, addresses)
    per_unit = _filled(machine, name, listed)
    unit_name = name_of(numbers)
    holders = int((per_unit > 0).sum())
    noun = {"pe": "PEs", "l1b": "L1Bs", "l2b": "L2Bs", "group": tr("groups")}[kind.level]
    head = tr("{upper}: {holders:,} of {per_unit:,} {noun} hold something", name.upper(), holders, len(per_unit), noun)
    canvas = Canvas()
    canvas.text(MARGIN, 28, head, "head")
    bottom = _map(canvas, kind.level, per_unit, numbers)
    bottom = max(bottom, _legend(canvas, per_unit, kind.long))
    heading = tr("{upper} of {unit_name}", name.upper(), unit_name)
    bottom = _list(canvas, bottom + 26, heading, first, listed[:, number], kind.long, dtype)
    title = tr("{head}; listed: {unit_name} from {first} on", messages.shown(head), unit_name, first)
    return canvas.picture(title, bottom + MARGIN)


def _filled(machine: Memories, name: str, listed: Words) -> NDArray[np.int64]:
    """How many words of each unit are not zero; of DRAM, among the listed ones."""
    if name != "dram":
        used = in_use(machine, name)
        listed = contents(machine, name, used if len(used) else np.zeros(1, np.int64))
    return np.asarray((listed != 0).sum(axis=0), np.int64)


def _styles(per_unit: NDArray[np.int64]) -> NDArray[np.str_]:
    """The more words, the stronger; "" for none."""
    most = max(1, int(per_unit.max()))
    names = np.array([f"h0 s{n}" for n in (6, 5, 4, 3, 1, 0)])
    found = names[np.clip((per_unit * CLASSES - 1) // most, 0, CLASSES - 1)]
    return np.where(per_unit > 0, np.where(per_unit == most, "h0", found), "")


def _map(canvas: Canvas, level: str, per_unit: NDArray[np.int64], numbers: tuple[int, ...]) -> float:
    """All units, coloured by how many words they hold; returns where they end."""
    styles = _styles(per_unit)
    if level == "pe":
        canvas.text(MARGIN + 44, 58, tr("in each block 16 MABs with 4 PEs"), "b")
        grid = MachineMap(MARGIN, 64)
        counts = per_unit.reshape(8, 8, 64)
        most = counts.max(axis=2)
        grid.draw(canvas, styles.reshape(isa.TREE), lambda l2b, l1b: tr("up to {max} words in a PE", most[l2b, l1b]))
        grid.mark(canvas, 2 * numbers[0] + numbers[1], numbers[2], numbers[3], numbers[4])
        return grid.y + grid.height
    columns = {"l1b": 8, "l2b": 8, "group": 4}[level]
    told = {"l1b": tr("a row per L2B, an L1B in each column"), "l2b": tr("the L2Bs"), "group": tr("the groups")}[level]
    canvas.text(MARGIN + 30, 50, told, "s f")
    width = 384 / columns
    for unit, (style, words) in enumerate(zip(styles, per_unit, strict=True)):
        x, y = MARGIN + 30 + unit % columns * width, 60.0 + unit // columns * 22
        name = {
            "l1b": f"L2B {unit // 8}, L1B {unit % 8}",
            "l2b": f"L2B {unit}",
            "group": tr("group {unit}", unit),
        }[level]
        canvas.rect(x, y, width - 4, 18, "empty", round_=2)
        shade, _, faint = str(style).partition(" s")
        more = f' fill-opacity="{1 - 0.105 * int(faint):.3g}"' if faint else ""
        box = f'x="{x:g}" y="{y:g}" width="{width - 4:g}" height="18" rx="2"'
        title = tooltip(tr("{name}: {words} words", name, words))
        canvas.parts.append(f'<rect class="{shade or "empty"}"{more} {box}>{title}</rect>')
        if unit == index_of(numbers):
            ring(canvas, x, y, width - 4, 18)
        if level == "l1b" and unit % 8 == 0:
            canvas.text(x - 6, y + 13, f"{unit // 8}", "s f", anchor="end")
        if level != "l1b":
            canvas.text(x + width / 2 - 2, y + 32, f"{unit}", "s f", anchor="middle")
    return 60.0 + len(per_unit) // columns * 22 + (20 if level != "l1b" else 0)


def _legend(canvas: Canvas, per_unit: NDArray[np.int64], long: bool) -> float:
    """What the colours mean; returns where it ends."""
    most = int(per_unit.max())
    canvas.rect(LEFT, 66, 22, 12, "empty")
    canvas.text(LEFT + 30, 76, tr("all words are zero"), "s f")
    if not most:
        return 80
    canvas.rect(LEFT, 86, 22, 12, "h0")
    told = tr("{most:,} words that are not zero{value}", most, tr(" (two in a long word)") if long else "")
    canvas.text(LEFT + 30, 96, told, "s f")
    canvas.text(LEFT + 30, 114, tr("paler: fewer"), "s f")
    return 118


def _list(canvas: Canvas, y: float, heading: str, first: int, words: Words, long: bool, dtype: str) -> float:
    """The words of one unit as a grid; returns where it ends."""
    last = first + len(words) // (2 if long else 1) - 1
    told = tr("{heading}, words {first} to {last}", heading, first, last)
    if long:
        told = tr("{heading}, long words {first} to {last}", heading, first, last)
    canvas.text(MARGIN, y, told, "b")
    per_row = 8
    width = (WIDTH - 2 * MARGIN - 56) / per_row
    y += 8
    for number, word in enumerate(words.tolist()):
        x, top = MARGIN + 56 + number % per_row * width, y + number // per_row * 20
        place = first + number // (2 if long else 1)
        if number % per_row == 0:
            canvas.text(MARGIN + 48, top + 14, str(place), "m f", anchor="end")
        name = tr("word {place}", place)
        if long:
            name = tr("long word {place} low", place) if number % 2 else tr("long word {place} high", place)
        title = f"{messages.shown(name)}: 0x{word:08x}"
        canvas.rect(x, top, width - 3, 18, "h0" if word else "empty", title=title)
        tone = "m on" if word else "m f"
        canvas.text(x + width / 2 - 1.5, top + 13, shown(word, dtype), tone, anchor="middle", room=width)
    return y + -(-len(words) // per_row) * 20


def shown(word: int, dtype: str) -> str:
    """A word as text."""
    if dtype == "x":
        return f"{word:08x}"
    if dtype == "i":
        return str(word - (word >> 31 << 32))
    return f"{np.array(word, np.uint32).view(np.float32).item():.6g}"
