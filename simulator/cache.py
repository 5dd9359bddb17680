"""Where things are kept that can be made again: the native engine, built C++, the data set, verdicts.

One rule for all of them: HARIBOTE_CACHE, else XDG_CACHE_HOME and the like as is usual on the system, else, for a user
without a home folder, a folder of their own among the temporary ones.
"""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from pathlib import Path

VARIABLE = "HARIBOTE_CACHE"
DAMAGED = (OSError, ValueError, KeyError, TypeError, RecursionError)
"""What reading a JSON file of the cache raises where it is not there, or not as we write it: it is made again."""


def cache_folder() -> Path:
    """The folder for all that we keep between runs; it need not exist yet."""
    if chosen := os.environ.get(VARIABLE):
        return Path(chosen)
    if named := os.environ.get("XDG_CACHE_HOME"):
        return Path(named) / "haribote"
    if sys.platform == "win32" and (local := os.environ.get("LOCALAPPDATA")):
        return Path(local) / "haribote" / "cache"
    home = home_folder()
    if home is None:
        return _temporary()
    return home / ("Library/Caches" if sys.platform == "darwin" else ".cache") / "haribote"


def home_folder() -> Path | None:
    """The user's home folder, or None: HOME may name nothing, and a container's user may not be in the passwd file."""
    try:
        home = Path.home()
    except RuntimeError:
        return None
    return home if home.is_dir() else None


def _temporary() -> Path:
    """A folder below the temporary one that is this user's alone: libraries are loaded from it."""
    user = os.getuid() if hasattr(os, "getuid") else "user"
    folder = Path(tempfile.gettempdir()) / f"haribote-{user}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
        own = stat.S_ISDIR(found.st_mode) and found.st_uid == user and not found.st_mode & 0o022
    except OSError:
        own = False
    return folder if own or sys.platform == "win32" else Path(tempfile.mkdtemp(prefix="haribote-"))
