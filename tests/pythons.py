"""`make test-pythons`: run the default tests on every Python from 3.10 to 3.13 that is found.

Each gets an environment of its own in build/, which stays for the next time. Further arguments go to pytest.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VERSIONS = ("3.10", "3.11", "3.12", "3.13")


def main(arguments: list[str]) -> int:
    """Exit status 0 where the tests pass on all that are found."""
    pythons = {version: python for version in VERSIONS if (python := find(version))}
    results = {}
    for version, python in pythons.items():
        print(f"== Python {version}: {python}", flush=True)
        command = [python, str(ROOT / "bootstrap.py"), "test", "--venv", str(ROOT / "build" / f"python-{version}")]
        results[version] = subprocess.run([*command, *arguments], env=bare(), check=False).returncode
    for version in VERSIONS:
        status = results.get(version)
        said = {None: "not found", 0: "passed", 2: "not set up, or stopped"}.get(status, f"failed (status {status})")
        print(f"Python {version}: {said}")
    return max(results.values(), default=2)


def find(version: str) -> str | None:
    """A Python of this version: on the PATH, of pyenv, or that of Windows' launcher."""
    root = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    found = [shutil.which(f"python{version}"), *map(str, sorted(root.glob(f"versions/{version}.*/bin/python")))]
    if launcher := shutil.which("py"):
        asked = subprocess.run([launcher, f"-{version}", "-c", "import sys; print(sys.executable)"],
                               capture_output=True, text=True, check=False)  # fmt: skip
        found.append(asked.stdout.strip())
    return next((base for python in found if python and (base := base_of(python, version))), None)


def base_of(python: str, version: str) -> str | None:
    """The Python behind this one, which may be that of an environment or pyenv's stand-in for one that is not there."""
    code = "import sys; print('%d.%d' % sys.version_info[:2], getattr(sys, '_base_executable', sys.executable))"
    asked = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
    is_version, _, base = asked.stdout.strip().partition(" ")
    return base if asked.returncode == 0 and is_version == version else None


def bare() -> dict[str, str]:
    """The variables without those of an active environment."""
    return {name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "PYTHONHOME")}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
