"""A batch for a model, and how far two backends are apart after steps on it."""

from __future__ import annotations

import numpy as np

from haribote.training.backends import TorchBackend
from haribote.training.sim_backend import SimBackend


def batch(seed: int, size: int = 256, features: int = 784) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    return random.uniform(-0.43, 2.82, (size, features)).astype(np.float32), random.integers(0, 10, size)


def largest_difference(sim: SimBackend, torch: TorchBackend) -> float:
    ours, theirs = sim.parameters(), torch.parameters()
    assert ours.keys() == theirs.keys()
    return max(float(np.abs(ours[name] - theirs[name]).max()) for name in ours)
