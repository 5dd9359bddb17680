"""Which bit goes where: the bits of a tensor's index above, those of its place below, a line from each to each."""

from __future__ import annotations

from haribote.stack.maps import COPY, NOTHING, Bit, BitMap, W, address, unit_bits
from haribote.stack.notation import text_of
from simulator.messages import shown, tr
from simulator.pictures.canvas import MARGIN, WIDTH, Canvas, Picture

BOX, ROW = 26.0, 22.0
TOP, BOTTOM = 84.0, 190.0
HUES = {"group": 0, "L2B": 1, "L1B": 2, "MAB": 3, "PE": 4, "W": 6, "address": 5}
"""The colour of each level."""
WORDS = {"W": "word"}
"""What a level is called, where it has another name."""


def map_picture(found: BitMap, title: str = "") -> Picture:
    """A map as a picture: every index bit in the colour of the level that it is carried by; copies are hatched boxes
    with `=`, bits that carry nothing are empty.
    """
    canvas = Canvas()
    size = "x".join(map(str, found.shape))
    canvas.text(MARGIN, 28, title or f"{size} in {found.memory}", "head", room=WIDTH - 2 * MARGIN)
    canvas.text(MARGIN, 48, text_of(found), "m f", room=WIDTH - 2 * MARGIN)
    above = _index_row(canvas, found)
    below = _place_row(canvas, found)
    for bit, carry in found.carries:
        if carry >= 0:
            canvas.arrow([(above[carry], TOP + ROW), (below[bit], BOTTOM - 3)], f"h{HUES[bit.level]}")
    says = ", ".join(f"{bit} carries {found.name(carry)}" for bit, carry in found.carries if carry >= 0)
    copied = ", ".join(map(str, found.copies()))
    told = f"{says}; copies: {copied}" if copied else says
    canvas.text(MARGIN, BOTTOM + 64, tr("= the same in both units     empty: only 0 holds the tensor"), "s f")
    return canvas.picture(f"{size} in {found.memory}: {told}", BOTTOM + 64 + MARGIN)


def _index_row(canvas: Canvas, found: BitMap) -> dict[int, float]:
    """The index bits, highest first, one group per axis; the middle of each box."""
    middles: dict[int, float] = {}
    x = MARGIN
    for number, bits in enumerate(found.axes):
        canvas.text(x, TOP - 10, tr("axis {number}: {shape}", number, found.shape[number]), "s f")
        for carry in reversed(bits):
            place = found.places[carry][0]
            canvas.rect(
                x, TOP, BOX - 3, ROW, f"h{HUES[place.level]}", round_=3, title=f"{found.name(carry)}: {_called(place)}"
            )
            canvas.text(x + BOX / 2 - 1.5, TOP + 15, found.name(carry), "m on", anchor="middle")
            middles[carry] = x + BOX / 2 - 1.5
            x += BOX
        x += max(BOX, 80 - BOX * len(bits))
    return middles


def _called(bit: Bit) -> str:
    """A bit of the place, in the language of the moment."""
    return f"{shown(WORDS.get(bit.level, bit.level))} {bit.number}"


def _place_row(canvas: Canvas, found: BitMap) -> dict[Bit, float]:
    """The bits of the place, from the root down and the address last, highest first; the middle of each box."""
    middles: dict[Bit, float] = {}
    rows = [*unit_bits(found.memory), *map(address, range(found.address_bits)), W]
    x = MARGIN
    for level in dict.fromkeys(bit.level for bit in rows):
        canvas.text(x, BOTTOM + ROW + 16, WORDS.get(level, level), "s f")
        bits = [bit for bit in reversed(rows) if bit.level == level]
        for bit in bits:
            carry = found[bit]
            style = "box" if carry == COPY else "empty" if carry == NOTHING else f"h{HUES[level]}"
            canvas.rect(x, BOTTOM, BOX - 3, ROW, style, round_=3, title=f"{_called(bit)}: {found.name(carry)}")
            text = {COPY: "=", NOTHING: ""}.get(carry, found.name(carry))
            canvas.text(x + BOX / 2 - 1.5, BOTTOM + 15, text, "m on" if carry >= 0 else "m f", anchor="middle")
            middles[bit] = x + BOX / 2 - 1.5
            x += BOX
        x += max(10.0, 46 - BOX * len(bits))
    return middles
