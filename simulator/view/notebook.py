"""A page inside a notebook."""

from __future__ import annotations

import html

from simulator.messages import shown

STYLE = "width: 100%; height: 860px; border: 1px solid #8888; border-radius: 6px"


def frame(page: str, title: str) -> str:
    """A page in a frame of its own, loaded when it is first seen."""
    name = html.escape(shown(title))
    return f'<iframe loading="lazy" srcdoc="{html.escape(page)}" style="{STYLE}" title="{name}"></iframe>'
