"""draw.chip: every level and memory of the machine."""

from __future__ import annotations

import pytest

from haribote import draw
from simulator.errors import SimulatorError
from tests.haribote.picture_checks import SVG, check_picture, texts, tree


def test_the_tree_has_every_level_and_memory() -> None:
    found = texts(check_picture(draw.chip))
    for text in (
        "4 groups",
        "2 L2B",
        "8 L1B",
        "16 MAB",
        "4 PE",
        "8 in all",
        "64 in all",
        "1,024 in all",
        "4,096 in all",
    ):
        assert text in found
    assert {"DRAM", "PDM", "L2BM", "L1BM", "LM0", "LM1", "GRF0", "GRF1", "T", "mask", "ALU", "MAU"} <= {*found}


def test_marks_and_notes() -> None:
    picture = check_picture(lambda: draw.chip({"LM0": "x, 16 words", "L2BM": "", "n1c1b3m5p2": ""}))
    root = tree(picture)
    marked = [rect.findtext(f"{SVG}title") for rect in root.iter(f"{SVG}rect") if rect.get("class") == "from"]
    assert marked == ["group 1 (n1)", "L2B 1 (c1)", "L1B 3 (b3)", "MAB 5 (m5)", "PE 2 (p2)"]
    assert "x, 16 words" in texts(picture) and "LM0: x, 16 words" in picture.title
    assert draw.chip("DRAM").text != draw.chip().text
    with pytest.raises(SimulatorError, match="n0c1b2"):
        draw.chip({"LM7": ""})
