"""MNIST with `jax.example_libraries`: a network 784-256-256-10 with LogSoftmax, trained with momentum.

`stax` makes the network and `optimizers` the update, as in the example of JAX; only `jax.jit` is `mnjit` here.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.example_libraries import optimizers, stax

from benchmarks.jax_programs import beside
from haribote.data import batch_order, load, normalise
from haribote.jax.mnjit import mnjit
from simulator.messages import say

MOMENTUM = 0.9


class Network:
    """The network, its loss and its training step, as pure functions.

    Args:
        hidden: width of the two hidden layers.
        learning_rate: of the update.
    """

    def __init__(self, hidden: int = 256, learning_rate: float = 0.01) -> None:
        layers = (stax.Dense(hidden), stax.Relu, stax.Dense(hidden), stax.Relu, stax.Dense(10), stax.LogSoftmax)
        self.init_random_params, self.predict = stax.serial(*layers)
        self.opt_init, self.opt_update, self.get_params = optimizers.momentum(learning_rate, MOMENTUM)

    def start(self, seed: int = 0) -> Any:
        """The first state of the optimiser."""
        _, params = self.init_random_params(jax.random.PRNGKey(seed), (-1, 28 * 28))
        return self.opt_init(params)

    def loss(self, params: Any, batch: tuple[Any, Any]) -> Any:
        """The mean cross-entropy. batch: images [n, 784] and labels [n, 10], 1 for the digit."""
        inputs, targets = batch
        return -jnp.mean(jnp.sum(self.predict(params, inputs) * targets, axis=1))

    def update(self, number: Any, state: Any, batch: tuple[Any, Any]) -> Any:
        """The optimiser's state after one step."""
        params = self.get_params(state)
        return self.opt_update(number, jax.grad(self.loss)(params, batch), state)


def main() -> int:
    """Train, then classify the test images on the same device."""
    build = beside.parser("mnist", __doc__, 100)
    build.add_argument("--batch", type=int, default=128, help="images in a step (default 128)")
    build.add_argument("--hidden", type=int, default=256, help="width of the hidden layers (default 256)")
    build.add_argument("--data", default="auto", help="auto, mnist, synthetic or a folder")
    return beside.run(build, work)


def work(arguments: argparse.Namespace) -> int:
    """What the command line asks for."""
    options = beside.options(arguments, state=1)
    data, network, size = load(arguments.data), Network(arguments.hidden), arguments.batch
    say(data.origin)
    order = batch_order(len(data.train_labels), seed=42, epoch=1, batch=size)

    def advance(update: Any, state: Any, number: int) -> Any:
        rows = order[number % len(order)]
        images = normalise(data.train_images[rows]).reshape(size, -1)
        return update(number, state, (images, np.eye(10, dtype=np.float32)[data.train_labels[rows]]))

    race = beside.Race(network.update, advance, network.start(), options)
    for number in range(arguments.steps):
        race.step()
        if number == 0 or (number + 1) % 25 == 0:
            rows = order[number % len(order)]
            batch = normalise(data.train_images[rows]).reshape(size, -1)
            targets = np.eye(10, dtype=np.float32)[data.train_labels[rows]]
            loss = network.loss(network.get_params(race.state), (batch, targets))
            say(f"step {number + 1:4}  loss {float(loss):.4f}", flush=True)
    say(race.report())
    predict = mnjit(network.predict, device=arguments.device, precision=arguments.precision)
    count = len(data.test_labels) // size * size
    right = 0
    for start in range(0, count, size):
        images = normalise(data.test_images[start : start + size]).reshape(size, -1)
        answers = np.asarray(predict(network.get_params(race.state), images)).argmax(1)
        right += int((answers == data.test_labels[start : start + size]).sum())
    say(f"inference by mnjit: {right} of {count} test images right, {100 * right / count:.2f}%")
    return 0


if __name__ == "__main__":
    sys.exit(main())
