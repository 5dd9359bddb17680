"""What a training of a language model is asked for; the command line shows these numbers as what it takes by itself."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

BACKENDS = ("torch", "sim")
STEPS, BATCH, RATE, EVERY, SEED = 2000, 4, 3e-3, 100, 42
LAYERS, WIDTH, HEADS, CONTEXT = 2, 64, 4, 32
FILE = "gpt.npz"


@dataclass(frozen=True)
class GptOptions:
    """text: a file, None for our stories; steps: in all, those of before included; rate: of Adam; every: steps from one
    line, and checkpoint, to the next.
    """

    backend: str
    folder: Path
    text: Path | None = None
    steps: int = STEPS
    batch: int = BATCH
    rate: float = RATE
    seed: int = SEED
    layers: int = LAYERS
    width: int = WIDTH
    heads: int = HEADS
    context: int = CONTEXT
    every: int = EVERY
    resume: bool = False

    @property
    def checkpoint(self) -> Path:
        """Where the state after the last steps is kept."""
        return self.folder / FILE
