"""Operators that ONNX's reference computes wrongly, as they are meant."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx.reference.op_run import OpRun
from onnx.reference.ops.op_conv_transpose import ConvTranspose as Original

Array = NDArray[Any]


class ConvTranspose(Original):
    """Of several groups, each with more than one channel of the result; the original knows one group at a time."""

    op_domain = ""

    def _run(  # type: ignore[override]
        self, x: Array, w: Array, b: Array | None = None, group: int = 1, **given: Any
    ) -> tuple[Array]:
        one: Any = super()._run
        images, kernels = np.split(x, group, 1), np.split(w, group)
        biases = [None] * group if b is None else np.split(b, group)
        found = [one(*each, group=1, **given)[0] for each in zip(images, kernels, biases, strict=True)]
        return (np.concatenate(found, 1),)


MENDED: list[type[OpRun]] = [ConvTranspose]
"""For `ReferenceEvaluator(…, new_ops=MENDED)`."""
