"""A wide table in a notebook: it scrolls sideways, where printed lines would be broken."""

from __future__ import annotations

import html
from dataclasses import dataclass

from simulator.messages import shown


@dataclass(frozen=True)
class Wide:
    """A text whose lines are not broken; the last expression of a cell shows it."""

    text: str

    def __str__(self) -> str:
        return shown(self.text)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return (
            '<pre style="white-space:pre;overflow-x:auto;max-height:40em;font-size:12px;line-height:1.4">'
            f"{html.escape(str(self))}</pre>"
        )
