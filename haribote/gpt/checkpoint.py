"""Checkpoints of a language model: one `.npz` file, written whole or not at all."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from haribote.gpt.model import Shape
from haribote.gpt.trainers import State
from haribote.training.checkpoint import CheckpointError, reading, write_arrays
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
    arrays = {f"{name}:{key}": value for name, state in states.items() for key, value in state.items()}
    write_arrays(path, _META, asdict(run), arrays)


def load(path: Path) -> tuple[Run, dict[str, State]]:
    """A run and the states of its trainers. Raises CheckpointError where there is none, or one of another model."""
    advice = tr("`haribote gpt train` makes one; --checkpoint FILE names another")
    with reading(path, advice, advice) as arrays:
        if _META not in arrays:
            raise CheckpointError(tr("{path} is a checkpoint of another model, no GPT", path), advice)
        meta = json.loads(arrays.pop(_META).tobytes())
        run = Run(**{**meta, "shape": Shape(**meta["shape"])})
    states: dict[str, State] = {}
    for name, value in arrays.items():
        trainer, _, key = name.partition(":")
        states.setdefault(trainer, {})[key] = value
    return run, states
