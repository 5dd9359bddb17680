"""Which language people are spoken to in: `HARIBOTE_LANG`, else that of the notebook that is open, else what
`haribote language` keeps, else English.

Never by chance: the settings of the system only make an offer (simulator/console.py).
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import Any

from simulator.preferences import kept_language

LANGUAGES = ("en", "ja")
VARIABLE = "HARIBOTE_LANG"
REFUSALS: list[Callable[[str, str], Exception]] = [ValueError]
"""The last one makes what is raised, from what is wrong and what to try: LanguageError of simulator/errors.py, whose
messages ask for the language.
"""
_spoken: ContextVar[str] = ContextVar("_spoken", default="")


def language() -> str:
    """One of LANGUAGES. Raises LanguageError."""
    if _spoken.get():
        return _spoken.get()
    chosen = os.environ.get(VARIABLE, "")
    if chosen and chosen not in LANGUAGES:
        names = ", ".join(LANGUAGES)
        raise REFUSALS[-1](f"{VARIABLE} is {chosen!r}", f"one of {names}, or leave it out")
    return chosen or edition(open_notebook()) or kept_language(LANGUAGES) or "en"


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


def ipython_shell() -> Any:
    """The shell of IPython that runs us, as in a notebook, or None; IPython is not imported for the question."""
    ipython = sys.modules.get("IPython")  # whoever runs a notebook has imported it
    return ipython.get_ipython() if ipython is not None and hasattr(ipython, "get_ipython") else None


def open_notebook() -> str:
    """The notebook that this process is the kernel of: JupyterLab names it in the environment, VS Code among the
    names of its cells. "" where there is none.
    """
    if named := os.environ.get("JPY_SESSION_NAME"):
        return named
    named = getattr(ipython_shell(), "user_ns", {}).get("__vsc_ipynb_file__", "")
    return named if isinstance(named, str) else ""


@cache
def edition(notebook: str) -> str:
    """The language of a notebook that there is in several languages; "" for any other, such as one's own."""
    found = language_of(notebook)
    if found != "en" or not notebook.endswith(".ipynb"):
        return "" if found == "en" else found
    stem = notebook.removesuffix(".ipynb")
    return "en" if any(Path(f"{stem}.{other}.ipynb").is_file() for other in LANGUAGES) else ""


def language_of(notebook: str) -> str:
    """The language of an edition such as 01_trace.ja.ipynb; English where its name says none."""
    parts = notebook.rsplit(".", 2)
    return parts[1] if len(parts) == 3 and parts[1] in LANGUAGES and parts[2] == "ipynb" else "en"


def digest(text: str) -> str:
    """What a translation names its original by: 8 hexadecimal digits that do not depend on where lines break."""
    return hashlib.sha256(" ".join(text.split()).encode()).hexdigest()[:8]
