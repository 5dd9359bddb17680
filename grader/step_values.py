"""The values that reach each kernel in a training step of 784-16-10, batch 256, padded to 1024-16-16.

Computed with NumPy alone, node by node in the order of the lowered graph, so that a check needs no torch. The batch is
drawn at random with the statistics of MNIST: four fifths of the pixels dark.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

BATCH, PIXELS, CLASSES, LEARNING_RATE = 256, 784, 10, 0.1
PADDED_BIAS = -1e4  # so low that the probability of a padded class is exactly 0


@lru_cache(maxsize=1)
def step_values(seed: int) -> dict[str, tuple[Array, ...]]:
    """The inputs of every row of the kernel table, by its name; float32, the labels int32."""
    rng = np.random.default_rng(seed)
    x, w1, b1, w2, b2, labels = _start(rng)
    linear1 = x @ w1.T
    biased1 = linear1 + b1
    hidden = np.maximum(biased1, 0)
    linear2 = hidden @ w2.T
    logits = linear2 + b2
    largest = logits.max(axis=1)
    shifted = logits - largest[:, None]
    power = np.exp(shifted)
    total = power.sum(axis=1)
    p = power / total[:, None]
    onehot = np.eye(16, dtype=np.float32)[labels]
    difference = p - onehot
    g = difference * np.float32(1 / BATCH)
    dhidden = g @ w2
    mask = (hidden > 0).astype(np.float32)
    dlinear1 = dhidden * mask
    dw1, db1, dw2 = dlinear1.T @ x, dlinear1.sum(axis=0), g.T @ hidden
    rate = np.float32(LEARNING_RATE)
    return {
        "dl_16": (b1,), "dl_16x16": (w2,), "dl_256x16_a": (linear1,), "dl_256": (largest,), "dl_256x16_p": (logits,),
        "dl_256x16_b": (dlinear1,), "dl_16x1024": (w1,), "dl_256x1024": (x,), "dl_1024x16": (w1.reshape(1024, 16),),
        "ul_16": (b1,), "ul_16x16": (dw2,), "ul_256x16_a": (hidden,), "ul_256": (total,), "ul_256x16_p": (p,),
        "ul_16x1024": (dw1,),
        "relu": (biased1,), "greater": (hidden,), "mul": (dhidden, mask), "scale_256x16_a": (difference,),
        "scale_16x16": (dw2,), "scale_16x1024": (dw1,), "scale_16": (db1,), "add_bias": (linear1, b1),
        "sub": (p, onehot), "update_16x16": (w2, dw2 * rate), "update_16x1024": (w1, dw1 * rate),
        "update_16": (b1, db1 * rate), "gemm_xwt": (hidden, w2), "gemm_gw": (g, w2), "max_rows": (logits,),
        "sum_rows": (power,), "sub_rows": (logits, largest), "exp": (shifted,), "div_rows": (power, total),
        "onehot": (labels,), "sum_columns": (g,), "gemm_gtx": (g, hidden), "gemm_xwt_1024": (x, w1),
        "gemm_gtx_1024": (dlinear1, x),
    }  # fmt: skip


def _start(rng: np.random.Generator) -> tuple[Array, Array, Array, Array, Array, Array]:
    """A batch, the parameters as PyTorch starts them, padded, and the labels."""
    x = np.zeros((BATCH, 1024), np.float32)
    ink = rng.random((BATCH, PIXELS), dtype=np.float32)
    x[:, :PIXELS] = np.where(ink > 0.8, 5 * ink - 4, 0)
    w1, w2 = np.zeros((16, 1024), np.float32), np.zeros((16, 16), np.float32)
    w1[:, :PIXELS] = rng.uniform(-1, 1, (16, PIXELS)) / np.sqrt(PIXELS)
    w2[:CLASSES] = rng.uniform(-0.25, 0.25, (CLASSES, 16))
    b1 = (rng.uniform(-1, 1, 16) / np.sqrt(PIXELS)).astype(np.float32)
    b2 = np.full(16, PADDED_BIAS, np.float32)
    b2[:CLASSES] = rng.uniform(-0.25, 0.25, CLASSES)
    return x, w1, b1, w2, b2, rng.integers(0, CLASSES, BATCH).astype(np.int32)
