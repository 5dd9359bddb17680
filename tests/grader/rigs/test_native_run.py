"""C++ of a learner compiled and run: limits of time and output, and confinement."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from grader.rigs.native_run import Finished, NativeError, confine, run_cpp, run_plainly
from haribote.cpp.build import CompilerMissing, compiler

try:
    compiler()
    HAS_COMPILER = True
except CompilerMissing:
    HAS_COMPILER = False


needs_compiler = pytest.mark.skipif(not HAS_COMPILER, reason="there is no C++ compiler")


PROGRAM = "int main() {{\n    {body}\n    return 0;\n}}\n"


@pytest.mark.slow
@needs_compiler
def test_an_endless_loop_and_endless_output_end() -> None:
    with pytest.raises(NativeError, match=r"took longer than [13] s"):
        run_cpp(PROGRAM.format(body="for (volatile int i = 0;; ) i = 1;"), [], 1)
    with pytest.raises(NativeError, match="ended by signal"):
        run_cpp("#include <cstdio>\n" + PROGRAM.format(body='for (;;) std::puts("again and again");'), [], 20)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no shell")
def test_what_a_process_has_started_ends_with_it(tmp_path: Path) -> None:
    """A compiler is a driver and its parts: one that went on would write into a folder that is being removed."""
    mark = tmp_path / "mark"
    script = f"(sleep 4; touch {mark}) & while :; do sleep 0.1; touch {{1..50}}.o; done"
    done = run_plainly(["bash", "-c", script], {}, b"", 0.5, "")
    assert done.stopped == "took longer than 1.5 s" and done.status == -9
    time.sleep(3)
    assert not mark.exists()


@needs_compiler
def test_time_is_of_the_processor() -> None:
    """Another program's load does not stop a compiler, nor does waiting for a while."""
    slept = run_plainly(["sleep", "1.5"], {}, b"", 1, "")
    assert slept.status == 0 and not slept.stopped


@needs_compiler
def test_compiler_and_program_run_where_the_grader_confines_them() -> None:
    seen: list[tuple[list[str], list[str]]] = []

    def runner(
        command: Sequence[str], files: Mapping[str, bytes], stdin: bytes, seconds: float, wanted: str
    ) -> Finished:
        seen.append((list(command)[-2:], list(files)))
        return Finished(0, b"binary" if wanted else stdin, "")

    token = confine.set(runner)
    try:
        assert run_cpp("int main() {}", [b"1234", b"56"], 1) == [b"1234", b"56"]
    finally:
        confine.reset(token)
    assert seen == [(["-o", "answer"], ["answer.cpp"]), (["./answer"], ["answer"])]
