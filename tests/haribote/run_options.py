"""Options of a short training run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from haribote.training.train import Options


def options(folder: Path, **changes: object) -> Options:
    return replace(Options("torch", folder, epochs=2, batch=32, learning_rate=0.05), **changes)  # type: ignore[arg-type]
