"""JupyterLab as `make lab` opens it: lines of text are at most about 75 characters long, on a wide screen too."""

from __future__ import annotations

from pathlib import Path

if "get_config" in globals():
    get_config().LabApp.extra_labextensions_path = [str(Path(__file__).parent / "extensions")]  # type: ignore[name-defined]  # noqa: F821
