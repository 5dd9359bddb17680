"""Checkpoints: the parameters and the history of a training run in one `.npz` file, written whole or not at all."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np

from haribote.errors import HariboteError
from haribote.network import LARGE
from haribote.training.backends import Parameters
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
    content = io.BytesIO()
    meta = np.frombuffer(json.dumps(asdict(run)).encode(), np.uint8)
    np.savez(content, **{_META: meta, **parameters})  # type: ignore[arg-type]
    write_file(path, content.getvalue())


def load_checkpoint(path: Path) -> tuple[Run, Parameters]:
    """Read a checkpoint. Raises CheckpointError where there is none or it is damaged."""
    if not path.is_file():
        raise CheckpointError(
            tr("there is no checkpoint {path}", path=path), tr("`haribote train` to make one, or --checkpoint FILE")
        )
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        run = Run(**json.loads(arrays.pop(_META).tobytes()))
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
        raise CheckpointError(
            tr("{path} is not a complete checkpoint: {error}", path=path, error=error),
            tr("train again without --resume"),
        ) from error
    return run, arrays
