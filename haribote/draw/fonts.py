"""Words in matplotlib's figures: in the language of the moment where an installed font has its characters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import cache
from pathlib import Path

from matplotlib import rc_context, rcParams
from matplotlib.font_manager import FontProperties, findSystemFonts, fontManager, get_font

from simulator.language import in_english, language

SAMPLES = {"ja": "あアー学習、損失：速（さ）％"}
"""Of each language that the default font cannot write: characters of every kind that its texts have."""
FILES = re.compile(
    r"NotoSans(?:CJK(?:jp)?|JP)(?:-Regular|-VF|\[wght\])?|SourceHanSans\w*-Regular|ipae?x?g|TakaoP?Gothic"
    r"|VL-P?Gothic-Regular|ヒラギノ角ゴシック W3|YuGoth(?:M|ic-Medium)|meiryo|msgothic",
    re.IGNORECASE,
)
"""Names of the files of the fonts that Linux, macOS and Windows have for them."""


@contextmanager
def lettered() -> Iterator[None]:
    """Inside, a figure's texts get a font that can write what `shown` gives: English where no font has the rest."""
    sample = SAMPLES.get(language(), "")
    font = font_with(sample) if sample else ""
    spoken = in_english() if sample and not font else nullcontext()
    with spoken, rc_context({"font.family": [*rcParams["font.family"], font]} if font else None):
        yield


@cache
def font_with(sample: str) -> str:
    """An installed family that has all these characters; "" where none has.

    Files are looked for anew: matplotlib's own list of fonts does not have those that came after it was made.
    """
    for path in sorted(findSystemFonts()):
        if FILES.fullmatch(Path(path).stem) and _has(path, sample):
            fontManager.addfont(path)
            return FontProperties(fname=path).get_name()
    return ""


def _has(path: str, sample: str) -> bool:
    font = get_font(path)
    return all(font.get_char_index(ord(character)) for character in sample)
