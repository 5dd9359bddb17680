"""An operator of one's own from trace to digit: HardSwish, x · clip(x + 3, 0, 6) / 6. See docs/final_project.md.

Importing this module teaches it to the compiler: what it means, how it is traced, its gradient, and a kernel. Run as a
program, `python -m haribote.lessons.hard_swish`, it trains a network with it on the simulated chip and reads digits.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import onnx
import torch
from torch import nn

from haribote.autodiff import train_step
from haribote.autodiff.rules import Backward, Gradients, gradient
from haribote.compiler import compile_for_sim, start_session
from haribote.data import batch_order, load, normalise
from haribote.errors import UnsupportedShape
from haribote.extend import define, serve
from haribote.frontend.aten import Lowering, aten, rule
from haribote.frontend.torch import trace_loss
from haribote.kernel import Op, kernel, single
from simulator.messages import Text, say, tr

define("""HardSwish (x) => (y) {
    three = Constant <value_float: float = 3.0> ()
    zero = Constant <value_float: float = 0.0> ()
    six = Constant <value_float: float = 6.0> ()
    sixth = Constant <value_float: float = 0.16666667> ()
    moved = Add (x, three)
    clipped = Clip (moved, zero, six)
    share = Mul (clipped, sixth)
    y = Mul (share, x)
}""")

define("""HardSwishGrad (grad, x) => (x_grad) {
    three = Constant <value_float: float = 3.0> ()
    half = Constant <value_float: float = 0.5> ()
    zero = Constant <value_float: float = 0.0> ()
    one = Constant <value_float: float = 1.0> ()
    third = Div (x, three)
    slope = Add (third, half)
    minus_three = Neg (three)
    low = LessOrEqual (x, minus_three)
    high = GreaterOrEqual (x, three)
    not_low = Where (low, zero, slope)
    slopes = Where (high, one, not_low)
    x_grad = Mul (grad, slopes)
}""")


@rule(aten.hardswish.default)
def hard_swish(g: Lowering, x: str) -> str:
    """ATen's operation is ours, one to one."""
    return g.op("HardSwish", g.value(x))


@gradient("HardSwish")
def hard_swish_backward(g: Backward, node: onnx.NodeProto, grad: str) -> Gradients:
    """0 up to -3, 1 from 3 on, x/3 + 1/2 between."""
    yield g.op("HardSwishGrad", grad, node.input[0])


@kernel("", "HardSwish")
def hard_swish_kernel(op: Op) -> Iterator[str]:
    """y = x · clip(x + 3, 0, 6) / 6, 8 words at a time; x in LM0, y in LM1, a multiple of 8 words per PE."""
    if op.y.words % 8:
        raise UnsupportedShape(
            tr("x has a multiple of 8 words per PE"), f"{op.y.words} words", tr("pad x to more rows")
        )
    for place, number in (("$lr0", 3.0), ("$ls0", 6.0), ("$lr2", 1 / 6)):
        yield f"imm {single(number)} {place}"
    yield "nop"
    for at in range(0, op.y.words, 8):
        yield f"fvadd {op.x.long(at)} $lr0 $nowrite"
        yield "frelu $mauf $mauf $nowrite"
        yield "fmin $aluf $ls0 $nowrite"
        yield "fvmul $aluf $lr2 $nowrite"
        yield f"fvmul {op.x.long(at)} $mauf {op.y.long(at)}"


serve("HardSwish", hard_swish_kernel, par=14)


def network() -> nn.Sequential:
    """784-16-10 with HardSwish between."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(42)
        return nn.Sequential(nn.Linear(784, 16), nn.Hardswish(), nn.Linear(16, 10))


def train(steps: int, level: int = 0, source: str = "auto", learning_rate: float = 0.1) -> tuple[list[float], float]:
    """Train on the simulated chip; the losses of the steps, and the share of test images that are read rightly after.

    level: of `haribote compile -O`. source: as `data.load` has it. Other kernels are the course's.
    """
    data = load(source)
    images, labels = normalise(data.train_images), data.train_labels
    net, order = network(), batch_order(len(images), seed=3, epoch=0)
    rows = order[0]
    forward = trace_loss(net, torch.from_numpy(images[rows]), torch.from_numpy(labels[rows]))
    session = start_session(compile_for_sim(train_step(forward, learning_rate), solutions=True, level=level))
    for name, value in net.named_parameters():
        session.write(name, value.detach().numpy())
    losses = []
    for number in range(steps):
        rows = order[number % len(order)]
        session.step({"x": images[rows], "labels": labels[rows]})
        losses.append(float(session.read("loss")))
    with torch.no_grad():
        for name, value in net.named_parameters():
            value.copy_(torch.from_numpy(session.read(name).copy()))
        read = net(torch.from_numpy(normalise(data.test_images))).numpy().argmax(axis=1)
    return losses, float(np.mean(read == data.test_labels))


if __name__ == "__main__":
    losses, accuracy = train(100)
    say(
        Text(
            "loss {losses:.3f} before, {losses2:.3f} after {losses3} steps; {accuracy:.1%} of the test images",
            {"losses": losses[0], "losses2": losses[-1], "losses3": len(losses), "accuracy": accuracy},
        )
    )
