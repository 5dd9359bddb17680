"""A page of HTML that needs nothing else: it forbids scripts and everything from outside by its own policy."""

from __future__ import annotations

from collections.abc import Iterable

from simulator.language import language

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def html_page(title: str, style: str, body: Iterable[str]) -> str:
    """The page in the language of the moment, its title as the first heading. style: CSS; body: lines of HTML."""
    head = (
        f'<!doctype html><html lang="{language()}"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{title}</title><style>{style}</style></head><body><main><h1>{title}</h1>",
    )
    return "\n".join([*head, *body, "</main></body></html>\n"])
