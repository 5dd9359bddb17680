"""Colours of drawings of graphs: what is seen together differs for all eyes, and text can be read."""

from __future__ import annotations

from itertools import combinations

import pytest

from haribote.draw.colours import MEMORIES, PAINTS, style_sheet
from tests.eyes import contrast, distance

LEGENDS = (
    ("chip", "host", "wrong", "loss"),
    ("yours", "course", "failing", "host", "loss"),
    ("matrix", "elementwise", "reduction", "shape"),
    ("same", "changed", "removed", "added"),
)
"""The classes that are seen together."""
PAPER = ("#ffffff", "#12161c")


def test_every_paint_is_in_a_legend() -> None:
    assert {paint for legend in LEGENDS for paint in legend} == set(PAINTS)


@pytest.mark.parametrize("dark", [False, True])
def test_what_is_seen_together_differs(dark: bool) -> None:
    lines = {name: paint[4 if dark else 2] for name, paint in PAINTS.items()}
    for legend in LEGENDS:
        for one, other in combinations(legend, 2):
            assert distance(lines[one], lines[other]) > 18, (one, other)
    for one, other in combinations(MEMORIES, 2):
        assert distance(MEMORIES[one][dark], MEMORIES[other][dark]) > 30, (one, other)


@pytest.mark.parametrize("dark", [False, True])
def test_text_can_be_read(dark: bool) -> None:
    for name, paint in PAINTS.items():
        fill, line = paint[3:] if dark else paint[1:3]
        assert contrast(line, fill) >= 4.5, name
    for name, colours in MEMORIES.items():
        assert contrast(colours[dark], PAPER[dark]) >= 4.5, name


def test_wires_of_lm1_are_dashed() -> None:
    assert ".haribote .wire.LM1 { stroke-dasharray" in style_sheet()
