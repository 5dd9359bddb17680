"""`haribote language ja`: kept for the user, below what the environment and the notebook say."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from haribote.commands.cli import main
from haribote.commands.language_command import keep_language
from simulator.console import run_guarded
from simulator.language import language

TEXTS = ("LC_ALL", "LC_MESSAGES", "LANG")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user who has chosen nothing, on an English system."""
    for name in ("HARIBOTE_LANG", "JPY_SESSION_NAME", "COMP_LINE", *TEXTS):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HARIBOTE_CONFIG", str(tmp_path / "config"))
    return tmp_path


def test_one_command_makes_all_tools_japanese(capsys: pytest.CaptureFixture[str], home: Path) -> None:
    assert language() == "en"
    assert main(["language", "ja"]) == 0
    assert str(home / "config" / "language") in capsys.readouterr().out
    assert language() == "ja"
    assert main(["language"]) == 0
    assert capsys.readouterr().out.startswith("日本語")
    assert main(["language", "en"]) == 0 and language() == "en"


def test_the_environment_and_an_edition_come_first(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep_language("ja")
    (home / "a.ja.ipynb").touch()
    monkeypatch.setenv("JPY_SESSION_NAME", str(home / "a.ipynb"))
    assert language() == "en"
    monkeypatch.setenv("JPY_SESSION_NAME", str(home / "own.ipynb"))
    assert language() == "ja"
    monkeypatch.setenv("HARIBOTE_LANG", "en")
    assert language() == "en"


def test_vs_code_names_its_notebook_among_the_names_of_its_cells(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shell = SimpleNamespace(user_ns={"__vsc_ipynb_file__": str(home / "01_trace.ja.ipynb")})
    ipython = ModuleType("IPython")
    monkeypatch.setattr(ipython, "get_ipython", lambda: shell, raising=False)
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    assert language() == "ja"
    shell.user_ns = {}
    assert language() == "en"


@pytest.mark.parametrize("content", ["", "fr\n", "ja" * 99, "\x00\xff"])
def test_what_is_kept_and_is_no_language_counts_for_nothing(content: str, home: Path) -> None:
    (home / "config").mkdir()
    (home / "config" / "language").write_text(content, encoding="utf-8")
    assert language() == "en"


def test_a_place_that_cannot_be_written_is_one_message(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / "config").write_text("")
    assert main(["language", "ja"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("haribote language: ") or "config" in said
    assert "Traceback" not in said and language() == "en"


@pytest.mark.parametrize(
    ("locale", "kept", "named", "terminal", "offered"),
    [
        ("ja_JP.UTF-8", "", "", True, True),
        ("ja_JP.UTF-8", "en", "", True, False),
        ("ja_JP.UTF-8", "", "en", True, False),
        ("ja_JP.UTF-8", "", "", False, False),
        ("en_US.UTF-8", "", "", True, False),
        ("", "", "", True, False),
    ],
)
def test_a_japanese_system_is_offered_japanese_until_a_language_is_chosen(
    locale: str, kept: str, named: str, terminal: bool, offered: bool,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setenv("LANG", locale)
    if kept:
        keep_language(kept)
    if named:
        monkeypatch.setenv("HARIBOTE_LANG", named)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal, raising=False)
    assert run_guarded(lambda: 0) == 0
    said = capsys.readouterr().err
    assert ("haribote language ja" in said) is offered and len(said.splitlines()) == offered
