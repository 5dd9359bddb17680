"""Programs that come out of answers (task 3.1: C++) run in a fresh sandbox each: the compiler, then what it made."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence

from grader.emitter.limits import PATIENCE
from grader.rigs.native_run import Finished
from grader.sandbox import Limits, Sandbox, find_sandbox

FOLDER = "/tmp"  # where the program starts: the one place that can be written
GIVEN = "/given"


def run_confined(
    command: Sequence[str], files: Mapping[str, bytes], stdin: bytes, seconds: float, wanted: str = ""
) -> Finished:
    """Run a command on files in its folder; its stdout, or the content of the file `wanted`, is the output.

    A `grader.rigs.native_run.Runner`. Nothing else is to be seen: no course, no other answer. Raises SandboxMissing.
    """
    names = [name for name in files if "/" not in name]
    script = [f"cp {shlex.join(f'{GIVEN}/{name}' for name in names)} ."] if names else []
    script += [f"chmod u+rwx {shlex.join(names)}"] if names else []  # not all: a Python below /tmp is seen there too
    script += [f"{shlex.join(command)} >&2 && cat {shlex.quote(wanted)}" if wanted else f"exec {shlex.join(command)}"]
    box = Sandbox({}, FOLDER, find_sandbox().bwrap)
    given = {f"{GIVEN}/{name}": content for name, content in files.items()}
    run = box.run(
        ["/bin/sh", "-c", " && ".join(script)], stdin, given, Limits(seconds=PATIENCE * seconds, work=seconds)
    )
    status = run.status if run.status is not None else -9
    return Finished(128 - status if status > 128 else status, run.output, run.errors, run.stopped)
