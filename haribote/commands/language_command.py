"""`haribote language`: which language people are spoken to in, kept for this user and all tools."""

from __future__ import annotations

import os
from pathlib import Path

from haribote.errors import HariboteError
from simulator.files import write_file
from simulator.language import LANGUAGES, VARIABLE, edition, language, open_notebook, spoken
from simulator.messages import Text, tr
from simulator.preferences import FILE, config_folder, forget, kept_language

NAMES = {"en": "English", "ja": "日本語"}


def language_command(chosen: str | None) -> str:
    """Keep a language, and say so in it; without one say which it is, and why. Raises HariboteError where nothing can
    be kept.
    """
    if chosen is None:
        return tr("{name} ({code}), {why}", NAMES[language()], language(), _why())
    path = keep_language(chosen)
    if path is None:
        raise HariboteError(tr("there is no home folder to keep a language in"), f"{VARIABLE}={chosen}")
    with spoken(chosen):
        said = tr("from now on all tools speak {name}; kept in {path}", NAMES[chosen], path)
        named = os.environ.get(VARIABLE)
        if named and named != chosen:
            said += "\n" + tr("but {variable}={named} is set here, and comes first", VARIABLE, named)
        return said


def keep_language(chosen: str) -> Path | None:
    """Keep a language for this user; where, or None where there is no place for it.

    Raises SimulatorError, OSError where it cannot be written.
    """
    folder = config_folder()
    if folder is None:
        return None
    folder.mkdir(parents=True, exist_ok=True)
    write_file(folder / FILE, f"{chosen}\n".encode())
    forget()
    return folder / FILE


def _why() -> str:
    if os.environ.get(VARIABLE):
        return tr("since {variable} says so", VARIABLE)
    if edition(open_notebook()):
        return tr("since the notebook is")
    if kept_language(LANGUAGES):
        return tr("as chosen; kept in {folder}", config_folder())
    other = next(code for code in LANGUAGES if code != language())
    return Text("as nothing was chosen; another: haribote language {other}", {"other": other}).said()
