"""Pictures with more in them than a column shows: zoomed and dragged where scripts run, whole where they do not."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from simulator.messages import Text, tr

HOW = Text("zoom: Ctrl and the wheel; drag to move")
_BAR = "display: none; gap: 6px; align-items: center; font-size: 13px; margin-bottom: 4px"
_BUTTON = 'type="button" style="min-width: 2em"'


def in_page(html: str) -> str:
    """A picture in a page, with buttons above it. Keys are its own while it has the focus: elsewhere `d` deletes."""
    bar = (
        f'<div class="zoom-bar" style="{_BAR}">'
        f"<button {_BUTTON} aria-label={quoteattr(tr('smaller'))}>−</button>"
        f"<button {_BUTTON} aria-label={quoteattr(tr('larger'))}>+</button>"
        f"<button {_BUTTON}>{escape(tr('whole'))}</button><span>{escape(HOW.said())}</span></div>"
    )
    start = '<div class="zoom-box" tabindex="0" data-lm-suppress-shortcuts="true">'
    return f"{start}{bar}{html}</div><script>{_script()}</script>"


def in_file(svg: str) -> str:
    """A picture in a file of its own, for a browser. An image in a page is the same as without."""
    head, end, rest = svg.rpartition("</svg>")
    return f"{head}<script><![CDATA[\n{_script()}]]></script>\n{end}{rest}"


@cache
def _script() -> str:
    return Path(__file__).with_name("zoom.js").read_text(encoding="utf-8")
