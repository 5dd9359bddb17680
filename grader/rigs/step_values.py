"""The values that reach each kernel in a training step of 784-16-10, batch 256, padded to 1024-16-16.

Computed with NumPy alone, node by node in the order of the lowered graph, by what the rows of the kernel table mean, so
that a check needs no torch. The batch is drawn at random with the statistics of MNIST: four fifths of the pixels dark.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haribote.kernel_table import BY_NAME, TILE, TILE_FEATURES
from haribote.network import BATCH, CLASS_BIAS, CLASSES, LEARNING_RATE, PIXELS
from haribote.problems.meaning import meaning

Array = NDArray[Any]


@lru_cache(maxsize=1)
def step_values(seed: int) -> dict[str, tuple[Array, ...]]:
    """The inputs of every row of the kernel table, by its name; float32, the labels int32."""
    values: dict[str, tuple[Array, ...]] = {}

    def run(name: str, *inputs: Array, constant: float = 1.0) -> Array:
        values[name] = inputs
        return meaning(BY_NAME[name], inputs, constant)[0].astype(np.float32)

    x, w1, b1, w2, b2, labels = _start(np.random.default_rng(seed))
    biased = run("add_bias", run("gemm_xwt_1024", x, w1), b1)
    hidden = run("relu", biased)
    logits = run("gemm_xwt", hidden, w2) + b2
    largest = run("max_rows", logits)
    shifted = run("sub_rows", logits, largest)
    power = run("exp", shifted)
    total = run("sum_rows", power)
    p = run("div_rows", power, total)
    difference = run("sub", p, run("onehot", labels))
    g = run("scale_256x16_a", difference, constant=1 / BATCH)
    run("sum_columns", g)
    dlinear = run("mul", run("gemm_gw", g, w2), run("greater", hidden))
    dw1, dw2, db1 = run("gemm_gtx_1024", dlinear, x), run("gemm_gtx", g, hidden), dlinear.sum(axis=0)
    for tag, parameter, gradient in (("16x1024", w1, dw1), ("16x16", w2, dw2), ("16", b1, db1)):
        run(f"update_{tag}", parameter, run(f"scale_{tag}", gradient, constant=LEARNING_RATE))
    moved = {
        "dl_16": b1, "dl_16x16": w2, "dl_256x16_a": values["add_bias"][0], "dl_256": largest, "dl_256x16_p": logits,
        "dl_256x16_b": dlinear, "dl_16x1024": w1, "dl_256x1024": x, "dl_1024x16": w1.reshape(-1, TILE),
        "ul_16": b1, "ul_16x16": dw2, "ul_256x16_a": hidden, "ul_256": total, "ul_256x16_p": p, "ul_16x1024": dw1,
    }  # fmt: skip
    return values | {name: (array,) for name, array in moved.items()}


def _start(rng: np.random.Generator) -> tuple[Array, Array, Array, Array, Array, Array]:
    """A batch, the parameters as PyTorch starts them, padded, and the labels."""
    x = np.zeros((BATCH, TILE_FEATURES), np.float32)
    ink = rng.random((BATCH, PIXELS), dtype=np.float32)
    x[:, :PIXELS] = np.where(ink > 0.8, 5 * ink - 4, 0)
    w1, w2 = np.zeros((TILE, TILE_FEATURES), np.float32), np.zeros((TILE, TILE), np.float32)
    w1[:, :PIXELS] = rng.uniform(-1, 1, (TILE, PIXELS)) / np.sqrt(PIXELS)
    w2[:CLASSES] = rng.uniform(-0.25, 0.25, (CLASSES, TILE))
    b1 = (rng.uniform(-1, 1, TILE) / np.sqrt(PIXELS)).astype(np.float32)
    b2 = np.full(TILE, CLASS_BIAS, np.float32)
    b2[:CLASSES] = rng.uniform(-0.25, 0.25, CLASSES)
    return x, w1, b1, w2, b2, rng.integers(0, CLASSES, BATCH).astype(np.int32)
