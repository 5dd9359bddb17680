"""Mixed precision: matrix products and convolutions read rounded numbers, everything else stays single.

    Gemm(a, b, bias)  ->  Gemm(RoundHalf(a), RoundHalf(b), bias)

As on the chip: the factors are short, while products and sums are single. What stays single, and why: sums over many
elements (biases' gradients, softmax) would lose small terms; the loss and the update would lose steps smaller than the
parameter's last bit, so parameters keep their single values and are rounded anew in every step.
"""

from __future__ import annotations

import onnx

from haribote.answers.ownership import exercise
from haribote.errors import HariboteError
from simulator.messages import tr

FORMATS = {"half": "RoundHalf", "bfloat16": "RoundBFloat16"}
"""The chip's half, 1 sign, 6 exponent and 9 fraction bits; bfloat16, 1, 8 and 7. And the operators that round."""

PRODUCTS = {"Gemm", "MatMul", "Conv", "ConvTranspose"}
"""Operators whose first two inputs, where they are singles, are rounded."""


def run(model: onnx.ModelProto, short: str = "half") -> onnx.ModelProto:
    """The graph whose products read numbers of the short format; a value with several readers is rounded once.

    Args:
        model: a simplified graph.
        short: one of `FORMATS`.

    Raises:
        HariboteError: there is no such format.
    """
    if short not in FORMATS:
        raise HariboteError(tr("there is no short format {short!r}", short), tr("one of {formats}", ", ".join(FORMATS)))
    return round_factors(model, short)


@exercise("3.5")
def round_factors(model: onnx.ModelProto, short: str) -> onnx.ModelProto:
    """The graph whose products read rounded factors; see `run`."""
    raise NotImplementedError
