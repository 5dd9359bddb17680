"""Command lines: what is printed can be copied into a shell."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from simulator import shell
from simulator.shell import command_line

NAMES = ("plain", "two words", "it's", "$HOME", "a;b", "*", "-o", "")


def test_a_printed_command_gives_its_words_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shell, "WINDOWS", False)
    assert shlex.split(command_line("haribote", *NAMES, Path("a b/c"))) == ["haribote", *NAMES, "a b/c"]
    assert command_line("haribote", "view", Path("step/model.onnx")) == "haribote view step/model.onnx"
    monkeypatch.setattr(shell, "WINDOWS", True)
    assert command_line("haribote", "view", r"C:\my files\a.onnx") == r'haribote view "C:\my files\a.onnx"'
