"""The largest and the smallest unsigned number along axes, by those of signed ones: the chip reduces no others.

    ReduceMax(x)  ->  ReduceMax(signed(x ^ 2^31)) ^ 2^31

With its highest bit turned over, an unsigned word compares as a signed one. A uint64 is its lower 32 bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from onnx import TensorProto

from haribote.graph import Builder, Index

EXTREMES = ("ReduceMax", "ReduceMin")
HIGHEST = 1 << 31


def signed_extremes(model: onnx.ModelProto) -> onnx.ModelProto:
    """The graph without extremes of uint32 and uint64."""
    index = Index(model)
    if not any(_unsigned(index, node) for node in model.graph.node):
        return model
    builder = Builder.like(model)
    bit = builder.constant(np.array(HIGHEST, np.uint32), "highest_bit")
    for node in model.graph.node:
        if _unsigned(index, node):
            _signed(builder, node, bit, index.dtype[node.input[0]])
        else:
            builder.keep(node)
    return builder.finish()


def _unsigned(index: Index, node: onnx.NodeProto) -> bool:
    return node.op_type in EXTREMES and index.dtype[node.input[0]] in (np.uint32, np.uint64)


def _signed(builder: Builder, node: onnx.NodeProto, bit: str, dtype: np.dtype[Any]) -> None:
    result, word = node.output[0], node.input[0]
    if dtype == np.uint64:
        word = builder.op("Cast", word, name=f"{result}.word", to=TensorProto.UINT32)
    turned = builder.op("BitwiseXor", word, bit, name=f"{result}.turned")
    signed = builder.op("Cast", turned, name=f"{result}.signed", to=TensorProto.INT32)
    extreme = builder.keep(node, [signed, *node.input[1:]])
    extreme.name = extreme.output[0] = builder.fresh(f"{result}.extreme")
    found = builder.op("Cast", extreme.output[0], name=f"{result}.unsigned", to=TensorProto.UINT32)
    if dtype == np.uint64:
        found = builder.op("BitwiseXor", found, bit, name=f"{result}.back")
        builder.op("Cast", found, name=result, reserved=True, to=TensorProto.UINT64)
    else:
        builder.op("BitwiseXor", found, bit, name=result, reserved=True)
