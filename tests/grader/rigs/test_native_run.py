"""C++ of a learner compiled and run: limits of time and output, and confinement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from grader.rigs.native_run import Finished, NativeError, confine, run_cpp
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
    with pytest.raises(NativeError, match="took longer than 1 s"):
        run_cpp(PROGRAM.format(body="for (volatile int i = 0;; ) i = 1;"), [], 1)
    with pytest.raises(NativeError, match="ended by signal"):
        run_cpp("#include <cstdio>\n" + PROGRAM.format(body='for (;;) std::puts("again and again");'), [], 20)


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
