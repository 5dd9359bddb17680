"""Which language people are spoken to in: `HARIBOTE_LANG`, else that of the notebook that is open, else English.

Never by chance: the settings of the system say nothing.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar

LANGUAGES = ("en", "ja")
VARIABLE = "HARIBOTE_LANG"
_spoken: ContextVar[str] = ContextVar("_spoken", default="")


def language() -> str:
    """One of LANGUAGES. Raises LanguageError."""
    if _spoken.get():
        return _spoken.get()
    chosen = os.environ.get(VARIABLE, "")
    if chosen and chosen not in LANGUAGES:
        from simulator.errors import LanguageError  # whose message asks for the language

        names = ", ".join(LANGUAGES)
        raise LanguageError(f"{VARIABLE} is {chosen!r}", f"one of {names}, or leave it out")
    return chosen or language_of(os.environ.get("JPY_SESSION_NAME", ""))  # in which Jupyter names a kernel's notebook


def language_or_english() -> str:
    """The same for the message that says that there is no such language."""
    chosen = _spoken.get() or os.environ.get(VARIABLE, "")
    return language() if not chosen or chosen in LANGUAGES else "en"


@contextmanager
def spoken(chosen: str) -> Iterator[None]:
    """Inside, everything is in this language."""
    before = _spoken.set(chosen)
    try:
        yield
    finally:
        _spoken.reset(before)


def in_english() -> AbstractContextManager[None]:
    """Inside, everything is in English: for what is stored and shown to others later, such as pictures in verdicts."""
    return spoken("en")


def language_of(notebook: str) -> str:
    """The language of an edition such as 01_trace.ja.ipynb; English where its name says none."""
    parts = notebook.rsplit(".", 2)
    return parts[1] if len(parts) == 3 and parts[1] in LANGUAGES and parts[2] == "ipynb" else "en"


def digest(text: str) -> str:
    """What a translation names its original by: 8 hexadecimal digits that do not depend on where lines break."""
    return hashlib.sha256(" ".join(text.split()).encode()).hexdigest()[:8]
