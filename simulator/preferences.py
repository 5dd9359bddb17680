"""What a user has chosen for all that they start later: the language, in a small file of their own.

Where it is: HARIBOTE_CONFIG, else XDG_CONFIG_HOME and the like as is usual on the system. A user without a home folder
has nothing kept.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from simulator.cache import home_folder

VARIABLE = "HARIBOTE_CONFIG"
FILE = "language"
_DECIDING = (VARIABLE, "XDG_CONFIG_HOME", "APPDATA", "HOME")
_MOST_BYTES = 64  # of the file; what is longer is not ours


def config_folder() -> Path | None:
    """The folder for what users choose; it need not exist yet. None where there is no place for it."""
    if chosen := os.environ.get(VARIABLE):
        return Path(chosen)
    if named := os.environ.get("XDG_CONFIG_HOME"):
        return Path(named) / "haribote"
    if sys.platform == "win32" and (roaming := os.environ.get("APPDATA")):
        return Path(roaming) / "haribote"
    home = home_folder()
    if home is None:
        return None
    return home / ("Library/Application Support" if sys.platform == "darwin" else ".config") / "haribote"


def kept_language(known: Sequence[str]) -> str:
    """The language that was chosen, one of those known; "" where none was."""
    found = _read(*(os.environ.get(name) for name in _DECIDING))
    return found if found in known else ""


def is_japanese_here() -> bool:
    """Whether the settings of the system ask for Japanese."""
    named = next((os.environ[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if os.environ.get(name)), "")
    if named or sys.platform != "win32":
        return named.lower().startswith("ja")
    import ctypes  # the language of Windows itself, which sets no such variables

    kernel = getattr(ctypes, "windll").kernel32  # noqa: B009 - it is there on Windows alone
    return bool(kernel.GetUserDefaultUILanguage() & 0x3FF == 0x11)


def forget() -> None:
    """Read what is kept anew when it is asked for next."""
    _read.cache_clear()


@cache
def _read(*_: str | None) -> str:
    """What is kept, read once for each place where the environment says that it is."""
    folder = config_folder()
    try:
        with (folder or Path(os.devnull)).joinpath(FILE).open("rb") as file:
            return file.read(_MOST_BYTES).decode("ascii", "replace").strip()
    except OSError:
        return ""
