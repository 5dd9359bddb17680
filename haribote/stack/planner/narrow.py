"""Types that are no words of the chip, computed in those that are: the same graph in float32, int32 and uint32.

float16, bfloat16          ->  float32, rounded only where a value leaves the chip
int8, int16                ->  int32, results brought back into their range after each operator that may leave it
uint8, uint16              ->  uint32, the same

int64 and uint64 stay what they are: the chip keeps their lower 32 bits (`core.chip.terms.KINDS`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

from haribote.core.from_onnx import lower
from haribote.core.operators import MOVERS, SAME_ORDER
from haribote.graph import Builder, Index, complete, tensor_info

WORDS: Mapping[str, type[np.generic]] = {
    "float16": np.float32,
    "bfloat16": np.float32,
    "int8": np.int32,
    "int16": np.int32,
    "uint8": np.uint32,
    "uint16": np.uint32,
}
"""Types to those in which they are computed."""
WITHIN = (
    MOVERS
    | SAME_ORDER
    | {"Pick", "Concat", "Where", "Max", "Min", "Clip", "Relu", "ReduceMax", "ReduceMin", "Mod", "Sign"}
    | {"BitwiseAnd", "BitwiseOr", "BitwiseXor", "ScatterElements", "ScatterND", "TopK", "OneHot"}
)
"""Operators whose results stay in the range of their operands."""
TYPED = (
    "ConvInteger",
    "DequantizeLinear",
    "DynamicQuantizeLinear",
    "EyeLike",
    "MatMulInteger",
    "MaxPool",
    "QLinearConv",
    "QLinearMatMul",
    "QuantizeLinear",
)
"""Operators that mean something else of other types: they are written in the core first."""


def in_words(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model without narrow types; inputs and outputs have the types of words too. Raises GraphError."""
    if not any(str(dtype) in WORDS for dtype in Index(model).dtype.values()):
        return model
    if any(node.op_type in TYPED for node in model.graph.node):
        model = lower(model, lambda node, index: node.op_type not in TYPED)
    index, builder = Index(model), Builder.like(model)
    graph = builder.model.graph
    for info in graph.input:
        info.CopyFrom(tensor_info(info.name, index.shape[info.name], word_of(index.dtype[info.name])))
    for tensor in list(graph.initializer):
        value = index.constants[tensor.name]
        tensor.CopyFrom(numpy_helper.from_array(value.astype(word_of(value.dtype)), tensor.name))
    for node in model.graph.node:
        _written(builder, index, node)
    return complete(builder.model)


def word_of(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The type in which a type is computed, its own for most."""
    return np.dtype(WORDS.get(str(dtype), dtype))


def _written(builder: Builder, index: Index, node: onnx.NodeProto) -> None:
    copy = builder.keep(node)
    for attribute in copy.attribute:
        if attribute.name == "to":
            attribute.i = helper.np_dtype_to_tensor_dtype(word_of(helper.tensor_dtype_to_np_dtype(attribute.i)))
    if node.op_type in WITHIN:
        return
    for number, name in enumerate(node.output):
        dtype = index.dtype.get(name)
        if dtype is not None and str(dtype) in WORDS and dtype.kind in "iu":
            copy.output[number] = builder.fresh(f"{name}.wide")
            copy.name = copy.output[number]
            _wrapped(builder, copy.output[number], dtype, name)


def _wrapped(builder: Builder, wide: str, dtype: np.dtype[Any], name: str) -> None:
    """A whole number modulo the range of its type, as the narrow type would have it."""
    word, bits = word_of(dtype), 8 * dtype.itemsize
    mask = builder.constant(np.array((1 << bits) - 1, word), f"mask_{bits}_{word}")
    if dtype.kind == "u":
        builder.op("BitwiseAnd", wide, mask, name=name, reserved=True)
        return
    half = builder.constant(np.array(1 << (bits - 1), word), f"half_{bits}")
    shifted = builder.op("Add", wide, half, name=f"{name}.shifted")
    builder.op("Sub", builder.op("BitwiseAnd", shifted, mask, name=f"{name}.low"), half, name=name, reserved=True)
