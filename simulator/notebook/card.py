"""What a cell has to say: a heading that is good, doubtful or bad, and text below it; HTML for notebooks, else text.

Cards hold English and are shown in the language of the moment.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from simulator.errors import Diagnostic, advised
from simulator.messages import shown, tr
from simulator.pictures.style import DARK, LIGHT, MONO, lang, themed

State = Literal["good", "doubtful", "bad", "quiet"]
_MARKS = {"good": "✓", "doubtful": "!", "bad": "✗", "quiet": "·"}
_COLOURS = {"good": "good", "doubtful": "to", "bad": "bad", "quiet": "faint"}


@dataclass(frozen=True)
class Card:
    """The last expression of a notebook's cell shows it. body: text, kept as it is laid out."""

    state: State
    head: str
    body: str = ""

    def __str__(self) -> str:
        return "\n".join([self._headed(), *([shown(self.body)] if self.body else [])])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        body = f"<pre>{html.escape(shown(self.body))}</pre>" if self.body else ""
        return card(self.state, self._headed(), body)

    def _headed(self) -> str:
        return f"{_MARKS[self.state]} {shown(self.head)}"


def card(state: str, head: str, body: str) -> str:
    """A card in the colours of the page's theme; the classes keep MathJax away from `$lm0 $lr0`.

    state: good, doubtful, bad or quiet. head: a line of text. body: HTML, in the language of the moment.
    """
    opening = f'<div class="hbc mathjax_ignore tex2jax_ignore" data-state="{state}"{lang()}>'
    return f"<style>{_style()}</style>{opening}<b>{html.escape(shown(head))}</b>{body}</div>"


def _style() -> str:
    """The CSS of cards; it touches nothing outside of them."""
    rules = [
        ".hbc { background: var(--paper); color: var(--ink); border-left: 4px solid var(--state); padding: 4px 10px; }",
        ".hbc b { color: var(--state); }",
        ".hbc a { color: var(--from); text-decoration: underline; } .hbc p { margin: 4px 0; }",
        ".hbc details { margin: 4px 0 4px 1em; } .hbc summary { cursor: pointer; color: var(--from); }",
        f".hbc pre {{ margin: 4px 0; color: inherit; background: none; font: 12px/1.45 {MONO}; "
        "white-space: pre; overflow-x: auto; word-break: normal; overflow-wrap: normal; }",  # JupyterLab breaks words
        ".hbc pre.prose { white-space: pre-wrap; overflow-wrap: break-word; max-width: 75ch; }",
        *(f'.hbc[data-state="{state}"] {{ --state: var(--{name}); }}' for state, name in _COLOURS.items()),
    ]
    return themed("hbc", LIGHT, DARK, rules, None)


def findings_text(source: str, found: Sequence[Diagnostic]) -> str:
    """Findings with the lines that they are about; line and column count from 1, the cell's first line left out."""
    lines, parts = source.split("\n"), []
    for finding in found:
        parts.append(finding.told(tr("line {line}:{column}", finding.line, finding.column)))
        if 0 < finding.line <= len(lines):
            parts += [f"    {lines[finding.line - 1]}", f"    {' ' * (finding.column - 1)}^"]
        parts[-1] = advised(parts[-1], finding.fix)
    return "\n".join(parts)
