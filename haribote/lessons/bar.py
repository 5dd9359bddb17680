"""A line with bars: how much of a whole is whose, for notebooks."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass

from simulator.messages import shown

_OWN = "#2563eb"
_REST = "repeating-linear-gradient(135deg,#8888 0 2px,#8882 2px 7px)"
"""The filled part is plain, the rest is hatched, for readers who do not tell the colours apart."""


@dataclass(frozen=True)
class Bar:
    """One line, and bars by what they measure, each filled to a share of 0 to 1."""

    text: str
    shares: Mapping[str, float]

    def __str__(self) -> str:
        return shown(self.text)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        bars = "".join(_bar(name, share) for name, share in self.shares.items())
        return f'<div style="margin:4px 0;max-width:40em"><b>{html.escape(str(self))}</b>{bars}</div>'


def _bar(name: str, share: float) -> str:
    width = 100 * max(0.0, min(1.0, share))
    own = f"width:{width:.1f}%;min-width:{2 if share else 0}px;background:{_OWN}"
    return (
        '<div style="display:flex;align-items:center;gap:8px;margin:2px 0">'
        f'<span style="flex:0 0 8em;font-size:12px">{html.escape(shown(name))}</span>'
        f'<div style="flex:1;height:9px;border-radius:4px;overflow:hidden;background:{_REST}">'
        f'<div style="height:100%;{own}"></div></div></div>'
    )
