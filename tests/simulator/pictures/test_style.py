"""Colours of the pictures: text can be read on everything it stands on, in light and in dark."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import pytest

from haribote.draw import colours
from simulator.pictures import style
from tests.eyes import contrast, distance, seen

ROOT = Path(__file__).resolve().parents[3]

COUNTS = {"h": 8, "e": 6, "k": 4, "u": 2}
THEMES = [
    (style.LIGHT, style.HUES_LIGHT, style.CYCLES_LIGHT, style.BLOCKS_LIGHT),
    (style.DARK, style.HUES_DARK, style.CYCLES_DARK, style.BLOCKS_DARK),
]


def test_the_simulated_eyes_see_what_is_known() -> None:
    """Red and green of one lightness are one colour to deuteranopes; blue and yellow are not."""
    assert distance("#ffffff", "#ffffff") == 0 and 20.9 < contrast("#000000", "#ffffff") < 21.1
    red, green = "#c2365b", "#23804a"
    assert np.linalg.norm(seen(red) - seen(green)) > 90 > 10 > distance(red, green)
    assert distance("#1d64c8", "#a85400") > 60


@pytest.mark.parametrize("base, hues, cycles, blocks", THEMES)
def test_what_stands_side_by_side_differs_for_all_eyes(
    base: dict[str, str], hues: Sequence[str], cycles: Sequence[str], blocks: Sequence[str]
) -> None:
    assert min(distance(a, b) for a, b in combinations(hues[:4], 2)) > 30, "the PEs of a MAB"
    assert min(distance(a, b) for a, b in combinations(hues, 2)) > 15
    assert min(distance(a, b) for a, b in pairwise(cycles)) > 9 and distance(*blocks) > 9
    assert min(distance(base[a], base[b]) for a, b in combinations(("good", "to", "bad"), 2)) > 18
    assert distance(base["from"], base["to"]) > 60
    assert all(distance(colour, base["paper"]) > 30 for colour in (*hues, *cycles, *blocks))


@pytest.mark.parametrize("base, hues, cycles, blocks", THEMES)
def test_text_can_be_read(
    base: dict[str, str], hues: Sequence[str], cycles: Sequence[str], blocks: Sequence[str]
) -> None:
    for text in ("ink", "faint", "good", "bad", "from", "to"):
        for ground in ("paper", "box"):
            assert contrast(base[text], base[ground]) >= 4.5, (text, ground)
    assert contrast(base["faint"], base["empty"]) >= 4.5
    for ground in (*hues, *cycles, *blocks, base["from"], base["to"], base["ink"]):
        assert contrast(base["on"], ground) >= 4.5, ground


@pytest.mark.parametrize("base, heat", [(style.LIGHT, style.HEAT_LIGHT), (style.DARK, style.HEAT_DARK)])
def test_errors_stand_out_the_more_the_larger_they_are(base: dict[str, str], heat: tuple[str, ...]) -> None:
    steps = [contrast(colour, base["empty"]) for colour in heat]
    assert steps == sorted(steps) and steps[0] > 1.05 and steps[-1] > 5


def test_the_style_sheet_touches_only_pictures() -> None:
    rules = re.sub(r"@media[^{]*\{(.*?\}) \}", r"\1", style.style_sheet())
    for selectors in re.findall(r"([^{}]+)\{", rules):
        assert all(".hbp" in selector for selector in selectors.split(",")), selectors
    used = {*re.findall(r"var\(--([a-z0-9]+)\)", rules)}
    assert used == {*style.LIGHT, *(f"{letter}{n}" for letter, count in COUNTS.items() for n in range(count))}


def test_pictures_need_neither_torch_nor_matplotlib() -> None:
    code = (
        "import sys; from haribote import draw; draw.chip(); draw.move('nop'); draw.loss([1, 2]); draw.layout('16');"
        "assert not {'torch', 'matplotlib', 'IPython'} & set(sys.modules), sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_no_text_is_smaller_than_eleven_pixels() -> None:
    for sheet in (style.style_sheet(), colours.style_sheet()):
        sizes = [int(size) for size in re.findall(r"(?:font|font-size): (?:\d{3} )?(\d+)px", sheet)]
        assert len(sizes) > 3 and min(sizes) >= 11
    for file in (ROOT / "simulator", ROOT / "haribote", ROOT / "grader"):
        for path in file.rglob("*.py"):
            for size in re.findall(r"canvas\.text\([^\n]*\bsize=(\d+)", path.read_text(encoding="utf-8")):
                assert int(size) >= 11, path
