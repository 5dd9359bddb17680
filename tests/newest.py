"""`make test-newest`: run the tests of PyTorch's front ends with the newest torch, not the one of requirements.lock.

Its environment is build/newest-torch, which stays for the next time: only torch is looked for again. Further arguments
go to pytest.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENT = ROOT / "build" / "newest-torch"
PYTHON = ENVIRONMENT / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
TESTS = [f"tests/haribote/{part}" for part in ("frontend", "mlsdk", "lazy", "gpt")]


def main(arguments: list[str]) -> int:
    """Exit status 0 where the tests pass, 2 where the environment cannot be made."""
    ENVIRONMENT.parent.mkdir(exist_ok=True)
    pip = [PYTHON, "-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--progress-bar", "off"]
    for command in (
        [sys.executable, ROOT / "bootstrap.py", "setup", "--venv", ENVIRONMENT],
        [*pip, "--quiet", "--upgrade", "torch"],
    ):
        if _run(*command):
            return 2
    _run(PYTHON, "-c", "import torch; print('== torch', torch.__version__, flush=True)")
    return _run(PYTHON, "-m", "pytest", "-n", "auto", "--dist", "worksteal", "-p", "no:nbval", *TESTS, *arguments)


def _run(*command: str | Path) -> int:
    return subprocess.run([str(word) for word in command], cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
