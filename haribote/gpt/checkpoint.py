"""Checkpoints of a language model: one `.npz` file, written whole or not at all."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np

from haribote.gpt.model import Shape
from haribote.gpt.trainers import State
from haribote.training.checkpoint import CheckpointError
from simulator.files import write_file
from simulator.messages import tr

_META = "__gpt__"


@dataclass
class Run:
    """What a run is, and how far it came.

    alphabet: the characters; text: the digest of what is learned. losses: of each step, by trainer: `torch`, `sim`.
    """

    shape: Shape
    alphabet: str
    text: str
    batch: int
    rate: float
    seed: int
    losses: dict[str, list[float]] = field(default_factory=dict)

    @property
    def steps(self) -> int:
        """Steps that are done."""
        return max((len(losses) for losses in self.losses.values()), default=0)

    def task(self) -> dict[str, object]:
        """What must be the same where a run goes on."""
        return {key: value for key, value in asdict(self).items() if key != "losses"}


def save(path: Path, run: Run, states: dict[str, State]) -> None:
    """Write a run and the state of each of its trainers; what was there is replaced only when the new one is whole."""
    content = io.BytesIO()
    arrays = {f"{name}:{key}": value for name, state in states.items() for key, value in state.items()}
    meta = np.frombuffer(json.dumps(asdict(run)).encode(), np.uint8)
    np.savez(content, **{_META: meta, **arrays})  # type: ignore[arg-type]
    write_file(path, content.getvalue())


def load(path: Path) -> tuple[Run, dict[str, State]]:
    """A run and the states of its trainers. Raises CheckpointError where there is none, or one of another model."""
    advice = tr("`haribote gpt train` makes one; --checkpoint FILE names another")
    if not path.is_file():
        raise CheckpointError(tr("there is no checkpoint {path}", path=path), advice)
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
        raise CheckpointError(
            tr("{path} is not a complete checkpoint: {error}", path=path, error=error), advice
        ) from error
    if _META not in arrays:
        raise CheckpointError(tr("{path} is a checkpoint of another model, no GPT", path=path), advice)
    try:
        meta = json.loads(arrays.pop(_META).tobytes())
        run = Run(**{**meta, "shape": Shape(**meta["shape"])})
    except (ValueError, KeyError, TypeError) as error:
        raise CheckpointError(
            tr("{path} is not a complete checkpoint: {error}", path=path, error=error), advice
        ) from error
    states: dict[str, State] = {}
    for name, value in arrays.items():
        trainer, _, key = name.partition(":")
        states.setdefault(trainer, {})[key] = value
    return run, states
