"""What commands print to: an output that shows little, is full, closed, or whose reader has left."""

from __future__ import annotations

import argparse
import io
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from benchmarks.fuzz import search as fuzz
from grader.cli import main as grader
from haribote.commands.cli import main as haribote
from simulator.__main__ import main as simulator
from simulator.console import MISTAKE, Parser, run_guarded, seed
from simulator.errors import SimulatorError
from simulator.explain import isa_page

ROOT = Path(__file__).resolve().parents[2]
unix = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")

SIMULATOR = [sys.executable, "-m", "simulator"]
HARIBOTE = [sys.executable, "-m", "haribote.commands.cli"]
GRADER = [sys.executable, "-m", "grader"]
LONG = {
    "simulator": [*SIMULATOR, "check", "many.vsm"],
    "simulator --help": [*SIMULATOR, "check", "--help"],
    "simulator --version": [*SIMULATOR, "--version"],
    "haribote": [*HARIBOTE, "kernel", "--list"],
    "grader": [*GRADER, "list"],
}
EACH = [pytest.param(name, marks=[pytest.mark.slow] if name in ("haribote", "grader") else []) for name in LONG]
"""All go through the same function; these two take seconds to start."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("commands")
    (folder / "many.vsm").write_text("nonsense\n" * 1200)
    (folder / "café.vsm").write_text('imm f"1" $lr0  # ✓ 数\nd getf $lr0n0c0b0m0p0 1 # ✓\n', encoding="utf-8")
    return folder


def run(
    command: Sequence[str], folder: Path, shell: str = "", **environment: str
) -> subprocess.CompletedProcess[bytes]:
    """Run a command, `shell` behind it, as a learner's shell would; its solutions stand for the learner's files."""
    variables = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "HARIBOTE_SOLUTIONS": "1",
        "PYTHONUNBUFFERED": "",
        **environment,
    }
    line = ["sh", "-c", f'"$@" {shell}', "sh", *command] if shell else list(command)
    return subprocess.run(line, cwd=folder, env=variables, capture_output=True, check=False, timeout=120)


@pytest.mark.some(1)
@unix
@pytest.mark.parametrize("name", EACH)
@pytest.mark.parametrize(
    ("shell", "message"),
    [("> /dev/full", b"cannot write the output: No space left on device"), (">&-", b"the standard output is closed")],
)
def test_a_full_or_closed_output_is_one_message(name: str, shell: str, message: bytes, folder: Path) -> None:
    done = run(LONG[name], folder, shell)
    assert done.returncode == MISTAKE, done.stderr
    assert message in done.stderr
    assert b"Traceback" not in done.stderr and b"Exception ignored" not in done.stderr
    assert done.stderr.count(b"\n") == 2  # the message and what to try


@unix
@pytest.mark.parametrize("option", ["--version", "--help"])
def test_what_python_itself_prints_and_does_not_hold_back_is_no_other(option: str, folder: Path) -> None:
    done = run([*SIMULATOR, option], folder, "> /dev/full", PYTHONUNBUFFERED="1")
    assert (done.returncode, done.stderr.count(b"\n")) == (MISTAKE, 2), done.stderr
    assert b"cannot write the output: No space left on device" in done.stderr


@pytest.mark.some(1)
@unix
@pytest.mark.parametrize("name", EACH)
def test_a_reader_that_leaves_early_is_no_error(name: str, folder: Path) -> None:
    """`true` reads nothing, so that the command always writes to a pipe that nobody reads."""
    done = run(LONG[name], folder, "; echo $? >&2")
    assert done.returncode == 0
    left = run(["sh", "-c", '{ "$@"; echo $? >&3; } 3>&2 | true', "sh", *LONG[name]], folder)
    assert left.stderr.splitlines()[-1] == b"0", left.stderr
    assert b"Traceback" not in left.stderr and b"BrokenPipe" not in left.stderr and b"ignored" not in left.stderr


@pytest.mark.slow
@unix
def test_a_full_or_closed_error_output_keeps_the_status(folder: Path) -> None:
    for shell in ("2> /dev/full", "2>&-"):
        done = run([*SIMULATOR, "run", "none.vsm"], folder, shell)
        assert (done.returncode, done.stdout, done.stderr) == (MISTAKE, b"", b"")


@pytest.mark.parametrize("encoding", ["cp932", "cp1252", "ascii", "latin-1"])
@pytest.mark.parametrize(
    ("main", "arguments"),
    [
        (grader, ["list"]),
        (haribote, ["infer", "né✓.png", "--backend", "torch", "--checkpoint", "✓/数.npz"]),
        (simulator, ["check", "café.vsm"]),
        (simulator, ["check", "café.vsm", "--fix-nops"]),
        (simulator, ["run", "no-✓-数.vsm"]),
        (isa_page.main, []),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, list) else value.__module__,
)
def test_an_encoding_with_few_characters_replaces_the_others(
    main: Callable[[list[str]], int], arguments: list[str], encoding: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    found = {}
    for name in ("utf-8", encoding):
        output, errors = (io.TextIOWrapper(io.BytesIO(), name, errors="strict") for _ in range(2))
        monkeypatch.setattr(sys, "stdout", output)
        monkeypatch.setattr(sys, "stderr", errors)
        status = main(arguments)
        output.flush(), errors.flush()
        found[name] = (status, *(stream.buffer.getvalue() for stream in (output, errors)))  # type: ignore[attr-defined]
    status, *texts = found["utf-8"]
    assert found[encoding] == (status, *(text.decode().encode(encoding, "replace") for text in texts))
    assert not all(text.decode().isascii() for text in texts)


@pytest.mark.slow
def test_a_redirected_output_of_windows_shows_the_list(folder: Path) -> None:
    done = run([*GRADER, "list"], folder, PYTHONIOENCODING="cp1252", PYTHONUTF8="0")
    assert done.returncode == 0 and b"points" in done.stdout and b"Traceback" not in done.stderr


@pytest.mark.slow
def test_in_the_c_locale_commands_print(folder: Path) -> None:
    done = run([*GRADER, "list"], folder, LC_ALL="C", PYTHONCOERCECLOCALE="0", PYTHONUTF8="0")
    assert done.returncode == 0 and b"points" in done.stdout and b"Traceback" not in done.stderr


def test_trouble_with_a_file_is_a_message(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert run_guarded(lambda: len((tmp_path / "none").read_text())) == 2
    assert capsys.readouterr().err.startswith(f"cannot use {tmp_path / 'none'}: No such file or directory\n    try: ")

    def mistake() -> int:
        raise SimulatorError("yours")

    assert run_guarded(mistake) == 2
    assert capsys.readouterr().err == "yours\n"
    assert run_guarded(lambda: 1) == 1
    with pytest.raises(ZeroDivisionError):  # ours: a traceback helps
        run_guarded(lambda: 1 // 0)
    with pytest.raises(SystemExit):
        run_guarded(lambda: argparse.ArgumentParser().parse_args(["x"]) and 0)


def test_a_seed_is_not_negative(capsys: pytest.CaptureFixture[str]) -> None:
    assert seed("0") == 0 and seed("123") == 123
    for text in ("-1", str(2**63), "1" * 400):
        with pytest.raises(argparse.ArgumentTypeError, match="must be from 0 to"):
            seed(text)
    for main, arguments in (
        (haribote, ["train", "--backend", "torch"]),
        (grader, ["check", "0.1"]),
        (grader, ["grade", "."]),
        (fuzz.main, ["--seconds", "0"]),
    ):
        with pytest.raises(SystemExit, match="2"):
            main([*arguments, "--seed=-1"])
        assert "argument --seed: must be from 0" in capsys.readouterr().err


def test_a_command_that_is_spelled_nearly_right_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    parser = Parser(prog="tool")
    commands = parser.add_subparsers(metavar="COMMAND")
    for name in ("check", "list"):
        commands.add_parser(name)
    for word, meant in (("chek", True), ("quite-another", False)):
        with pytest.raises(SystemExit) as stop:
            parser.parse_args([word])
        assert stop.value.code == 2
        assert ("did you mean `tool check`?" in capsys.readouterr().err) is meant
