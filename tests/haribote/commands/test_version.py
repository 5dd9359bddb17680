"""Every command line says which version it is."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import version

import pytest

import grader.cli
import haribote.commands.cli
import simulator.__main__


@pytest.mark.parametrize(
    ("main", "name"),
    [
        (haribote.commands.cli.main, "haribote"),
        (grader.cli.main, "grader"),
        (simulator.__main__.main, "python -m simulator"),
    ],
)
def test_version(main: Callable[[Sequence[str]], int], name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0 and capsys.readouterr().out == f"{name}, of haribote {version('haribote')}\n"


@pytest.mark.some(1)
@pytest.mark.parametrize("package", ["haribote", "grader", "simulator"])
def test_each_runs_as_a_module_too(package: str) -> None:
    done = subprocess.run([sys.executable, "-m", package, "--version"], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "") and done.stdout.endswith(f"of haribote {version('haribote')}\n")
