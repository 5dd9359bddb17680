"""`haribote demo`: train the 784-16-10 network on the simulated chip, from reference kernels alone."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from haribote.answers.ownership import product_only
from haribote.commands.infer import write_picture
from haribote.data.dataset import Dataset, load
from haribote.network import BATCH
from haribote.training.train import Options, train
from simulator.messages import say, shown, tr
from simulator.shell import command_line

FOLDER = Path("runs/demo")
STEPS = 234
"""At least so many train steps: one epoch of MNIST, six of the synthetic digits."""
LOSS_LIMIT = 1.0
"""The mean loss of the last 20 steps must be below this; a network that knows nothing has ln 10 = 2.30."""


def demo_command(source: str) -> int:
    """Train, compare the loss with the limit, print what happened and what to do next; exit status 1 if it failed."""
    data = load(source)
    say(tr("data: {origin}", data.origin))
    epochs = -(-STEPS // (len(data.train_labels) // BATCH))
    with product_only():
        run = train(Options("sim", FOLDER, epochs=epochs, solutions=True, require_chip=True), data)
    first, last = (float(np.mean(part)) for part in (run.losses[:20], run.losses[-20:]))
    say(
        tr(
            "loss of the first 20 steps {first:.4f}, of the last 20 {last:.4f} (must be below {loss_limit})",
            first,
            last,
            LOSS_LIMIT,
        )
    )
    if not last < LOSS_LIMIT:
        say(tr("the demo FAILED: the network did not learn; please report this with all of the output above"))
        return 1
    say(_story(data, len(run.losses)))
    return 0


def _story(data: Dataset, steps: int) -> str:
    """What happened and what to do next; the commands work as printed."""
    haribote = _command("haribote")
    digit = FOLDER / "digit.png"
    write_picture(data.test_images[0], digit)
    export, checkpoint = Path("runs/export"), FOLDER / "checkpoint.npz"
    commands = {
        f"{haribote} infer {digit} --backend sim --solutions --checkpoint {checkpoint}": tr(
            "classify a digit on the chip"
        ),
        f"{haribote} export -o {export}": tr("the training step as an ONNX graph"),
        f"{haribote} compile {export} --backend sim --solutions": tr("its assembly: {value}", export / "step.vsm"),
        f"{haribote} view {export / 'model.onnx'}": tr("the graph in Netron"),
        f"{haribote} kernel relu --solutions": tr("one kernel"),
        "make lab": tr("the course: its first notebook"),
        f"{_command('grader')} list": tr("its tasks, and where to begin"),
    }
    width = max(map(len, commands))
    lines = [f"  {command:<{width}}  # {shown(why)}" for command, why in commands.items()]
    return "\n".join(
        [
            "",
            tr("What happened: PyTorch traced one training step; the compiler lowered it to operators of the chip and"),
            tr(
                "wrote their assembly; the simulator ran it {steps} times on 4,096 processing elements; it learned.",
                steps,
            ),
            tr("The loss of every step: {value}", FOLDER / "loss.png"),
            "",
            "Next:",
            *lines,
        ]
    )


def _command(name: str) -> str:
    """How to call a command from the folder the user is in: the script beside the running Python."""
    script = Path(sys.executable).with_name(f"{name}.exe" if sys.platform == "win32" else name)
    if not script.exists():
        return name
    return command_line(script.relative_to(Path.cwd()) if script.is_relative_to(Path.cwd()) else script)
