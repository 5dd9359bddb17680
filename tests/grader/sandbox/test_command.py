"""The sandbox: what its limits do, and that it sees the Python it needs."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from grader.sandbox import Limits, find_sandbox
from grader.sandbox.watch import end
from haribote.answers.tasks import ROOT
from tests.grader.sandboxes import sandboxed


@sandboxed
def test_limits_and_files() -> None:
    box = find_sandbox()
    run = box.run(["/bin/sh", "-c", "cat; cat /given/name; exit 3"], b"in ", {"/given/name": b"given"})
    assert (run.output, run.status, run.stopped) == (b"in given", 3, "")
    assert box.run(["sleep", "20"], limits=Limits(seconds=0.3)).stopped == "ran longer than 0.3 s"
    assert box.run(["cat", "/dev/zero"], limits=Limits(output=1 << 20)).stopped == "printed more than 1 MiB"
    assert box.run(["/bin/sh", "-c", "kill -9 $$"]).status == -9
    assert not box.run(["/bin/sh", "-c", "(sleep 30; echo late) & exit 0"]).output


@pytest.mark.slow
@sandboxed
def test_nothing_is_left_whenever_the_end_comes() -> None:
    """Also while bubblewrap is still starting, when its `--die-with-parent` does not hold yet."""
    box = find_sandbox()
    nap = str(1000 + os.getpid() % 1000 + 0.5)  # a command line that no other process has
    for moment in range(60):
        with ExitStack() as stack:
            line, handles = box.command(["sleep", nap], Limits(), stack, {})
            process = subprocess.Popen(line, stdout=subprocess.PIPE, pass_fds=handles, start_new_session=True)
            time.sleep(moment * 0.0004)
            end(process)
    time.sleep(0.1)  # for what would have started nevertheless
    running = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert f"sleep {nap}" not in running


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
