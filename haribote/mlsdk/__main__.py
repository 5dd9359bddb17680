"""`python -m haribote.mlsdk FILE.py ARGS…`: run a program that says `import mlsdk`, unchanged."""

from __future__ import annotations

import runpy
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from haribote.mlsdk.interface import stand_in
from simulator.console import MISTAKE, NEGATIVE, run_guarded
from simulator.errors import UserError, advised
from simulator.messages import Text, say, tr

USAGE = Text("usage: python -m haribote.mlsdk SCRIPT.py ARGUMENTS…")


def main(arguments: Sequence[str]) -> int:
    """Run a script as Python would; the exit status: its own, 1 for an error of its own, 2 for a mistake in its use."""
    if not arguments or arguments[0] in ("-h", "--help"):
        say(tr("{usage}\n\nRuns a program written for MN-Core's SDK: `import mlsdk` is haribote.mlsdk.", USAGE))
        return 0 if arguments else MISTAKE
    script = Path(arguments[0])
    if not script.is_file():
        say(advised(tr("there is no script {script}", script), USAGE.removeprefix("usage: ")), file=sys.stderr)
        return MISTAKE
    sys.argv = [str(script), *arguments[1:]]
    sys.path[0] = str(script.resolve().parent)
    stand_in()

    def run() -> int:
        try:
            runpy.run_path(str(script), run_name="__main__")
        except (UserError, SystemExit, KeyboardInterrupt, BrokenPipeError):
            raise
        except BaseException as error:
            if _is_no_python(error, script):
                line, problem = getattr(error, "lineno", None), getattr(error, "msg", error)
                where = f"{script}:{line}" if line else str(script)
                say(
                    advised(tr("{where} is no Python: {msg}", where, problem), tr("a script that Python runs")),
                    file=sys.stderr,
                )
                return MISTAKE
            shown = _inside(error.__traceback__, script)
            sys.stderr.write("".join(traceback.format_exception(type(error), error, shown)))
            return NEGATIVE
        return 0

    def explain(error: BaseException) -> str | None:
        if not isinstance(error, UserError):
            return None
        line = _line(error, script)
        return f"{script}{f':{line}' if line else ''}: {error}"

    return run_guarded(run, explain)


def _is_no_python(error: BaseException, script: Path) -> bool:
    """Whether a script could not be read: of null bytes Python before 3.11.4 says so by a ValueError, which then has
    passed through no line of the script."""
    if isinstance(error, SyntaxError):
        return error.filename in (None, str(script))
    return isinstance(error, ValueError) and not _line(error, script)


def _inside(step: TracebackType | None, script: Path) -> TracebackType | None:
    """The part of a traceback that begins in the script; all of it where it never gets there."""
    found = step
    while found is not None and found.tb_frame.f_code.co_filename != str(script):
        found = found.tb_next
    return found or step


def _line(error: BaseException, script: Path) -> int:
    """The last line of the script that an error passed through; 0 for none."""
    frames = traceback.extract_tb(error.__traceback__)
    return next((frame.lineno or 0 for frame in reversed(frames) if frame.filename == str(script)), 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
