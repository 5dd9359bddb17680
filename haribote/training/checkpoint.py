"""Checkpoints: the parameters and the history of a training run in one `.npz` file, written whole or not at all."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from haribote.errors import HariboteError
from haribote.network import LARGE
from haribote.training.backends import Parameters
from simulator.archives import NPZ_ERRORS
from simulator.files import write_file
from simulator.messages import tr

_META = "__run__"


class CheckpointError(HariboteError):
    """A checkpoint is missing, damaged, or of another run."""


@dataclass
class Run:
    """What a run is and how far it came.

    hidden: widths of the hidden layers. network: its name in `network.NETWORKS`.
    losses: one per train step; accuracies: one per epoch, 0 to 1.
    """

    hidden: list[int]
    batch: int
    learning_rate: float
    seed: int
    data: str
    bias: bool = True
    epoch: int = 0
    losses: list[float] = field(default_factory=list)
    accuracies: list[float] = field(default_factory=list)
    network: str = LARGE.name

    def same_task(self, other: Run) -> bool:
        """True when the other run trains the same model on the same batches."""
        mine, theirs = (
            (run.network, run.hidden, run.bias, run.batch, run.learning_rate, run.seed, run.data)
            for run in (self, other)
        )
        return mine == theirs


def save_checkpoint(path: Path, run: Run, parameters: Parameters) -> None:
    """Write the checkpoint; the one that was there is replaced only when the new one is complete."""
    write_arrays(path, _META, asdict(run), parameters)


def load_checkpoint(path: Path) -> tuple[Run, Parameters]:
    """Read a checkpoint. Raises CheckpointError where there is none or it is damaged."""
    with reading(
        path, tr("`haribote train` to make one, or --checkpoint FILE"), tr("train again without --resume")
    ) as arrays:
        return Run(**json.loads(arrays.pop(_META).tobytes())), arrays


def write_arrays(path: Path, mark: str, meta: Mapping[str, Any], arrays: Parameters) -> None:
    """Write what `reading` reads: arrays by name, and as one of them, `mark`, what they belong to."""
    content = io.BytesIO()
    marked = {mark: np.frombuffer(json.dumps(meta).encode(), np.uint8)}
    np.savez(content, **marked, **arrays)  # type: ignore[arg-type]
    write_file(path, content.getvalue())


@contextmanager
def reading(path: Path, missing: str, damaged: str) -> Iterator[Parameters]:
    """The arrays of a checkpoint, while what they mean is read.

    missing, damaged: what to do where there is none, or it is not complete, a CheckpointError.
    """
    if not path.is_file():
        raise CheckpointError(tr("there is no checkpoint {path}", path), missing)
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        yield arrays
    except NPZ_ERRORS as error:
        raise CheckpointError(tr("{path} is not a complete checkpoint: {error}", path, error), damaged) from error
