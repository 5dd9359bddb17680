"""How closely the simulated chip follows torch: same initial weights, same batches, largest difference of the weights.

python benchmarks/follow_torch.py [--data auto|mnist|synthetic|PATH] [--steps 234]
"""

from __future__ import annotations

import argparse
import time
from statistics import median

import numpy as np

from haribote.backends import SimBackend, TorchBackend
from haribote.data import batch_order, load, normalise
from haribote.models import mlp
from haribote.train import evaluate


def main() -> None:
    """Train both and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default="auto")
    parser.add_argument("--steps", type=int, default=234)
    options = parser.parse_args()
    data = load(options.data)
    images = normalise(data.train_images)
    chip = SimBackend(mlp(784, 16, 10), 0.01, 256, solutions=True, require_chip=True)
    torch = TorchBackend(mlp(784, 16, 10), 0.01)
    print(data.origin)
    print(chip.summary)
    order = batch_order(len(images), seed=42, epoch=0)
    seconds = []
    for step in range(options.steps):
        rows = order[step % len(order)]
        start = time.perf_counter()
        loss = chip.step(images[rows], data.train_labels[rows])
        seconds.append(time.perf_counter() - start)
        reference = torch.step(images[rows], data.train_labels[rows])
        if step + 1 in (1, 10, options.steps):
            ours, theirs = chip.parameters(), torch.parameters()
            difference = max(float(np.abs(ours[name] - theirs[name]).max()) for name in ours)
            print(f"step {step + 1}: weights differ by at most {difference:.3g}, loss {loss:.6f} and {reference:.6f}")
    stray = 0.0
    for name, value in chip.padded_parameters().items():
        value[tuple(map(slice, ours[name].shape))] = 0
        stray = max(stray, float(np.abs(np.where(value == np.float32(-1e9), 0, value)).max()))
    print(f"largest padded entry beside the class bias: {stray}")
    test, labels = normalise(data.test_images), data.test_labels
    accuracies = [100 * evaluate(backend, test, labels) for backend in (chip, torch)]
    print(f"accuracy: chip {accuracies[0]:.2f} %, torch {accuracies[1]:.2f} %")
    print(f"{median(seconds):.3f} s per simulated train step (median), {chip.compiled.cost}")


if __name__ == "__main__":
    main()
