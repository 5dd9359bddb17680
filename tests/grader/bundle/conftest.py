"""A registry of small wheels."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.bundle import wheels
from grader.bundle.wheels import System
from tests.grader.bundle.small_wheels import make_wheel


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """A registry of four packages instead of pip's; torch is only there for Linux."""
    known = {
        "torch": ("2.13.0", ["helper[fast]>=1", 'colours; sys_platform == "win32"']),
        "helper": ("1.5", ['quick; extra == "fast"', 'never; extra == "slow"']),
        "quick": ("3", []),
        "colours": ("0.4", []),
    }

    def pip(requirements: list[str], system: System, folder: Path) -> str:
        for requirement in requirements:
            name = requirement.split("=")[0].split(">")[0]
            if name not in known or (name == "torch" and system.name != "linux-x86_64"):
                return f"ERROR: No matching distribution found for {requirement}"
        for requirement in requirements:
            name = requirement.split("=")[0].split(">")[0]
            make_wheel(folder, name, known[name][0], *known[name][1])
        return ""

    monkeypatch.setattr(wheels, "_pip", pip)
