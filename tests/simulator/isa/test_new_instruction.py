"""A new ALU instruction is three files: its row, what it computes in NumPy, and the same in C++ (CONTRIBUTING.md).

The test writes one into a copy of the simulator, and every tool there knows it.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import simulator

TEXT = "iapart $lm0v $lr0v $ln0v"
"""The toy: how far x and y are apart."""
EDITS = {
    "isa/alu.py": (
        "ROWS = (",
        'ROWS = (\n    _alu("apart", "lis", _TWO, "how far x and y are apart", "A", "iapart $lm0v $lr0v $ln0v"),',
    ),
    "engine/numpy/alu.py": (
        "_INTEGER: dict[str, tuple[Function, FlagFunction]] = {",
        "_INTEGER: dict[str, tuple[Function, FlagFunction]] = {\n"
        '    "apart": (lambda x, y: np.where(x > y, x - y, y - x), _is_zero),',
    ),
    "engine/native/src/alu.cpp": (
        "            case Alu::not_:",
        "            case Alu::apart: return apply([](U x, U y) { return U(x > y ? x - y : y - x); }, zero);\n"
        "            case Alu::not_:",
    ),
}
ENUM = ("enum class Alu : i32 {", "enum class Alu : i32 {\n    apart,")

TOOLS = f"""
import numpy as np
from simulator import Machine, assemble
from simulator.assembly.checks import check
from simulator.explain.line import explain
from simulator.pictures import animate, move
from simulator.schedule import schedule
from simulator.trace import trace
from simulator.view import View

program = assemble({TEXT!r} + "\\n")
assert not check(program)
assert "how far x and y are apart" in explain(program)
assert "how far x and y are apart" in move({TEXT!r}).text and animate({TEXT!r}).text
machine = Machine("numpy")
machine.lm0[0], machine.grf0[0] = 3, 10
(origin,) = trace(program, machine, "$n0n0c0b0m0p0")
assert [str(i.place)[:3] for i in origin.inputs] == ["$m0", "$r0"] and origin.value == 7
machine.run(program)
assert (machine.lm1[0] == 7).all()
assert len(View(program).page) > 10_000
both = assemble("\\n".join([{TEXT!r}, "nop/2", {TEXT!r}.replace("$ln0v", "$ls0v")]) + "\\n")
assert schedule(both).steps < both.steps
"""
NATIVE = f"""
import numpy as np
from simulator import Machine, assemble

words = np.random.default_rng(0).integers(0, 2**32, (2, 8, 4096), np.uint32)
results = []
for engine in ("numpy", "native"):
    machine = Machine(engine)
    machine.lm0[:8], machine.grf0[:8] = words
    machine.run(assemble({TEXT!r} + "\\n"))
    results.append(machine.lm1[:8].copy())
assert results[0].any() and (results[0] == results[1]).all()
"""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A folder with a copy of the simulator that has the toy."""
    origin = Path(simulator.__file__).parent
    shutil.copytree(origin, tmp_path / "simulator", ignore=shutil.ignore_patterns("__pycache__"))
    assert len(EDITS) <= 3
    for name, edit in EDITS.items():
        path = tmp_path / "simulator" / name
        text = path.read_text(encoding="utf-8")
        for old, new in (edit, ENUM) if name.endswith(".cpp") else (edit,):
            assert text.count(old) == 1
            text = text.replace(old, new)
        path.write_text(text, encoding="utf-8")
    return tmp_path


def run(script: str, folder: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(folder), "HARIBOTE_CACHE": str(folder / "cache")}
    done = subprocess.run([sys.executable, "-c", script], cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_every_tool_knows_a_new_instruction(copy: Path) -> None:
    run(TOOLS, copy)


@pytest.mark.slow
def test_both_engines_agree_on_a_new_instruction(copy: Path) -> None:
    run(NATIVE, copy)
