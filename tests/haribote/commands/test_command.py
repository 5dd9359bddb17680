"""Commands of haribote and grader: a user's own code that fails in whatever way is one message and status 2."""

from __future__ import annotations

import argparse
import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from haribote import kernel_table
from haribote.answers import resolve
from haribote.answers.tasks import ROOT
from haribote.commands.cli import main
from haribote.commands.command import run_command

FAILURES = {
    "raise SystemExit": "SystemExit",
    "import sys; sys.exit('bye')": "SystemExit: bye",
    "exit(0)": "SystemExit: 0",
    "raise GeneratorExit": "GeneratorExit",
    "class Own(BaseException): pass\nraise Own('mine')": "Own: mine",
    "1 / 0": "ZeroDivisionError: division by zero",
    "import no_such_module": "ModuleNotFoundError",
    "def broken(:": "SyntaxError",
}


@pytest.mark.parametrize(("text", "expected"), FAILURES.items())
@pytest.mark.parametrize("where", ["import", "call"])
def test_a_model_file_that_fails_is_one_message(
    text: str, expected: str, where: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if where == "call":
        text = "def model():\n" + "".join(f"    {line}\n" for line in text.splitlines())
    file = tmp_path / "mine.py"
    file.write_text(text)
    assert main(["export", "--model", f"{file}:model", "-o", str(tmp_path / "out")]) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and printed.err.startswith(f"haribote export: {file}:model fails")
    assert expected in printed.err and len(printed.err.splitlines()) <= 2
    assert not (tmp_path / "out").exists()


def test_a_forward_pass_that_ends_the_program_is_one_message(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "import sys\nfrom torch import nn\n"
        "class Model(nn.Linear):\n    def forward(self, x):\n        sys.exit(3)\nmodel = Model(784, 10)\n"
    )
    assert main(["export", "--model", f"{file}:model", "-o", str(tmp_path / "out")]) == 2
    assert f"the step fails at {file}:5: sys.exit(3): SystemExit: 3" in capsys.readouterr().err


def test_ctrl_c_in_a_model_file_stops(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.py").write_text("raise KeyboardInterrupt")
    assert main(["export", "--model", f"{tmp_path / 'mine.py'}:model", "-o", str(tmp_path / "out")]) == 130
    assert capsys.readouterr().err.strip() == "stopped"


@pytest.mark.parametrize("text", ["raise SystemExit", "1 / 0", "def broken(:"])
def test_a_learners_file_that_fails_is_one_message(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file of a package of the same name stands for the learner's."""
    monkeypatch.delenv("HARIBOTE_SOLUTIONS", raising=False)
    folder = tmp_path / "haribote" / "kernels"
    folder.mkdir(parents=True)
    row = next(row for row in kernel_table.KERNELS if row.name == "relu")
    (folder / f"{row.module}.py").write_text(f"\n{text}\n")
    package = importlib.import_module("haribote.kernels")
    monkeypatch.setattr(package, "__path__", [str(folder)])
    monkeypatch.delitem(sys.modules, f"haribote.kernels.{row.module}", raising=False)
    monkeypatch.setattr(resolve, "ROOT", tmp_path)
    assert main(["kernel", "relu"]) == 2
    kind = {"raise SystemExit": "SystemExit", "1 / 0": "ZeroDivisionError"}.get(text, "SyntaxError")
    message = capsys.readouterr().err
    assert message.startswith(f"haribote kernel: haribote/kernels/{row.module}.py:2: {kind}: "), message


_NOBODY = """
import importlib, os, pwd, sys
for name in ("HOME", "USER", "LOGNAME", "LNAME", "USERNAME", "XDG_CACHE_HOME", "HARIBOTE_CACHE"):
    os.environ.pop(name, None)
def unknown(number):
    raise KeyError(f"getpwuid(): uid not found: {number}")
pwd.getpwuid = unknown
module, *arguments = sys.argv[1:]
sys.exit(importlib.import_module(module).main(arguments))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="users of Unix")
@pytest.mark.parametrize(
    ("command", "status", "said"),
    [
        (
            ["haribote.commands.cli", "export", "-o", "a step", "--batch", "64"],
            0,
            "next: haribote compile 'a step' --backend",
        ),
        (["grader.cli", "list"], 0, "points"),
        (["grader.cli", "submit"], 2, "the system does not know your name\n    try: --id NAME"),
    ],
)
def test_a_user_without_home_and_passwd_entry(command: list[str], status: int, said: str, tmp_path: Path) -> None:
    environment = os.environ | {"TMPDIR": str(tmp_path), "PYTHONPATH": str(resolve.ROOT)}
    run = [sys.executable, "-c", _NOBODY, *command]
    done = subprocess.run(run, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == status and said in done.stdout + done.stderr and "Traceback" not in done.stderr


def test_ctrl_c_while_the_parser_is_made_stops(capsys: pytest.CaptureFixture[str]) -> None:
    def parser() -> argparse.ArgumentParser:
        raise KeyboardInterrupt

    assert run_command(parser) == 130
    assert capsys.readouterr().err == "\nstopped\n"


def test_a_command_begins_without_torch_and_matplotlib() -> None:
    """So it starts at once, and what bash completes does; what needs them imports them."""
    code = "import sys; from haribote.commands.cli import _parser; _parser(); "
    code += "print({'torch', 'matplotlib'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout == "set()\n", done.stderr
