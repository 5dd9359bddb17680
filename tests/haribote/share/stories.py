"""A story that nobody trained for, with what its page and pictures need, and something odd in every place."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from haribote.network import SMALL
from haribote.own.ledger import Entry, Ledger
from haribote.share.digit import Answer, Digit
from haribote.share.race import Lane
from haribote.share.recording import NO_KERNEL, Kernel, Moment, Recording
from haribote.share.story import Story, Trained
from simulator import assemble

KERNELS = (
    Kernel("a<b>", "DL", "down", "5.3", "yours", 0.0, 40.0),
    Kernel("logits", "Gemm", "product", "5.19", "reference", 44.0, 56.0),
)


def story(**changes: Any) -> Story:
    """Two kernels in 100 cycles, 30 moments of noise, 20 losses, a digit; with these changes."""
    random = np.random.default_rng(1)
    program = assemble("".join(f"lpassa $lm{2 * n}v $lr0v\n" for n in range(30)), filename="step.vsm")
    moments = tuple(
        Moment(
            cycle=100 * n / 30,
            kernel=(0, NO_KERNEL, 1)[n * 3 // 30],
            part=0,
            line=n,
            text=f"imm {n}",
            reads=n % 256,
            writes=(7 * n) % 256,
            field=random.integers(0, 16, 4096).astype(np.uint8),
        )
        for n in range(30)
    )
    shares = tuple(float(share) for share in random.dirichlet(np.ones(10)))
    digit = random.integers(0, 256, (28, 28)).astype(np.uint8)
    plain = Story(
        name="",
        network=SMALL,
        data="synthetic",
        recording=Recording(100.0, KERNELS, moments, (program,)),
        losses=tuple(float(loss) for loss in np.linspace(2.3, 0.4, 20)),
        accuracy=0.8,
        digit=Digit(digit, digit[:4, :4], 3, False),
        answers=(Answer(0, (0.1,) * 10), Answer(10, shares), Answer(20, shares[::-1])),
        trained=None,
        lanes=(Lane("-O0", 100.0), Lane("-O1", 60.0, "a note"), Lane("-O2", 11.0)),
        ledger=Ledger(
            (
                Entry("trace", "1.1", "product", 4, 8),
                Entry("kernels", "5.3", "yours", 1, 0, 0, 64, 10, 40.0),
                Entry("kernels", "5.19", "reference", 1, 0, 1, 192, 14, 56.0),
            )
        ),
    )
    return replace(plain, **changes)


TRAINED = Trained(5, 0.913)
