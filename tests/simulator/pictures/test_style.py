"""Colours of the pictures: text can be read on everything it stands on, in light and in dark."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from simulator.pictures import style


def luminance(colour: str) -> float:
    """Relative luminance as WCAG 2 defines it."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("base, hues", [(style.LIGHT, style.HUES_LIGHT), (style.DARK, style.HUES_DARK)])
def test_text_can_be_read(base: dict[str, str], hues: tuple[str, ...]) -> None:
    for text in ("ink", "faint", "good", "bad", "from", "to"):
        for ground in ("paper", "box"):
            assert contrast(base[text], base[ground]) >= 4.5, (text, ground)
    assert contrast(base["faint"], base["empty"]) >= 4.5
    assert all(contrast(base["on"], hue) >= 4.5 for hue in hues)
    assert contrast(base["on"], base["ink"]) >= 4.5


@pytest.mark.parametrize("base, heat", [(style.LIGHT, style.HEAT_LIGHT), (style.DARK, style.HEAT_DARK)])
def test_errors_stand_out_the_more_the_larger_they_are(base: dict[str, str], heat: tuple[str, ...]) -> None:
    steps = [contrast(colour, base["empty"]) for colour in heat]
    assert steps == sorted(steps) and steps[0] > 1.05 and steps[-1] > 5


def test_the_style_sheet_touches_only_pictures() -> None:
    rules = re.sub(r"@media[^{]*\{(.*?\}) \}", r"\1", style.style_sheet())
    for selectors in re.findall(r"([^{}]+)\{", rules):
        assert all(".hbp" in selector for selector in selectors.split(",")), selectors
    used = {*re.findall(r"var\(--([a-z0-9]+)\)", rules)}
    assert used == {*style.LIGHT, *(f"h{n}" for n in range(8)), *(f"e{n}" for n in range(6))}


def test_pictures_need_neither_torch_nor_matplotlib() -> None:
    code = (
        "import sys; from haribote import draw; draw.chip(); draw.move('nop'); draw.loss([1, 2]); draw.layout('16');"
        "assert not {'torch', 'matplotlib', 'IPython'} & set(sys.modules), sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
