"""The programs of docs/frontends/lazy.md, as the page has them."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

PAGE = Path(__file__).resolve().parents[3] / "docs" / "frontends" / "lazy.md"


@cache
def programs() -> Any:
    """The names that the page's code defines, after running all of it."""
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    names: dict[str, Any] = {}
    exec(compile("\n".join(blocks), str(PAGE), "exec"), names)  # our own page
    return SimpleNamespace(**names)
