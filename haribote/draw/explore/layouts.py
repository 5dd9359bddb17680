"""explore.layout: slide over the elements of a tensor, and see which PE and word holds each, and which bit says so."""

from __future__ import annotations

import html
from collections.abc import Sequence

from haribote.draw.explore.panel import Controls, Panel, PanelContent, Slider, Values
from haribote.draw.held import Holding, holding_of
from haribote.draw.held_picture import layout_picture
from haribote.layout import LEVELS
from haribote.words import word
from simulator.messages import shown, tr
from simulator.pictures.style import MONO, fonts, lang

NAMES = "ijklmn"


def layout(what: str = "256x16.A", shape: Sequence[int] | None = None) -> Panel:
    """A slider for each axis of a tensor. what, shape: as of `draw.layout`.

    Raises HariboteError where there is no such layout.
    """
    holding = holding_of(what, shape)

    def controls(_: Values) -> Controls:
        return {NAMES[axis]: Slider(f"{NAMES[axis]} =", 0, size - 1, 0) for axis, size in enumerate(holding.shape)}

    def draw(values: Values) -> PanelContent:
        element = tuple(values[NAMES[axis]] for axis in range(len(holding.shape)))
        return PanelContent.of(layout_picture(what, shape, element=element), bits_table(holding, element))

    return Panel(controls, draw)


def bits_of(holding: Holding, axis: int) -> list[str]:
    """Where each bit of an index goes, the lowest first: `PE bit 0`, or the place that is so much further on."""
    zero = (0,) * len(holding.shape)
    found = []
    for bit in range(max(1, (holding.shape[axis] - 1).bit_length())):
        index = tuple((1 << bit) * (number == axis) for number in range(len(holding.shape)))
        moved = []
        for level in (*LEVELS, "word"):
            places = holding.position(level)
            step = int(places[index] - places[zero]) if index[axis] < holding.shape[axis] else 0
            if step:
                power = step > 0 and step & (step - 1) == 0
                name = word(level)
                moved.append(f"{name} {tr('bit')} {step.bit_length() - 1}" if power else f"{name} {step:+}")
        found.append(", ".join(moved) or tr("nothing"))
    return found


def bits_table(holding: Holding, element: tuple[int, ...]) -> str:
    """The bits of the index, the highest first, and below each where it goes."""
    rows = []
    for axis, number in enumerate(element):
        goes = bits_of(holding, axis)
        cells = "".join(
            f'<td style="text-align: center; padding: 2px 10px; border: 1px solid #8888">'
            f"<b>{number >> bit & 1}</b><br>{goes[bit]}</td>"
            for bit in reversed(range(len(goes)))
        )
        rows.append(f'<tr><td style="padding: 2px 10px"><b>{NAMES[axis]} = {number}</b></td>{cells}</tr>')
    where = f"<p{lang()}>{shown(holding.where(element))}</p>"
    font = html.escape(f"12px {fonts(MONO)}")
    return f'{where}<table style="font: {font}; border-collapse: collapse"{lang()}>{"".join(rows)}</table>'
