"""Building the native engine: cache, two processes at once, damage, and no compiler."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from simulator import Machine
from simulator.engine import native
from simulator.engine.native import build, engine, records

needs_compiler = pytest.mark.skipif(not native.available(), reason="no C++ compiler")

# Without optimisation the engine compiles in a fraction of the time.
RUN = """
from simulator import Machine, assemble
from simulator.engine.native import build
build.FLAGS = tuple(flag for flag in build.FLAGS if flag != "-O3")
machine = Machine(engine="native")
machine.lm0[0] = 5
machine.run(assemble("iinc $m0 $n0"))
print(machine.engine, machine.lm1[0, 0])
"""


BUILDING = re.compile(r"building the simulator's native engine with \S+, once: some 10 s if idle\nbuilt in \d+ s: .*\n")


def run(cache: Path, **environment: str) -> subprocess.Popen[str]:
    variables = {**os.environ, "HARIBOTE_CACHE": str(cache), **environment}
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, "-c", RUN], env=variables, stdout=pipe, stderr=pipe, text=True)


def finish(process: subprocess.Popen[str]) -> tuple[str, str]:
    output, errors = process.communicate(timeout=240)
    assert process.returncode == 0, errors
    return output.strip(), errors


def libraries(cache: Path) -> list[Path]:
    return sorted(path for path in cache.iterdir() if path.suffix in (".so", ".dylib"))


@pytest.mark.slow
@needs_compiler
def test_two_processes_build_at_once_and_damage_is_repaired(tmp_path: Path) -> None:
    processes = [run(tmp_path), run(tmp_path)]
    for output, told in map(finish, processes):
        assert output == "native 6" and BUILDING.fullmatch(told), told
    (library,) = libraries(tmp_path)
    assert sorted(tmp_path.iterdir()) == sorted([library, library.with_suffix(".sha256")])  # nothing left over
    whole = library.read_bytes()
    library.write_bytes(whole[: len(whole) // 2])
    output, told = finish(run(tmp_path))
    assert output == "native 6" and BUILDING.fullmatch(told), told
    assert finish(run(tmp_path)) == ("native 6", "")
    assert len(library.read_bytes()) == len(whole)


def test_without_a_compiler_the_numpy_engine_runs(tmp_path: Path) -> None:
    output, errors = finish(run(tmp_path, PATH="", CXX=""))
    assert output == "numpy 6"
    assert "the native engine needs a C++ compiler: no c++, g++, clang++ on the PATH" in errors
    assert "try: install g++ or clang++, or set CXX" in errors
    assert "the NumPy engine is used instead" in errors


def test_the_choice_of_cxx_is_named_where_it_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "no-such-compiler -m64")
    with pytest.raises(build.BuildError, match="CXX names 'no-such-compiler', which is not there"):
        build.load()
    monkeypatch.setenv("CXX", "g++ 'unclosed")
    with pytest.raises(build.BuildError, match="no closing quotation"):
        build.load()


def test_a_compiler_that_cannot_be_started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    compiler = tmp_path / "c++"
    compiler.write_bytes(b"\x7fELF nothing more")
    compiler.chmod(0o755)
    monkeypatch.setenv("CXX", str(compiler))
    with pytest.raises(build.BuildError, match=r"--version does not work: (.|\n)*try: engine='numpy'"):
        build.load()


def test_a_compiler_that_fails_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CXX", "false")
    monkeypatch.setenv("HARIBOTE_CACHE", str(tmp_path))
    with pytest.raises(build.BuildError, match=r"did not compile: (.|\n)*try: engine='numpy'"):
        build.load()
    (note,) = tmp_path.iterdir()
    assert note.suffix == ".failed"


def test_a_failure_is_remembered_until_its_note_is_deleted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    calls = tmp_path / "calls"
    compiler = tmp_path / "c++"
    compiler.write_text(f'#!/bin/sh\necho "$@" >> {calls}\necho "error: not today" >&2\nexit 1\n')
    compiler.chmod(0o755)
    monkeypatch.setenv("CXX", str(compiler))
    monkeypatch.setenv("HARIBOTE_CACHE", str(tmp_path / "cache"))

    def tries() -> int:
        calls.write_text("")
        with pytest.raises(build.BuildError, match="error: not today"):
            build.load()
        return sum(" -c " in line for line in calls.read_text().splitlines())

    assert tries() > 1
    assert tries() == 0
    (note,) = (tmp_path / "cache").glob("*.failed")
    with pytest.raises(build.BuildError, match=r"to try again: delete .*\.failed"):
        build.load()
    os.utime(note, (0, 0))  # long ago
    assert tries() > 1
    note.unlink()
    assert tries() > 1
    compiler.write_text(compiler.read_text() + "# another compiler\n")
    monkeypatch.setattr(build, "FLAGS", (*build.FLAGS, "-g"))
    assert tries() > 1  # other flags, another library


def test_a_compiler_that_takes_too_long_is_given_up_and_remembered(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    compiler = tmp_path / "c++"
    compiler.write_text('#!/bin/sh\n[ "$1" = --version ] || exec sleep 60\n')
    compiler.chmod(0o755)
    monkeypatch.setenv("CXX", str(compiler))
    monkeypatch.setenv("HARIBOTE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(build, "TIME_LIMIT", 0.2)
    for again in ("", "(.|\n)*to try again: delete"):
        with pytest.raises(build.BuildError, match=rf"took more than 0.2 s\n    try: engine='numpy'{again}"):
            build.load()


@pytest.mark.slow
@needs_compiler
def test_a_user_without_a_home_folder_and_a_passwd_entry(tmp_path: Path) -> None:
    """Their cache is a folder of their own among the temporary ones; here it has the library already."""
    cache = tmp_path / f"haribote-{os.getuid()}"
    cache.mkdir(mode=0o700)
    build.load()
    for path in build.cache_folder().glob("engine-*"):
        shutil.copy(path, cache)
    nobody = "import pwd\ndef missing(uid): raise KeyError(uid)\npwd.getpwuid = missing\n"
    program = nobody + RUN.replace("build.FLAGS = ", "flags = ")
    kept = {name: value for name, value in os.environ.items() if not name.endswith(("HOME", "HARIBOTE_CACHE"))}
    command = [sys.executable, "-c", program]
    environment = {**kept, "TMPDIR": str(tmp_path)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("native 6\n", "")


def test_a_cache_that_cannot_be_written_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("CXX", "false")
    monkeypatch.setenv("HARIBOTE_CACHE", str(tmp_path / "file"))
    with pytest.raises(build.BuildError, match=r"cannot be kept in (.|\n)*try: set HARIBOTE_CACHE to a folder"):
        build.load()


def test_another_compiler_version_or_flag_is_another_library(monkeypatch: pytest.MonkeyPatch) -> None:
    first = build._identity(["echo", "1"], records.SOURCES)
    assert build._identity(["echo", "2"], records.SOURCES) != first
    monkeypatch.setattr(build, "FLAGS", (*build.FLAGS, "-g"))
    assert build._identity(["echo", "1"], records.SOURCES) != first


def test_machine_names_the_engine_that_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise build.BuildError("no engine today")

    monkeypatch.setattr(engine, "library", refuse)
    with pytest.warns(UserWarning, match="no engine today"):
        machine = Machine(engine="native")
    assert machine.engine == "numpy"
