"""Show a page that was written to a file."""

from __future__ import annotations

import webbrowser
from pathlib import Path


def open_page(path: Path, anchor: str = "") -> bool:
    """Ask the system's browser to show a file; whether there is one."""
    try:
        return webbrowser.open(path.resolve().as_uri() + (f"#{anchor}" if anchor else ""))
    except webbrowser.Error:
        return False
