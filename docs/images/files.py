"""Names of the pictures."""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).parent


def path(name: str, language: str, ending: str) -> Path:
    """`cut.svg`, and `cut.ja.svg` in Japanese."""
    return HERE / (f"{name}.{ending}" if language == "en" else f"{name}.{language}.{ending}")
