"""Draw cut.svg: a classifier with two operators that the chip has not, both of them random, cut into pieces.

Host pieces are measured on the machine that draws it.

    python -m docs.images cut
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx

from docs.images.files import path
from haribote.graph import Builder
from haribote.partition.cut import cut
from haribote.partition.picture import cut_picture


def classifier() -> onnx.ModelProto:
    """Two layers with noise between them, and a class that is drawn by its probability."""
    random, b = np.random.default_rng(0), Builder("classifier")

    def weight(name: str, *shape: int) -> str:
        return b.constant(np.asarray(random.standard_normal(shape) / shape[0] ** 0.5, np.float32), name)

    x = b.input("x", (64, 48), np.float32)
    hidden = b.op("Relu", b.op("Gemm", x, weight("w0", 48, 32), weight("b0", 32), name="z0"), name="hidden")
    noise = b.op("RandomNormalLike", hidden, name="noise", scale=0.1, seed=1.0)
    noisy = b.op("Mul", b.op("Add", hidden, noise, name="added"), hidden, name="noisy")
    scores = b.op("Gemm", noisy, weight("w1", 32, 16), name="scores")
    shares = b.op("Softmax", scores, name="shares", axis=1)
    b.output(shares)
    b.output(b.op("Bernoulli", shares, name="drawn", seed=1.0))
    return b.finish()


def make(language: str) -> Path:
    """Write cut.svg."""
    file = path("cut", language, "svg")
    cut_picture(cut(classifier(), by_cost=False)).save(file, script=False)
    return file
