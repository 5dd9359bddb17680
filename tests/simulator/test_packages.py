"""Without a package that we need there is a message, not a traceback."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from simulator.packages import missing_packages_told

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(("module", "package"), [("haribote", "onnx"), ("grader", "numpy")])
def test_a_python_without_a_package(module: str, package: str) -> None:
    code = f"import runpy, sys; sys.modules[{package!r}] = None; sys.argv = ['x', 'list']; "
    code += f"runpy.run_module({module!r}, run_name='__main__')"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "Traceback" not in done.stderr, done.stderr
    assert f"the package {package} is not there for this Python, {sys.executable}" in done.stderr
    assert "\n    try: `make setup`" in done.stderr


@pytest.mark.parametrize("name", ["haribote.nowhere", "sqlite3", None])
def test_what_is_no_package_is_raised(name: str | None) -> None:
    with pytest.raises(ModuleNotFoundError), missing_packages_told():
        raise ModuleNotFoundError("it is not there", name=name)


def test_ctrl_c_while_packages_are_loaded_stops(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended, missing_packages_told():
        raise KeyboardInterrupt
    assert ended.value.code == 130
    assert capsys.readouterr().err == "\nstopped\n"
