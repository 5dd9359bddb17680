"""Operators that ONNX's reference computes wrongly, as they are meant."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx.reference.op_run import OpRun
from onnx.reference.ops.op_conv_transpose import ConvTranspose as Original
from onnx.reference.ops.op_max_pool import MaxPool as OriginalPool

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


class MaxPool(OriginalPool):
    """With the places of the maxima where all strides are 1; the original gives others then."""

    op_domain = ""

    def _run(self, x: Array, **given: Any) -> tuple[Array, ...]:  # type: ignore[override]
        places = len(self.onnx_node.output) > 1
        how: Any = self._max_pool if places else super()._run
        found: tuple[Array, ...] = how(x, **given)
        return found


MENDED: list[type[OpRun]] = [ConvTranspose, MaxPool]
"""For `ReferenceEvaluator(…, new_ops=MENDED)`."""
