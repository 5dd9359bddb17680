"""How closely the simulated chip follows torch: same initial weights, same batches, largest difference of the weights.

python benchmarks/follow_torch.py [--data …] [--steps 234] [--widths 784 16 10] [--no-bias] [--batch 256]
"""

from __future__ import annotations

import argparse
import time
from statistics import median

import numpy as np

from haribote.data.dataset import batch_order, load, normalise
from haribote.network import BATCH, CLASS_BIAS, LEARNING_RATE, WIDTHS
from haribote.training.backends import TorchBackend
from haribote.training.evaluation import evaluate
from haribote.training.models import mlp
from haribote.training.sim_backend import SimBackend


def main() -> None:
    """Train both and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default="auto")
    parser.add_argument("--steps", type=int, default=234)
    parser.add_argument("--widths", type=int, nargs="+", default=[*WIDTHS])
    parser.add_argument("--no-bias", action="store_true")
    parser.add_argument("--batch", type=int, default=BATCH)
    parser.add_argument("--engine", default="native")
    options = parser.parse_args()
    data = load(options.data)
    images, labels = normalise(data.train_images), data.train_labels
    first, second = (mlp(*options.widths, bias=not options.no_bias) for _ in range(2))
    start = time.perf_counter()
    chip = SimBackend(first, LEARNING_RATE, options.batch, solutions=True, require_chip=True, engine=options.engine)
    print(f"{data.origin}\n{chip.summary}\ncompiled in {time.perf_counter() - start:.1f} s")
    torch = TorchBackend(second, LEARNING_RATE)
    order = batch_order(len(images), seed=42, epoch=0, batch=options.batch)
    seconds = []
    for step in range(options.steps):
        rows = order[step % len(order)]
        start = time.perf_counter()
        loss = chip.step(images[rows], labels[rows])
        seconds.append(time.perf_counter() - start)
        reference = torch.step(images[rows], labels[rows])
        if step + 1 in (1, 10, options.steps):
            difference = largest_difference(chip, torch)
            print(f"step {step + 1}: weights differ by at most {difference:.3g}, loss {loss:.6f} and {reference:.6f}")
    print(f"largest padded entry beside the class bias: {largest_padded(chip)}")
    test, wanted = normalise(data.test_images), data.test_labels
    accuracies = [100 * evaluate(backend, test, wanted) for backend in (chip, torch)]
    print(f"accuracy: chip {accuracies[0]:.2f} %, torch {accuracies[1]:.2f} %")
    cost = chip.compiled.cost
    print(f"{median(seconds):.3f} s per simulated train step (median): {cost.steps} PE steps ({cost.nops} nops), "
          f"{cost.moves} MV of {cost.move_words} long words, {cost.cycles:.0f} cycles")  # fmt: skip


def largest_difference(chip: SimBackend, torch: TorchBackend) -> float:
    """The largest absolute difference of any parameter."""
    ours, theirs = chip.parameters(), torch.parameters()
    return max(float(np.abs(ours[name] - theirs[name]).max()) for name in theirs)


def largest_padded(chip: SimBackend) -> float:
    """The largest absolute value of a padded entry, the bias of padded classes left out."""
    largest, real = 0.0, chip.parameters()
    for name, value in chip.padded_parameters().items():
        value[tuple(map(slice, real[name].shape))] = 0
        largest = max(largest, float(np.abs(np.where(value == np.float32(CLASS_BIAS), 0, value)).max()))
    return largest


if __name__ == "__main__":
    main()
