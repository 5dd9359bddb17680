"""The picture of `draw.layout`: tensor, machine, formulas, and the words of one PE."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from haribote.draw.held import Holding, Index, holding_of, styles
from haribote.errors import HariboteError
from haribote.kernel import Operand
from haribote.layout import LEVELS, Layout
from haribote.words import word
from simulator.messages import Text, shown, tr
from simulator.pictures.canvas import MARGIN, WIDTH, Canvas, Picture
from simulator.pictures.grids import MachineMap, TensorMap, ring

TOP = 84.0
TENSOR_LEFT = MARGIN + 38
MACHINE_LEFT = 392.0
PER_ROW, ROWS = 16, 4
"""Words of a PE that are shown, where the elements have short names."""
ORDER = (*LEVELS, Text("long word"), "W")


def layout_picture(
    what: Layout | Operand | str,
    shape: Sequence[int] | None = None,
    element: Sequence[int] | None = None,
    memory: str = "LM",
) -> Picture:
    """Who holds which element: the tensor and the machine side by side, a unit in the same colour in both.

    what: a tag such as `256x16.A`, a letter with its `shape`, a layout, its notation, or an operand of a kernel.
    element: the one to mark, `(row, column)`; the picture says where it is and shows its PE's words. memory: LM0, LM1,
    LM or DRAM (of `haribote.layout.dram_layout`). Raises HariboteError.
    """
    holding = holding_of(what, shape, memory)
    index = _checked(element, holding.shape)
    canvas = Canvas()
    size = "x".join(map(str, holding.shape))
    head = tr("{size} in {memory}", size, holding.memory)
    if index is not None:
        head = tr("[{value}] of {size}: {index}", ", ".join(map(str, index)), size, holding.where(index))
    canvas.text(MARGIN, 28, head, "head", room=WIDTH - 2 * MARGIN)
    canvas.text(MARGIN, 48, str(holding.layout), "m f", room=WIDTH - 2 * MARGIN)
    left = _tensor(canvas, holding, index)
    right = _groups(canvas, holding, index) if holding.memory == "DRAM" else _machine(canvas, holding, index)
    bottom = max(left, _formulas(canvas, holding, right + 24))
    if holding.memory != "DRAM":
        bottom = _words(canvas, holding, index, bottom + 30)
    formula = holding.layout.formula().replace("\n", "; ")
    says = tr("{size} in {memory}, layout {layout}: {formula}", size, holding.memory, holding.layout, formula)
    if index is not None:
        says = f"{head}. {says}"
    return canvas.picture(says, bottom + MARGIN)


def _checked(element: Sequence[int] | None, shape: Index) -> Index | None:
    if element is None:
        return None
    index = tuple(int(number) for number in element)
    if len(index) != len(shape) or not all(0 <= i < n for i, n in zip(index, shape, strict=True)):
        last = ", ".join(str(n - 1) for n in shape)
        raise HariboteError(
            tr("there is no element {index} in a tensor of shape {shape}", list(index), shape),
            tr("up to [{last}]", last),
        )
    return index


# --- the tensor ------------------------------------------------------------------------------------------------------


def _tensor(canvas: Canvas, holding: Holding, index: Index | None) -> float:
    """The elements in the colours of their units; returns where they end."""
    rows, columns = holding.matrix
    marked = None if index is None else divmod(int(np.ravel_multi_index(index, holding.shape)), columns)
    units = [holding.position(level).reshape(rows, columns) for level in LEVELS]
    canvas.text(TENSOR_LEFT, TOP - 18, tr("the tensor"), "b")
    tensor = TensorMap(TENSOR_LEFT, TOP, rows, columns)
    tensor.draw(canvas, styles(holding, units), marked)
    return TOP + tensor.height


# --- the machine -----------------------------------------------------------------------------------------------------


def _machine(canvas: Canvas, holding: Holding, index: Index | None) -> float:
    """All PEs in the same colours, those without an element empty; returns where they end."""
    canvas.text(MACHINE_LEFT + 44, TOP - 18, tr("the machine: in each block 16 MABs with 4 PEs"), "b")
    grid = MachineMap(MACHINE_LEFT, TOP - 14)
    units = np.meshgrid(*(np.arange(count) for count in LEVELS.values()), indexing="ij")
    painted = np.where(holding.holders(), styles(holding, units), "")
    marked = None if index is None else holding.copies(index)
    if marked is not None:
        painted = np.where(marked, "ink", painted)
    with canvas.group(data="machine"):
        grid.draw(canvas, painted, lambda l2b, l1b: _share_of(holding, l2b, l1b))
    if index is not None:
        grid.mark(canvas, *holding.unit(index))
    return grid.y + grid.height


def _share_of(holding: Holding, l2b: int, l1b: int) -> str:
    """Which rows of the tensor an L1B holds, for its tooltip."""
    mine = np.ones(holding.shape, np.bool_)
    for level, number in (("L2B", l2b), ("L1B", l1b)):
        if holding.layout.names(level):
            mine &= holding.position(level) == number
    if not mine.any():
        return tr("nothing of it")
    parts = []
    for axis, name in zip(range(mine.ndim), "ijklmn", strict=False):
        found = np.flatnonzero(mine.any(axis=tuple(a for a in range(mine.ndim) if a != axis)))
        parts.append(f"{name} = {_series(found)}")
    return "; ".join(parts)


def _series(numbers: NDArray[np.int64]) -> str:
    """`0, 8, 16, …, 248`."""
    texts = list(map(str, numbers))
    return ", ".join(texts if len(texts) <= 5 else [*texts[:3], "…", texts[-1]])


def _groups(canvas: Canvas, holding: Holding, index: Index | None) -> float:
    """The four DRAMs with their parts of the tensor; returns where they end."""
    canvas.text(MACHINE_LEFT + 44, TOP - 18, tr("the DRAMs of the four groups"), "b")
    group, word = holding.position("L2B") // 2, holding.position("long word")
    marked = -1 if index is None else int(group[index])
    for number in range(4):
        x = MACHINE_LEFT + 44 + number * 98
        mine = word[group == number]
        style = f"h{2 * number}" if len(mine) else "empty"
        canvas.rect(x, TOP, 90, 46, style, round_=3, title=tr("DRAM of group {number}", number))
        ink = "on " if len(mine) else "f "
        canvas.text(x + 45, TOP + 20, tr("group {number}", number), f"{ink}b", anchor="middle")
        held = f"{mine.min()} to {mine.max()}" if len(mine) else tr("nothing of it")
        canvas.text(x + 45, TOP + 36, held, f"{ink}s", anchor="middle", room=88)
        if number == marked:
            ring(canvas, x, TOP, 90, 46)
    canvas.text(MACHINE_LEFT + 44, TOP + 64, tr("addresses in long words; two elements in each"), "s f")
    return TOP + 64


def _formulas(canvas: Canvas, holding: Holding, y: float) -> float:
    """What the colours mean and the index formula; returns where they end."""
    left = MACHINE_LEFT + 44
    hue, shade = ([*holding.levels, "", ""])[:2]
    if holding.memory == "DRAM":
        hue, shade = ("group", "") if hue else ("", "")
    names = "ijklmn"[: len(holding.layout.axes)]
    canvas.text(left, y, tr("element [{names}] is in", ", ".join(names)), "b")
    terms = {level or Text("long word"): found for level, found in holding.layout.terms().items()}
    for name, formula in sorted(terms.items(), key=lambda entry: ORDER.index(entry[0])):
        y += 17
        if holding.memory == "DRAM" and name == "L2B":
            name, formula = "group", formula.removeprefix("2*(").removesuffix(")")
        told = tr("  (the colour)") if name == hue else tr("  (the shade)") if name == shade else ""
        canvas.text(left, y, f"{word(name)} = {formula}{told}", "m")
    for level in holding.copied:
        y += 17
        canvas.text(left, y, tr("a copy in every {level}", level), "s f")
    if holding.shape != holding.layout.shape:
        y += 17
        canvas.text(left, y, tr("{names} counts the elements row by row", names), "s f")
    return y


# --- the words of one PE ---------------------------------------------------------------------------------------------


def _words(canvas: Canvas, holding: Holding, index: Index | None, y: float) -> float:
    """What the PE of the marked element (or of the first one) holds, word by word; returns where it ends."""
    first = index if index is not None else (0,) * len(holding.shape)
    unit = holding.unit(first)
    held = holding.of_unit(unit)
    name = "n{}c{}b{}m{}p{}".format(*divmod(unit[0], 2), *unit[1:])
    l2b, l1b, mab, pe = unit
    many = len(held)
    head = tr(
        "the words of PE {pe} in MAB {mab}, L1B {l_b}, L2B {l_b2} ({name}): {many} element{s}",
        pe=pe,
        mab=mab,
        l_b=l1b,
        l_b2=l2b,
        name=name,
        many=many,
        s="s" * (many != 1),
    )
    canvas.text(MARGIN, y, head, "b")
    addresses = sorted(held)
    widest = max(len(",".join(map(str, element))) for element in held.values())
    per_row = min(PER_ROW, int((WIDTH - 2 * MARGIN) / (6.8 * widest + 8)))
    at = addresses.index(int(holding.position("word")[first]))
    start = max(0, min(at // per_row - 1, -(-len(addresses) // per_row) - ROWS)) * per_row
    seen = addresses[start : start + ROWS * per_row]
    width = (WIDTH - 2 * MARGIN) / per_row
    y += 10
    for number, address in enumerate(seen):
        x, top = MARGIN + number % per_row * width, y + number // per_row * 38
        element = ",".join(map(str, held[address]))
        here = index is not None and held[address] == index
        title = tr("word {address}: element [{element}]", address, element)
        canvas.rect(x, top, width - 4, 34, "ink" if here else "box", round_=2, title=title)
        tone = " on" if here else ""
        canvas.text(x + width / 2 - 2, top + 14, element, f"m b{tone}", anchor="middle", room=width)
        canvas.text(x + width / 2 - 2, top + 28, f"{address}", f"s{tone or ' f'}", anchor="middle")
    bottom = y + -(-len(seen) // per_row) * 38
    notes = [tr("above: the element, below: the word's address")]
    if len(seen) < len(addresses):
        notes.append(
            tr(
                "words {seen} to {seen2} of {addresses} to {addresses2}",
                seen=seen[0],
                seen2=seen[-1],
                addresses=addresses[0],
                addresses2=addresses[-1],
            )
        )
    canvas.text(MARGIN, bottom + 12, "; ".join(map(shown, notes)), "s f")
    return bottom + 14
