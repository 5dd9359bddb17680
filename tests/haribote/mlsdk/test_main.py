"""`python -m haribote.mlsdk SCRIPT.py`: what the script sees, and its errors."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from haribote.mlsdk.__main__ import main
from haribote.mlsdk.interface import SUBMODULES


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", [*sys.argv])
    monkeypatch.setattr(sys, "path", [*sys.path])
    for name in ("mlsdk", *(f"mlsdk.{part}" for part in SUBMODULES)):
        monkeypatch.setitem(sys.modules, name, None)


def script(folder: Path, text: str) -> str:
    path = folder / "program.py"
    path.write_text(text)
    return str(path)


def test_the_script_is_main_with_arguments_and_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "beside.py").write_text("word = 'beside'")
    text = """
import sys
import mlsdk
import mlsdk.storage as kept
from mlsdk import storage
import beside
print(__name__, sys.argv[1:], beside.word, mlsdk.__name__, kept is storage is mlsdk.storage)
"""
    assert main([script(tmp_path, text), "--a", "1"]) == 0
    assert capsys.readouterr().out == "__main__ ['--a', '1'] beside haribote.mlsdk True\n"


def test_parts_are_imported_by_the_vendors_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = """
import mlsdk.experimental.llm.attention_mask
from mlsdk.experimental.llm import kv_cache
from mlsdk.experimental.llm.kv_cache import kv_cache_to_tensor
print(kv_cache.kv_cache_to_tensor is kv_cache_to_tensor, mlsdk.experimental.llm.attention_mask.__name__)
"""
    assert main([script(tmp_path, text)]) == 0
    assert capsys.readouterr().out == "True haribote.mlsdk.experimental.llm.attention_mask\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("from mlsdk import Contxt", "program.py:1: mlsdk has no 'Contxt' here\n    try: Context\n"),
        ("import mlsdk.profiler", "program.py:1: mlsdk has no 'profiler' here"),
        ("import mlsdk.experimental.llm.sampling", "mlsdk.experimental.llm has no 'sampling' here"),
        ("import mlsdk\n\nmlsdk.fuse()", "program.py:3: mlsdk has no 'fuse' here"),
        ("import mlsdk\nmlsdk.MNDevice('pfvm:cuda')", "program.py:2: MNDevice: 'pfvm:cuda' needs an NVIDIA GPU"),
        ("import mlsdk\nmlsdk.MNDevice('mncore2:8')", "a chip is named auto, or by a number from 0 to 7"),
        ("import mlsdk\nmlsdk.MNDevice('cpu')", "there is no device 'cpu'"),
    ],
)
def test_what_is_missing_is_one_message(
    text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([script(tmp_path, text)]) == 2
    error = capsys.readouterr().err
    assert message in error and "Traceback" not in error


def test_an_error_of_the_script_shows_its_own_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([script(tmp_path, "def f():\n    return 1 / 0\nf()")]) == 1
    error = capsys.readouterr().err
    assert error.startswith("Traceback") and "line 3" in error and "runpy" not in error


def test_the_scripts_own_exit_status(tmp_path: Path) -> None:
    with pytest.raises(SystemExit) as found:
        main([script(tmp_path, "raise SystemExit(7)")])
    assert found.value.code == 7


def test_no_script(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nowhere.py"]) == 2 and "there is no script nowhere.py" in capsys.readouterr().err
    assert main([]) == 2 and "usage: python -m haribote.mlsdk SCRIPT.py" in capsys.readouterr().out


@pytest.mark.parametrize("content", [b"\x00\x01", b"def f(:\n", b"\xff\xfe"])
def test_a_file_that_is_no_python(content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "script.py"
    script.write_bytes(content)
    assert main([str(script)]) == 2
    said = capsys.readouterr().err
    assert "is no Python" in said and "Traceback" not in said
