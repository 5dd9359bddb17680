"""Texts broken into lines that fit: at spaces, and between full-width characters, yet not before 。 or after 「."""

from __future__ import annotations

import re
from collections.abc import Callable

from simulator.columns import columns

OPENING = "（「『【〔［｛“‘"
CLOSING = "）」』】〕］｝”’、。，．：；！？・ー…々ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ"
_FULL = r"[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]"
_PIECE = re.compile(rf"\s*[{OPENING}]*(?:(?![{CLOSING}]){_FULL}|(?:(?!{_FULL})\S)+)?[{CLOSING}]*")


def pieces(text: str) -> list[str]:
    """The parts of a text that no line break tears apart, each with one space before it where there were some."""
    found = [piece for piece in _PIECE.findall(text) if piece.strip()]
    return [f" {piece.lstrip()}" if piece[0].isspace() else piece for piece in found]


def wrapped(text: str, room: float, width: Callable[[str], float] = columns) -> list[str]:
    """The text in lines that fit, each measured by `width`; a piece that is too long for one has a line of its own."""
    lines: list[str] = []
    for piece in pieces(text):
        if lines and width(lines[-1] + piece) <= room:
            lines[-1] += piece
        else:
            lines.append(piece.lstrip())
    return lines
