"""The sandbox: what is inside, what its limits do, and that the warm one and the cold one give the same."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import grader.grade.emit
from grader.grade.emit import Emitters
from grader.grade.notebooks import line_of
from grader.grade.work import requests
from grader.sandbox import Limits, Outcome, Sandbox, find_sandbox
from grader.sandbox.probe import probe
from grader.sandbox.tree import COURSE, course_tree, tree_files, withheld
from haribote.answers.ownership import is_written
from haribote.answers.tasks import ROOT, all_tasks, find_task
from tests.grader.sandboxes import sandboxed


def test_the_tree_has_bare_stubs_and_no_answers() -> None:
    files = tree_files()
    names = set(files)
    assert not any(name.startswith(("solutions/", "tests/", "grader/trials", "grader/judging")) for name in names)
    assert {name for name in names if name.startswith("grader/") and "/emitter/" not in name} == {"grader/__init__.py"}
    assert "haribote/answers/tasks.toml" in names
    folder = course_tree() / "course"
    assert all(not is_written(folder / "haribote" / task.file) for task in all_tasks())
    assert all((ROOT / name).is_file() or name.startswith("haribote/") for name in names)


def test_the_products_own_answer_is_withheld_in_every_form() -> None:
    for task in all_tasks():
        for name, content in withheld(task).items():
            assert (course_tree() / "withheld" / task.id / name).read_bytes() == content
            compiled = (course_tree() / "course" / name).parent / "__pycache__"
            assert not list(compiled.glob(f"{Path(name).stem}.*"))
            if name.endswith(".py"):
                compile(content, name, "exec")
    text = withheld(find_task("2.1"))["haribote/autodiff/elementwise.py"].decode()
    assert "is the product's own answer to task 2.1" in text and "'Greater'" not in text.split("def relu")[1][:400]


@sandboxed
def test_a_sandbox_that_shows_too_much_is_found_out() -> None:
    sandbox = find_sandbox()
    assert probe(sandbox) == []
    private = ROOT / "README.md"
    assert str(private) in probe(Sandbox({str(private): private}, bwrap=sandbox.bwrap))


@sandboxed
def test_limits_and_files() -> None:
    box = find_sandbox()
    run = box.run(["/bin/sh", "-c", "cat; cat /given/name; exit 3"], b"in ", {"/given/name": b"given"})
    assert (run.output, run.status, run.stopped) == (b"in given", 3, "")
    assert box.run(["sleep", "20"], limits=Limits(seconds=0.3)).stopped == "ran longer than 0.3 s"
    assert box.run(["cat", "/dev/zero"], limits=Limits(output=1 << 20)).stopped == "printed more than 1 MiB"
    assert box.run(["/bin/sh", "-c", "kill -9 $$"]).status == -9
    assert not box.run(["/bin/sh", "-c", "(sleep 30; echo late) & exit 0"]).output


@sandboxed
@pytest.mark.slow
def test_the_cold_way_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a machine does not allow a sandbox within a sandbox, every answer gets a new one."""
    task = find_task("5.12")
    content = (ROOT / "solutions" / task.file).read_bytes()
    warm, cold = Emitters(), Emitters()
    monkeypatch.setattr(cold, "_cold_only", True)
    outcomes = [emitters.run(task, content, requests(task, 1)) for emitters in (warm, cold)]
    warm.close()
    assert outcomes[0].output == outcomes[1].output
    assert [(outcome.status, outcome.stopped) for outcome in outcomes] == [(0, ""), (0, "")]
    place = f"{COURSE}/haribote/{task.file}"
    shown = grader.grade.emit.Sandbox({COURSE: course_tree() / "course"}, COURSE).run(
        [sys.executable, "-c", f"print(open({place!r}).read())"], files={place: b"the answer"}
    )
    assert shown.output == b"the answer\n"


def test_lines_about_notebooks() -> None:
    def said(output: str, status: int | None = 1, stopped: str = "") -> str:
        return line_of(Outcome(output.encode(), "no module", status, stopped))

    cells = "notebooks/01.ipynb::Cell 0 PASSED\nnotebooks/01.ipynb::Cell 1 "
    assert said(cells + "XFAIL", 0) == "ran"
    assert said(cells + "FAILED\nTimeout of 60 s") == "failed at cell 1: it took longer than 60 s"
    assert said(cells + "FAILED") == "failed at cell 1"
    assert said(cells + "PASSED", None, "ran longer than 300 s") == "failed after cell 1: ran longer than 300 s"
    assert said("", 4) == "did not start (status 4): no module"


@sandboxed
@pytest.mark.slow
def test_a_notebook_with_a_submission() -> None:
    from grader.grade.notebooks import Lesson, notebook_names, run
    from grader.submissions.submission import Submission

    task = find_task("1.2")
    good = (ROOT / "solutions" / task.file).read_bytes()
    assert "01_graphs/02_evaluate" in notebook_names()
    broken = run(Lesson(Submission("ada", "", {"1.2": b"raise SystemExit\n"}), "01_graphs/02_evaluate"))
    assert line_of(run(Lesson(Submission("ada", "", {"1.2": good}), "01_graphs/02_evaluate"))) == "ran"
    assert line_of(broken).startswith("failed at cell"), line_of(broken)


@sandboxed
def test_a_python_below_the_temporary_folder_is_seen_inside(tmp_path: Path) -> None:
    """/tmp is another one inside: what is needed of ours is shown there, read-only, and nothing else of it."""
    if not tmp_path.is_relative_to("/tmp"):
        pytest.skip("the temporary folder is not /tmp")
    environment = tmp_path / "course" / ".venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True)
    (tmp_path / "course" / "secret").write_text("an answer")
    packages = next(environment.glob("lib/python*/site-packages"))
    (packages / "outer.pth").write_text("\n".join(path for path in sys.path if path.endswith("site-packages")))
    for folder in (tmp_path, *tmp_path.parents[:-2]):
        folder.chmod(folder.stat().st_mode | 0o011)
    code = """
import os, sys
from grader.sandbox import find_sandbox
look = "import os, sys; print(sys.prefix, os.path.exists(sys.argv[1]), os.listdir('/tmp'), "
look += "open('/tmp/x', 'w').write('1'))"
run = find_sandbox().run([sys.executable, "-I", "-c", look, sys.argv[1]])
print(run.output.decode(), run.errors, run.status)
"""
    command = [str(environment / "bin" / "python"), "-c", code, str(tmp_path / "course" / "secret")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=os.environ | {"PYTHONPATH": str(ROOT)})
    top = tmp_path.relative_to("/tmp").parts[0]
    assert done.stdout.split("\n")[0] == f"{environment} False ['{top}'] 1", done.stdout + done.stderr
