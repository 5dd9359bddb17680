"""`make bundle`: one archive for a room without a network: the course, its packages for the given systems, MNIST.

Unpacked, it is the course with two more folders, which `bootstrap.py` and `haribote.data` find by themselves: `wheels/`
and `data/mnist/`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from grader.bundle.wheels import SYSTEMS, Shortage, System, collect, this_system
from grader.stubs import stub_of
from haribote.answers.given import source_of
from haribote.answers.tasks import ROOT, all_tasks
from haribote.commands.command import run_command
from haribote.data import dataset as data
from haribote.data import mnist
from haribote.errors import HariboteError
from simulator.console import Parser
from simulator.files import FileError, writing
from simulator.messages import tr

TARGET = ROOT / "build" / "haribote-bundle.zip"
FOLDER = "haribote"  # what the archive unpacks to
LEFT_OUT = {".git", ".venv", "__pycache__", "build", "dist", "runs", "backup", "wheels", "data", ".ipynb_checkpoints"}
LEFT_OUT |= {".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", "haribote.egg-info"}
PACKED = (".whl", ".gz", ".png")  # packed already

START = """This is Haribote with everything it needs: no network is used.

1. Unpack the archive to a folder of your own, with about 3 GB free.
2. You need {pythons}, which is not in the archive.
3. In this folder, run
       python bootstrap.py lab        (macOS and Linux: python3 bootstrap.py lab, or sh start.sh)
   The first time it sets up the packages, for some minutes; then JupyterLab opens at the first notebook.
   `python bootstrap.py demo` trains a network that reads digits, as a first look.

Packages for: {systems}.
Data set: {digits}.
{missing}"""
START_SH = """#!/bin/sh
# JupyterLab at the first notebook, with the first Python that fits the packages in wheels/.
cd "$(dirname "$0")" || exit 1
for python in {pythons} python3 python; do
    if command -v "$python" >/dev/null; then exec "$python" bootstrap.py "${{@:-lab}}"; fi
done
echo "Python is missing: install {wanted} first" >&2
exit 2
"""
START_BAT = """@echo off
cd /d "%~dp0"
where py >nul 2>nul
if errorlevel 1 (python bootstrap.py lab) else (py -{version} bootstrap.py lab)
pause
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status: 0 complete, 1 written, but packages are missing, 2 not written."""
    here = this_system()
    parser = Parser(
        prog="bootstrap.py bundle",
        description=tr(
            "`make bundle`: one archive for a room without a network: the course, its packages for the given "
            "systems, MNIST."
        ),
    )
    parser.add_argument(
        "--systems",
        nargs="+",
        choices=SYSTEMS,
        default=[here],
        metavar="SYSTEM",
        help=f"of {', '.join(SYSTEMS)} ({here})",
    )
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    parser.add_argument(
        "--python",
        nargs="+",
        default=[version],
        metavar="VERSION",
        help=tr("the room's versions of Python ({version})", version),
    )
    parser.add_argument(
        "-o", "--output", type=Path, default=TARGET, metavar="FILE", help="default: build/haribote-bundle.zip"
    )
    parser.set_defaults(run=_run, command="")
    return run_command(parser, arguments)


def _run(options: argparse.Namespace) -> int:
    wanted = [System(name, python) for name in options.systems for python in options.python]
    cache = TARGET.parent / "bundle-wheels"  # what is downloaded stays for the next time
    shortages: list[Shortage] = []
    wheels: dict[str, Path] = {}  # by name: most fit every system
    for system in wanted:
        print(tr("collecting the packages for {system}", system), flush=True)
        found, missing = collect(system, cache)
        wheels |= {path.name: path for path in found}
        shortages += missing
        print(f"    {len(found)} packages, {sum(path.stat().st_size for path in found) / 1e6:.0f} MB", flush=True)
    short = {shortage.system for shortage in shortages}
    complete = [system for system in wanted if system not in short]
    for shortage in shortages:
        print(f"    {shortage}", flush=True)
    if not complete:
        raise HariboteError(
            tr("the packages of no system are complete"), tr("a machine with a network, or other --systems")
        )
    digits = _mnist()
    print(
        tr("data set: {value}", "MNIST" if digits else tr("synthetic digits (MNIST is not here and cannot be fetched)"))
    )
    write_bundle(options.output, sorted(wheels.values()), digits, complete, shortages)
    print(f"{options.output}: {options.output.stat().st_size / 1e6:.0f} MB, for {', '.join(map(str, complete))}")
    return 1 if shortages else 0


def write_bundle(
    target: Path, wheels: Sequence[Path], digits: Sequence[Path], systems: Sequence[System], missing: Sequence[Shortage]
) -> None:
    """Write the archive, under a temporary name until it is whole.

    Raises:
        FileError: the disk is full, or the folder cannot be written.
    """
    with writing(target) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in course_files():
            _add(archive, name, content)
        for name, text in _first_files(systems, bool(digits), missing):
            _add(archive, name, text.encode())
        for folder, files in (("wheels", wheels), ("data/mnist", digits)):
            for path in files:
                packed = zipfile.ZIP_STORED if path.suffix in PACKED else zipfile.ZIP_DEFLATED
                archive.write(path, f"{FOLDER}/{folder}/{path.name}", packed)


def course_files() -> Iterator[tuple[str, bytes]]:
    """The course's files by their path in it: what git knows (else all but leftovers), every stub unwritten."""
    stubs = {f"haribote/{task.file}": task for task in all_tasks()}
    for name in _names():
        if task := stubs.get(name):
            yield name, stub_of(task, source_of(task)).encode()
        elif (ROOT / name).is_file():
            yield name, (ROOT / name).read_bytes()


def _names() -> list[str]:
    try:
        done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True)
        if done.returncode == 0 and (ROOT / ".git").exists():
            return sorted(done.stdout.decode().strip("\0").split("\0"))
    except FileNotFoundError:
        pass
    paths = (path.relative_to(ROOT) for path in ROOT.rglob("*") if path.is_file())
    return sorted(path.as_posix() for path in paths if not LEFT_OUT & set(path.parts))


def _mnist() -> list[Path]:
    """MNIST's four files, from where the product has them or from a mirror; none where there is no way to them."""
    try:
        folder = data.mnist_folder() or data.fetch()
    except (HariboteError, FileError):
        return []
    return [path for file in mnist.FILES if (path := mnist.locate(folder, file))]


def _first_files(systems: Sequence[System], digits: bool, missing: Sequence[Shortage]) -> Iterator[tuple[str, str]]:
    """What a learner reads and starts first."""
    versions = sorted({system.python for system in systems}, key=lambda v: [int(part) for part in v.split(".")])
    wanted = " or ".join(f"Python {version}" for version in versions)
    names = ", ".join(map(str, systems))
    yield (
        "START-HERE.txt",
        START.format(
            pythons=wanted,
            systems=names,
            digits="MNIST" if digits else tr("synthetic digits, drawn when first needed"),
            missing="".join(f"Missing: {shortage}\n" for shortage in missing),
        ),
    )
    yield "start.sh", START_SH.format(pythons=" ".join(f"python{version}" for version in versions), wanted=wanted)
    yield "start.bat", START_BAT.format(version=versions[-1]).replace("\n", "\r\n")
    yield "wheels/SYSTEMS.txt", names + "\n"


def _add(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    info = zipfile.ZipInfo(f"{FOLDER}/{name}", (2026, 1, 1, 0, 0, 0))
    info.compress_type = zipfile.ZIP_DEFLATED
    runnable = name.endswith(".sh") or name == ".ci/run"
    info.external_attr = (0o100755 if runnable else 0o100644) << 16
    archive.writestr(info, content)
