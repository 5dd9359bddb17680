"""What the scripts and pages of browsers say, in the language of the moment.

A script asks for a text by `_("{count} lines", { count: 3 })`; a page has `{{Program}}` where one stands. A script
has a `_` of its own, and gets the translations of what it asks for with the page that it is part of: none in English.

In catalogues these messages have a context, PAGE: short as they are, no other text may be found by their form.
"""

from __future__ import annotations

import json
import re

from simulator import messages
from simulator.language import language

PAGE = "page"
"""The context of these messages in a catalogue; gettext puts it before them, with END_OF_CONTEXT between."""
END_OF_CONTEXT = "\x04"
_ASKED = re.compile(r'(?<![\w$.])_\(\s*("(?:[^"\\\n]|\\.)*")')
_STANDING = re.compile(r"\{\{(.+?)\}\}", re.DOTALL)


def in_script(script: str) -> list[str]:
    """The messages that a script asks for, each once."""
    return list(dict.fromkeys(json.loads(text) for text in _ASKED.findall(script)))


def in_page(page: str) -> list[str]:
    """The messages that stand in the text of a page, each once."""
    return list(dict.fromkeys(_on_one_line(text) for text in _STANDING.findall(page)))


def script_texts(script: str) -> dict[str, str]:
    """English to translated, of what a script asks for; nothing in English. Raises LanguageError."""
    known = _known()
    return {text: known[text] for text in in_script(script) if text in known}


def filled(page: str) -> str:
    """A page with its texts in the language of the moment. Raises LanguageError."""
    known = _known()
    return _STANDING.sub(lambda place: known.get(_on_one_line(place[1]), place[1]), page)


def _known() -> dict[str, str]:
    """All messages of pages, English to translated."""
    into, before = language(), PAGE + END_OF_CONTEXT
    if into == "en":
        return {}
    found: dict[str, str] = {}
    for domain, folder in messages.FOLDERS.items():
        found |= messages.texts(domain, folder, into)
    return {text.removeprefix(before): said for text, said in found.items() if text.startswith(before)}


def _on_one_line(text: str) -> str:
    return " ".join(text.split())
