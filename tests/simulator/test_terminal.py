"""Colours and folded tables where the output is a terminal, and only there."""

from __future__ import annotations

import io
import os
import subprocess
import sys

import pytest

from simulator.columns import aligned, columns
from simulator.messages import say
from simulator.terminal import ROLES, RoleLine, folded, painted


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def colourful(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "COLORTERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")


def said(line: str, stream: io.StringIO) -> str:
    say(line, file=stream)
    return stream.getvalue()


@pytest.mark.parametrize("role", ROLES)
def test_a_line_has_the_colour_of_its_role_on_a_terminal_alone(role: str) -> None:
    coloured = said(RoleLine("so it is\nand so on", role), Terminal())
    assert coloured.count("\x1b[0m") == 2 and coloured.startswith("\x1b[") and "so it is" in coloured
    assert said(RoleLine("so it is", role), io.StringIO()) == "so it is\n"


def test_marks_have_colours_wherever_they_stand() -> None:
    assert said("a ✓ b ✗ c", Terminal()) == "a \x1b[32m✓\x1b[0m b \x1b[31m✗\x1b[0m c\n"
    assert said("a ✓ b ✗ c", io.StringIO()) == "a ✓ b ✗ c\n"
    assert said("none", Terminal()) == "none\n"


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_who_wants_no_colours_gets_none(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, value)
    assert said(RoleLine("wrong ✗", "bad"), Terminal()) == "wrong ✗\n"


def test_what_a_name_would_make_a_terminal_do_is_still_shown() -> None:
    assert said(RoleLine("a\x1b[2Jb", "bad"), Terminal()) == "\x1b[31ma\\x1b[2Jb\x1b[0m\n"


def test_a_closed_stream_is_no_terminal() -> None:
    stream = io.StringIO()
    stream.close()
    assert painted("✓", "", stream) == "✓"


ROWS = [
    ("name", "what it does", "cycles"),
    ("softmax", "a rather long text that is wider than what is left of eighty columns beside the others", "1,952"),
    ("正解率", "日本語の長い説明も、桁の中で折り返されて、ほかの列にはみ出しません。全角は2桁に数えます", "16"),
    ("a.name.that.is.long.but.whole", "[bold]no markup[/bold] :smile:", "4"),
]


@pytest.mark.parametrize("width", [80, 60, 48])
def test_tables_are_folded_by_column_and_lose_nothing(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", Terminal())
    monkeypatch.setenv("COLUMNS", str(width))
    lines = aligned(ROWS, rights=[2])
    assert max(map(columns, lines)) <= width < max(map(columns, aligned_in_a_pipe()))
    for row in ROWS:
        for cell in row:
            assert set(cell) - {" "} <= set("".join(lines))
    assert sum(len("".join(line.split())) for line in lines) == sum(len("".join(c.split())) for r in ROWS for c in r)
    assert lines[1].endswith("1,952")


def aligned_in_a_pipe() -> list[str]:
    before, sys.stdout = sys.stdout, io.StringIO()
    try:
        return aligned(ROWS, rights=[2])
    finally:
        sys.stdout = before


def test_a_table_that_fits_is_as_in_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", Terminal())
    monkeypatch.setenv("COLUMNS", "200")
    assert aligned(ROWS, rights=[2]) == aligned_in_a_pipe()
    assert folded([("a", "b")], 20) == ["a  b"]


def test_a_pipe_does_not_load_what_a_terminal_needs() -> None:
    code = "import sys; from simulator.messages import say; say('✗'); sys.exit('rich' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, env=os.environ | {"PYTHONUTF8": "1"})
    assert done.returncode == 0 and done.stdout.decode().strip() == "✗"
