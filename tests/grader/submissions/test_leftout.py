"""What `grader submit` says that its archive does not hold."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.grading import complete
from grader.cli import main
from grader.submissions.leftout import left_out
from grader.submissions.submission import pack
from haribote.answers.tasks import all_tasks, find_task

TASK = find_task("5.12")
IMPORTS = """
from __future__ import annotations
import math, numpy as np, onnx.helper, helper_of_ada
from haribote.kernel import kernel
from simulator import assemble
from haribote.kernels.t5_1_dl_16 import dl_16
from haribote.exercises import t0_1_accuracy
from grader.emitter import values
from grader import judging
from . import sibling
def late():
    import nowhere_at_all
"""


def test_submit_names_what_it_does_not_pack(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "haribote" / TASK.file
    path.parent.mkdir(parents=True)
    path.write_text(IMPORTS)
    (path.parent / "shared_by_two.py").write_text("x = 1")
    (path.parent / "__init__.py").touch()
    (tmp_path / "helper_of_ada.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    lines = left_out(tmp_path)
    place = f"haribote/{TASK.file}"
    assert [line.split(": ")[0] for line in lines] == [
        *(f"{place}:{number}" for number in (3, 5, 6, 7, 8, 9, 10, 12)), "haribote/kernels/shared_by_two.py"
    ]  # fmt: skip
    told = (
        "helper_of_ada", "imports simulator; of", "t5_1_dl_16; of the course, it may import haribote.errors",
        "t0_1_accuracy", "grader.emitter.values", "grader.judging", "relative", "nowhere_at_all", "not packed",
    )  # fmt: skip
    for line, text in zip(lines, told, strict=True):
        assert text in line
    monkeypatch.setattr("grader.grade.command.pack", lambda name: pack(name, tmp_path))
    monkeypatch.setattr("grader.grade.command.left_out", lambda: lines)
    assert main(["submit", "--id", "ada", "-o", str(tmp_path / "ada.zip")]) == 0
    shown = capsys.readouterr().out
    assert all(line in shown for line in lines) and "will not be graded as you see them" in shown


def test_the_product_is_found_wherever_submit_is_started(tmp_path: Path) -> None:
    """Of an editable installation, only its own finder knows the place."""
    path = tmp_path / "ada" / "haribote" / TASK.file
    path.parent.mkdir(parents=True)
    path.write_text(complete(TASK))
    script = "from pathlib import Path; from grader.submissions.leftout import left_out; print(left_out(Path('ada')))"
    run = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True)
    assert run.stdout.strip() == "[]", run.stdout + run.stderr


def test_solutions_need_nothing_that_is_not_packed(tmp_path: Path) -> None:
    for task in all_tasks():
        path = tmp_path / "haribote" / task.file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(complete(task))
    assert left_out(tmp_path) == []
