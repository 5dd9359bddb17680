"""Building: the cache, builds at the same time, no compiler, messages of the compiler."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from haribote.cpp.build import CompileError, CompilerMissing, build_library, compile_file, compiler, explain

SOURCE = '#include "haribote/ops.hpp"\nextern "C" int answer() { return %d; }\n'


def answer(library: Path) -> int:
    return int(ctypes.CDLL(str(library)).answer())


def test_builds_are_cached_by_content(cache: Path) -> None:
    first = build_library(SOURCE % 41)
    written = first.stat().st_mtime_ns
    assert first.parent == cache and answer(first) == 41
    assert build_library(SOURCE % 41) == first and first.stat().st_mtime_ns == written
    other = build_library(SOURCE % 43)
    assert other != first and answer(other) == 43


@pytest.mark.parametrize("damage", [lambda whole: whole[: len(whole) // 2], lambda whole: b""], ids=["half", "empty"])
def test_a_damaged_library_is_built_again(damage: Callable[[bytes], bytes], cache: Path) -> None:
    library = build_library(SOURCE % 45)
    whole = library.read_bytes()
    library.unlink()  # the file that this process may have loaded stays as it is
    library.write_bytes(damage(whole))
    assert build_library(SOURCE % 45) == library and answer(library) == 45


def test_the_compiler_is_part_of_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    first = build_library(SOURCE % 44)
    monkeypatch.setenv("CXX", f"{compiler()[0]} -DANYTHING")
    assert build_library(SOURCE % 44) != first


def test_a_damaged_header_is_not_hidden_by_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from haribote.cpp import build

    folder = tmp_path / "include" / "haribote"
    folder.mkdir(parents=True)
    first = build_library(SOURCE % 45)
    monkeypatch.setattr(build, "HEADERS", tmp_path / "include")
    (folder / "ops.hpp").write_text("// other templates\n")
    assert build_library(SOURCE % 45) != first


@pytest.mark.slow
def test_many_processes_build_the_same_at_once(cache: Path) -> None:
    code = (
        "import ctypes, sys; from haribote.cpp.build import build_library; "
        "print(ctypes.CDLL(str(build_library(sys.argv[1]))).answer())"
    )
    root = Path(__file__).parents[3]
    source = SOURCE % 46
    runs = [
        subprocess.Popen([sys.executable, "-c", code, source], cwd=root, stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    assert [run.communicate()[0].strip() for run in runs] == ["46"] * 4
    assert not list(cache.glob("*.part")) and not list(cache.glob(".*"))


def test_without_a_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    with pytest.raises(CompilerMissing, match=r"no c\+\+, g\+\+, clang\+\+") as caught:
        build_library(SOURCE % 47)
    assert "try: install one" in str(caught.value)


def test_cxx_that_is_no_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "no-such-compiler -O2")
    with pytest.raises(CompilerMissing, match="CXX names 'no-such-compiler'"):
        build_library(SOURCE % 48)


def test_cxx_that_is_no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", f"{sys.executable} -c 'import sys; sys.exit(\"out of order\")'")
    with pytest.raises(CompilerMissing, match="does not work: out of order"):
        build_library(SOURCE % 49)


def test_an_error_shows_the_generated_line(tmp_path: Path) -> None:
    source = tmp_path / "step.cpp"
    source.write_text(
        '#include "haribote/ops.hpp"\n'
        "void step(float* p) {\n"
        "    const op::Tensor<float, 2, 3> a(p);\n"
        "    op::expand(a, op::Tensor<float, 2, 4>(p));  // Expand wide\n"
        "}\n"
    )
    with pytest.raises(CompileError) as caught:
        compile_file(source, tmp_path / "step.so", ("-shared", "-fPIC"))
    message = str(caught.value)
    assert "an input does not broadcast to the shape of the output" in message
    assert "tensor.hpp:" in message
    assert "generated line 4:\n    op::expand(a, op::Tensor<float, 2, 4>(p));  // Expand wide" in message
    assert [path.name for path in tmp_path.iterdir()] == ["step.cpp"]  # nothing half-built is left


def test_output_without_an_error_line_is_shown_as_it_is(tmp_path: Path) -> None:
    source = tmp_path / "step.cpp"
    source.write_text("int x;\n")
    assert "    ld: no space left" in explain("ld: no space left", source)
