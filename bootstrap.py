"""Set-up and the main commands, on Linux, macOS and Windows, with nothing but Python: `python bootstrap.py demo`.

The environment is the active conda environment or virtualenv, else `.venv` beside this file, made when needed. It gets
the versions of requirements.lock and this project itself, editable. A stamp in it says what it was set up for, so that
the next command starts at once; a lock beside it lets one set-up run at a time.
"""

import shutil
import sys

if sys.version_info < (3, 10):  # noqa: UP036 - this file is the one that an older Python gets to see
    newer = [name for name in ("python3.11", "python3.12", "python3.13", "python3.10") if shutil.which(name)]
    print(
        f"bootstrap.py: Python 3.10 or newer is needed; this is {sys.version.split()[0]} ({sys.executable})\n    try: "
        + (f"{newer[0]} bootstrap.py, or make PYTHON={newer[0]}" if newer else "install a newer Python (python.org)"),
        file=sys.stderr,
    )
    sys.exit(2)

import argparse
import errno
import hashlib
import importlib.util
import os
import platform
import shlex
import subprocess
import tempfile
import time
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

ROOT = Path(__file__).resolve().parent
OWN = ROOT / ".venv"
COMMANDS = {
    "setup": "make the environment and install everything (the other commands do it when needed)",
    "demo": "train a network that reads digits, on the simulated chip",
    "test": "run the tests; further arguments go to pytest",
    "test-all": "run the tests, the slow ones too",
    "test-pythons": "run the tests on every Python from 3.10 to 3.13 that is here, each in an environment of its own",
    "test-newest": "run the tests of PyTorch's front ends with the newest torch, in an environment of its own",
    "bench": "measure the speed of everything, beside torch and the targets (a minute)",
    "lab": "open JupyterLab at the first notebook",
    "bundle": "write one archive for a room without a network: packages, data set and course",
    "lint": "check style and types",
    "clean": "remove caches and build leftovers, with --all also .venv; your runs and notebooks stay",
}
FIRST = "notebooks/00_start/01_welcome.ipynb"
WHEELS = ROOT / "wheels"  # of an unpacked bundle: the packages, so that no network is needed
EXTRAS = ("blas", "browser", "cluster", "jax", "onnxruntime")  # of pyproject.toml, not installed unless asked for
NEEDED = ("numpy", "torch", "onnx", "matplotlib", "jupyterlab", "pytest")  # modules that every environment has
LOOK = """
import importlib.util, sys
for name in sys.argv[2:]:
    try:
        found = importlib.util.find_spec(name) if sys.argv[1] == "find" else __import__(name).__spec__
    except Exception as error:
        sys.exit(f"{name}: {type(error).__name__}: {error}")
    if found is None or found.origin is None:
        sys.exit(f"{name} is missing")
"""
FRESH = "python bootstrap.py setup --fresh"
TESTS = ["-m", "pytest", "-n", "auto", "--dist", "worksteal", "-p", "no:nbval"]
"""The tests start nbval in processes of their own; in their own workers it would only take time to load."""
JOBS = {  # what is run with the environment's Python; the user's further arguments go to the last one
    "demo": [["-m", "haribote.commands.cli", "demo"]],
    "test": [TESTS],
    "test-all": [[*TESTS, "-m", "slow or not slow"]],
    "test-pythons": [["tests/pythons.py"]],
    "test-newest": [["tests/newest.py"]],
    "bench": [["-m", "benchmarks.bench"]],
    "lab": [["-m", "jupyterlab", f"--ServerApp.root_dir={ROOT}", f"--LabApp.default_url=/lab/tree/{FIRST}"]],
    "bundle": [["-m", "grader.bundle"]],
    "lint": [["-m", "ruff", "check", "."], ["-m", "mypy"]],
}
LEFTOVERS = (".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", "build", "dist", "haribote.egg-info")

INTEL_MAC = ("darwin", "x86_64")
DISK_SIGNS = ("No space left on device", "not enough space on the disk", "Disk quota exceeded")
NETWORK_SIGNS = (
    "name resolution",
    "Name or service not known",
    "nodename nor servname",
    "getaddrinfo failed",
    "NewConnectionError",
    "Max retries exceeded",
    "Connection broken",
    "Network is unreachable",
    "Read timed out",
    "ProxyError",
)


class SetupError(Exception):
    """Something that the user can put right; the text is the whole message."""


def main(arguments: list[str]) -> int:
    """Run one command; returns the exit status: the job's own, or 2 for a mistake or trouble with the set-up."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # the folder's name may have characters that a terminal does not know
    parser = _parser()
    options, rest = parser.parse_known_args(arguments)
    if rest and options.command not in JOBS:
        parser.error("unrecognized arguments: " + " ".join(rest))
    try:
        if options.command == "clean":
            return clean(options.all)
        wheelhouse = options.wheelhouse or (WHEELS if WHEELS.is_dir() and not options.online else None)
        python = set_up(wheelhouse, options.fresh, options.extras, options.venv and options.venv.absolute())
        if options.command == "setup":
            print(f"Ready: {python}")
            _offer_japanese()
            return 0
        *first, last = ([str(python), *_spoken(job)] for job in JOBS[options.command])
        status = max([*map(_call, first), _call([*last, *rest])])
        if status == 1 and (damage := _damage(python, "import")):
            print(f"bootstrap.py: {damage}", file=sys.stderr)
        return status
    except SetupError as error:
        print(f"bootstrap.py: {error}", file=sys.stderr)
    except BrokenPipeError:  # the reader of our output has left
        return 0
    except OSError as error:
        print(f"bootstrap.py: {_explained(error)}", file=sys.stderr)
    except KeyboardInterrupt:
        print("\nInterrupted. Nothing is lost: the same command goes on from here.", file=sys.stderr)
        return 130
    return 2


def _offer_japanese() -> None:
    """One line after the set-up for who sits at a Japanese system, before any tool of ours was called."""
    from simulator.language import LANGUAGES
    from simulator.preferences import is_japanese_here, kept_language

    if is_japanese_here() and not kept_language(LANGUAGES):
        print("日本語にするには: 環境を有効にして haribote language ja")


def _spoken(job: list[str]) -> list[str]:
    """A job, with the Japanese edition of the first notebook for who has chosen Japanese."""
    if not any(FIRST in word for word in job):
        return job
    from simulator.language import language  # which needs Python alone

    edition = FIRST.replace(".ipynb", f".{language()}.ipynb")
    return [word.replace(FIRST, edition if (ROOT / edition).is_file() else FIRST) for word in job]


def set_up(wheelhouse: Path | None, fresh: bool, extras: Iterable[str] = (), venv: Path | None = None) -> Path:
    """Make sure that the environment is there and complete; returns its Python. Quick if nothing has changed.

    Args:
        wheelhouse: a folder of packages to install from, instead of the network.
        fresh: build `.venv` anew.
        extras: of pyproject.toml; what was asked for once stays.
        venv: the environment to make and use, instead of the active one or `.venv`.

    Raises:
        SetupError: it cannot be made, or is damaged.
    """
    prefix, python = _environment(venv)
    stamp = prefix / "haribote-setup.txt"

    def missing() -> list[str]:
        done = stamp.read_text(encoding="utf-8").splitlines() if stamp.exists() else []
        wanted = [_state(), *sorted({*extras, *done[1:]})]
        return wanted if fresh or not python.exists() or done != wanted else []

    if missing():
        with _alone(prefix):
            if wanted := missing():  # still, after the wait for another set-up
                stamp.unlink(missing_ok=True)
                if prefix in (OWN, venv) and (fresh or not _works(python) or _moved(prefix)):
                    _make_environment(prefix)
                print(f"Setting up {prefix} (once; 1.5 GB, or 6 GB where torch brings CUDA; some minutes)", flush=True)
                _install(python, wheelhouse, wanted[1:])
                stamp.write_text("\n".join(wanted), encoding="utf-8")
    if damage := _damage(python, "find"):
        raise SetupError(damage)
    return python


def clean(everything: bool) -> int:
    """Remove what can be made again."""
    caches = [path for path in ROOT.rglob("__pycache__") if OWN not in path.parents]
    for path in [*caches, *(ROOT / name for name in LEFTOVERS), *([OWN] if everything else [])]:
        if path.exists():
            shutil.rmtree(path)
    return 0


def _environment(venv: Path | None = None) -> tuple[Path, Path]:
    """The environment and its Python: the virtualenv or conda environment (not base) that runs this file, or ours."""
    own = venv or OWN
    conda = os.environ.get("CONDA_PREFIX")
    in_conda = conda and Path(conda) == Path(sys.prefix) and os.environ.get("CONDA_DEFAULT_ENV") != "base"
    if venv is None and (in_conda or sys.prefix != sys.base_prefix):
        return Path(sys.prefix), Path(sys.executable)
    return own, own / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


def _state() -> str:
    """What an environment is set up for: it is out of date when one of these files changes or the project moves."""
    digest = hashlib.sha256(str(ROOT).encode())
    for name in ("pyproject.toml", "requirements.lock"):
        digest.update((ROOT / name).read_bytes())
    return digest.hexdigest()


def _works(python: Path) -> bool:
    """Whether this Python is there, new enough, and has pip; an interrupted set-up can leave one that is not."""
    check = "import sys, pip; sys.exit(sys.version_info < (3, 10))"
    return python.exists() and subprocess.run([str(python), "-c", check], capture_output=True).returncode == 0


def _moved(prefix: Path) -> bool:
    """Whether the environment was made in another folder: its programs and `activate` still lead there."""
    script = prefix / ("Scripts/activate.bat" if sys.platform == "win32" else "bin/activate")
    text = script.read_text(encoding="utf-8", errors="replace") if script.exists() else ""
    return str(prefix) not in text and shlex.quote(str(prefix)) not in text


def _damage(python: Path, look: str) -> str:
    """What to say where modules that were installed are gone, or ""; look: "find" them, or "import" them (seconds)."""
    try:
        command = [str(python), "-c", LOOK, look, *NEEDED]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, errors="replace")
        broken = done.stderr.strip().rpartition("\n")[2] if done.returncode else ""
    except OSError as error:
        broken = f"{python}: {error.strerror}"
    return broken and f"the environment of {python} is damaged ({broken})\n    try: {FRESH}"


@contextmanager
def _alone(prefix: Path) -> Iterator[None]:
    """Inside, no other set-up of this environment runs. The lock is a file beside it, and free when its owner ends."""
    try:
        file = open(prefix.with_name(f"{prefix.name}.lock"), "ab")  # noqa: SIM115 - closed below
    except OSError:  # the folder is not ours: neither is the environment another's to set up
        yield
        return
    with file:
        if not _lock(file):
            print(f"Another set-up of {prefix} is running: waiting until it is done", flush=True)
        while not _lock(file):
            time.sleep(0.5)
        yield


def _lock(file: BinaryIO) -> bool:
    """Take a lock that ends with the process; False where another has it."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in (errno.EAGAIN, errno.EACCES, errno.EDEADLK)  # else this folder knows no locks
    return True


def _make_environment(prefix: Path = OWN) -> None:
    if importlib.util.find_spec("venv") is None or importlib.util.find_spec("ensurepip") is None:
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        raise SetupError(
            f"this Python ({sys.executable}) cannot make virtual environments: it comes without venv or ensurepip\n"
            f"    try: sudo apt install python{version}-venv (Debian, Ubuntu), or activate a conda environment"
        )
    if prefix.exists():
        shutil.rmtree(prefix)
    command = [sys.executable, "-m", "venv", str(prefix)]
    made = subprocess.run(command, capture_output=True, text=True, errors="replace")
    if made.returncode:
        shutil.rmtree(prefix, ignore_errors=True)
        raise SetupError(_diagnosis((made.stdout + made.stderr).splitlines(), f"cannot make {prefix.name}"))


def _install(python: Path, wheelhouse: Path | None, extras: Iterable[str] = ()) -> None:
    """Install the project and its packages. What pip has downloaded, it keeps: a second try goes on from there."""
    source = []
    if wheelhouse is not None:
        if not wheelhouse.is_dir():
            raise SetupError(f"{wheelhouse} is not a folder\n    try: --wheelhouse FOLDER, with the packages as files")
        source = ["--no-index", "--find-links", str(wheelhouse.resolve())]
    pip = [str(python), "-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--progress-bar", "off"]
    project = f".[{','.join(['dev', *extras])}]"
    status, output = _show([*pip, "--constraint", "requirements.lock", *source, "--editable", project])
    if status:
        if wheelhouse == WHEELS and "No matching distribution found" in "\n".join(output):
            raise SetupError(_misfit(python, output))
        raise SetupError(_diagnosis(output, "the packages cannot be installed"))


def _misfit(python: Path, output: list[str]) -> str:
    """The message where a bundle's packages are for other systems than this one."""
    missing = next(line for line in reversed(output) if "No matching distribution found" in line)
    version = subprocess.run([str(python), "--version"], capture_output=True, text=True).stdout.strip()
    made_for = WHEELS / "SYSTEMS.txt"
    systems = made_for.read_text(encoding="utf-8").strip() if made_for.exists() else "another system"
    return (
        f"the packages in {WHEELS} do not fit {version} on {platform.system()} {platform.machine()} "
        f"({missing.rpartition('found for ')[2]} is missing); they are for: {systems}\n"
        "    try: that version of Python (make PYTHON=python3.11), or, with a network, bootstrap.py setup --online"
    )


def _show(command: list[str]) -> tuple[int, list[str]]:
    """Run a command in the project's folder, its last line of output always in sight on a terminal.

    Returns:
        the exit status, and the last lines of output.
    """
    output: deque[str] = deque(maxlen=200)
    terminal = sys.stdout.isatty()
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            output.append(line.rstrip())
            if terminal:
                width = shutil.get_terminal_size().columns - 1
                print("\r" + line.strip()[:width].ljust(width), end="", flush=True)
    if terminal:
        print("\r" + " " * width + "\r", end="", flush=True)
    return process.returncode, list(output)


def _diagnosis(output: list[str], what: str) -> str:
    """The likely cause, read from a tool's output, and what to try."""
    text = "\n".join(output)
    if any(sign in text for sign in DISK_SIGNS):
        return _disk_message(what)
    if any(sign in text for sign in NETWORK_SIGNS):
        return (
            f"{what}: there is no network, or it is too slow\n"
            "    try: the same command again; it goes on from here. Without a network, fill a folder where there is\n"
            "         one (pip download -d FOLDER -r requirements.lock), bring it here, and run\n"
            "         python bootstrap.py setup --wheelhouse FOLDER"
        )
    if "No matching distribution found for torch" in text and (sys.platform, platform.machine()) == INTEL_MAC:
        return f"{what}: there is no torch for Intel Macs any more\n    try: another computer, or Linux in a container"
    last = [line.strip() for line in output if line.strip().startswith("ERROR")] or output[-5:]
    return "\n    ".join([f"{what}:", *last, "try: the same command again, then python bootstrap.py setup --fresh"])


def _disk_message(what: str) -> str:
    return f"{what}: the disk is full\n    try: free 7 GB (here and in {tempfile.gettempdir()}), then run it again"


def _explained(error: OSError) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return _disk_message(str(error.filename or "a file cannot be written"))
    return f"{error.strerror}: {error.filename}\n    try: a folder that you can write to"


def _call(command: list[str]) -> int:
    """Run a job in the project's folder. On Ctrl-C the job gets it too, and we wait until it has put things away."""
    lab = str(ROOT / "notebooks" / "lab")  # JupyterLab without news and questions
    paths = os.pathsep.join(filter(None, (lab, os.environ.get("JUPYTER_CONFIG_PATH"))))
    environment = os.environ | {"JUPYTER_CONFIG_PATH": paths}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # jobs start many processes: each would compile the product again
    process = subprocess.Popen(command, cwd=ROOT, env=environment)
    while True:
        try:
            status = process.wait()
            return status if status >= 0 else 128 - status
        except KeyboardInterrupt:
            continue


def _parser() -> argparse.ArgumentParser:
    listing = "\n".join(f"  {name:<12} {text}" for name, text in COMMANDS.items())
    parser = argparse.ArgumentParser(
        prog="bootstrap.py",
        usage="python bootstrap.py COMMAND [options] (or: make COMMAND)",
        description="commands:\n" + listing,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("command", choices=COMMANDS, help=argparse.SUPPRESS)
    parser.add_argument("--wheelhouse", type=Path, metavar="FOLDER", help="install from the packages in this folder")
    parser.add_argument(
        "--online", action="store_true", help=f"use the network even where there is a folder {WHEELS.name}"
    )
    parser.add_argument(
        "--with", dest="extras", nargs="+", choices=EXTRAS, default=[], help="install these optional packages too"
    )
    parser.add_argument("--fresh", action="store_true", help="build .venv anew")
    parser.add_argument("--venv", type=Path, metavar="FOLDER", help="make and use this environment instead")
    parser.add_argument("--all", action="store_true", help="with clean: remove .venv too")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
