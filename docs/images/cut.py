"""Draw cut.svg: a classifier with one operator that the chip has not, cut into pieces.

Host pieces are measured on the machine that draws it.

    python docs/images/cut.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx

from haribote.graph import Builder
from haribote.partition.cut import cut
from haribote.partition.picture import cut_picture


def classifier() -> onnx.ModelProto:
    """Two layers with a local response normalisation between them, and the most likely class by Hardmax."""
    random, b = np.random.default_rng(0), Builder("classifier")

    def weight(name: str, *shape: int) -> str:
        return b.constant(np.asarray(random.standard_normal(shape) / shape[0] ** 0.5, np.float32), name)

    x = b.input("x", (64, 48), np.float32)
    hidden = b.op("Relu", b.op("Gemm", x, weight("w0", 48, 32), weight("b0", 32), name="z0"), name="hidden")
    maps = b.op("Reshape", hidden, b.constant(np.array([64, 32, 1, 1]), "as_maps"), name="maps")
    normal = b.op("LRN", maps, name="normal", size=5)
    flat = b.op("Reshape", normal, b.constant(np.array([64, 32]), "as_rows"), name="flat")
    scores = b.op("Gemm", b.op("Mul", flat, hidden, name="gated"), weight("w1", 32, 16), name="scores")
    shares = b.op("Softmax", scores, name="shares", axis=1)
    b.output(shares)
    b.output(b.op("Hardmax", shares, name="winner", axis=1))
    return b.finish()


if __name__ == "__main__":
    cut_picture(cut(classifier(), by_cost=False)).save(Path(__file__).with_name("cut.svg"), script=False)
