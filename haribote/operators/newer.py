"""Operators of newer opsets for which ONNX has no body, written in those of ours.

BitShift of signed integers    ->  of unsigned ones; what is shifted out of range leaves the sign
CumProd along a known axis     ->  a product of what is not behind each element
BitCast of whole numbers       ->  a Cast, which keeps the bits
QuantizeLinear, DequantizeLinear of 16 bits, by one scale  ->  what they mean
QLinearMatMul with scales of float16                       ->  with these scales as float32
SpaceToDepth by columns and rows first                     ->  a Transpose between two Reshapes
TensorScatter                  ->  what each place of the cache gets: its old value, or one of the update
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import NodeProto, TensorProto, helper, numpy_helper, shape_inference

from haribote.constants import clone
from haribote.operators.bodies import types_of

UNSIGNED: dict[int, int] = {
    TensorProto.INT8: TensorProto.UINT8,
    TensorProto.INT16: TensorProto.UINT16,
    TensorProto.INT32: TensorProto.UINT32,
    TensorProto.INT64: TensorProto.UINT64,
}

WHOLE = {*UNSIGNED, *UNSIGNED.values(), TensorProto.BOOL}
SHORT = (TensorProto.INT16, TensorProto.UINT16)
FLOAT = TensorProto.FLOAT
QUANTIZING = ("QuantizeLinear", "DequantizeLinear")
NEWER = ("BitShift", "CumProd", "BitCast", *QUANTIZING, "QLinearMatMul", "SpaceToDepth", "TensorScatter")


def written(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model without these operators, as far as there is a rule; the same one where it has none."""
    if not any(node.op_type in NEWER for node in model.graph.node):
        return model
    copy = clone(model)
    types = {name: kind.tensor_type for name, kind in types_of(shape_inference.infer_shapes(copy)).items()}
    nodes = list(copy.graph.node)
    del copy.graph.node[:]
    for node in nodes:
        writer = _NewerNode(copy.graph, node, types)
        copy.graph.node.extend(list(writer.write()) or [node])
    return copy


class _NewerNode:
    """Writes one node; names of new values begin with that of its result."""

    def __init__(self, graph: onnx.GraphProto, node: NodeProto, types: dict[str, Any]) -> None:
        self.graph, self.node, self.types, self.made = graph, node, types, list[NodeProto]()

    @cached_property
    def given(self) -> dict[str, Any]:
        """The attributes by name."""
        return {attribute.name: helper.get_attribute_value(attribute) for attribute in self.node.attribute}

    def write(self) -> Iterator[NodeProto]:
        """What takes the node's place; nothing where it stays."""
        known = self.types.get(self.node.input[0]) if self.node.input else None
        if self.node.op_type == "BitShift" and known is not None and known.elem_type in UNSIGNED:
            self._shift(known.elem_type)
        elif self.node.op_type == "CumProd" and known is not None:
            self._running_product(known)
        elif self.node.op_type == "BitCast" and known is not None:
            self._same_bits(known.elem_type)
        elif self.node.op_type in QUANTIZING and len(self.node.input) == 3:
            self._short()
        elif self.node.op_type == "QLinearMatMul":
            self._with_single_scales()
        elif self.node.op_type == "SpaceToDepth":
            self._depth_first(_sizes(known))
        elif self.node.op_type == "TensorScatter":
            self._cache(_sizes(known), _sizes(self.types.get(self.node.input[1])))
        yield from self.made

    def _shift(self, kind: int) -> None:
        (x, by), result = self.node.input, self.node.output[0]
        dtype, unsigned = helper.tensor_dtype_to_np_dtype(kind), UNSIGNED[kind]
        bits, zero = 8 * dtype.itemsize, self._constant(np.zeros((), dtype))
        left = helper.get_attribute_value(self.node.attribute[0]) == b"LEFT"
        too_far = self._op("GreaterOrEqual", by, self._constant(np.array(bits, dtype)))
        out = self._op("Or", self._op("Less", by, zero), too_far)
        amount = self._op("Cast", self._op("Where", out, zero, by), to=unsigned)
        negative = self._op("Less", x, zero)
        value = x if left else self._op("Where", negative, self._op("BitwiseNot", x), x)
        direction = "LEFT" if left else "RIGHT"
        found = self._op("BitShift", self._op("Cast", value, to=unsigned), amount, direction=direction)
        found = self._op("Where", out, zero, self._op("Cast", found, to=kind))
        if not left:
            found = self._op("Where", negative, self._op("BitwiseNot", found), found)
        self._op("Identity", found, to_name=result)

    def _running_product(self, known: Any) -> None:
        x, axis_name, result = self.node.input[0], self.node.input[1], self.node.output[0]
        axis = next((numpy_helper.to_array(t) for t in self.graph.initializer if t.name == axis_name), None)
        shape = _sizes(known)
        if axis is None or not shape:
            return
        at, size = int(axis.item()) % len(shape), shape[int(axis.item())]
        seen = np.tri(size, k=-1 if self.given.get("exclusive", 0) else 0, dtype=np.bool_)
        seen = (seen.T if self.given.get("reverse", 0) else seen).reshape(
            [size if k in (at, at + 1) else 1 for k in range(len(shape) + 1)]
        )
        wide = self._op("Unsqueeze", x, self._constant(np.array([at])))  # [..., own, others, ...]
        one = self._constant(np.ones((), helper.tensor_dtype_to_np_dtype(known.elem_type)))
        chosen = self._op("Where", self._constant(np.ascontiguousarray(seen)), wide, one)
        self._op("ReduceProd", chosen, self._constant(np.array([at + 1])), keepdims=0, to_name=result)

    def _same_bits(self, kind: int) -> None:
        to = self.given["to"]
        if kind in WHOLE and to in WHOLE:
            self._op("Cast", self.node.input[0], to_name=self.node.output[0], to=to)

    def _short(self) -> None:
        x, scale, zero = self.node.input
        of_scale, of_zero = self.types.get(scale), self.types.get(zero)
        if of_scale is None or of_zero is None or of_zero.elem_type not in SHORT or of_scale.elem_type != FLOAT:
            return
        if not of_scale.HasField("shape") or len(of_scale.shape.dim):
            return
        kind, lowest = of_zero.elem_type, self._op("Cast", zero, to=FLOAT)
        if self.node.op_type == "DequantizeLinear":
            less = self._op("Sub", self._op("Cast", x, to=FLOAT), lowest)
            self._op("Mul", less, scale, to_name=self.node.output[0])
            return
        info = np.iinfo(helper.tensor_dtype_to_np_dtype(kind))
        rounded = self._op("Round", self._op("Div", x, scale))
        limits = (self._constant(np.array(limit, np.float32)) for limit in (info.min, info.max))
        found = self._op("Clip", self._op("Add", rounded, lowest), *limits)
        self._op("Cast", found, to_name=self.node.output[0], to=kind)

    def _with_single_scales(self) -> None:
        inputs, halves = list(self.node.input), 0
        for number in (1, 4, 6):
            known = self.types.get(inputs[number])
            if known is not None and known.elem_type == TensorProto.FLOAT16:
                inputs[number], halves = self._op("Cast", inputs[number], to=FLOAT), halves + 1
        if halves:
            self._op("QLinearMatMul", *inputs, to_name=self.node.output[0])

    def _depth_first(self, shape: list[int]) -> None:
        if self.given.get("mode") != b"CRD" or not shape:
            return
        size, (batch, channels, height, width) = self.given["blocksize"], shape
        apart = [batch, channels, height // size, size, width // size, size]
        x = self._op("Reshape", self.node.input[0], self._constant(np.array(apart)))
        x = self._op("Transpose", x, perm=[0, 1, 3, 5, 2, 4])
        joined = [batch, channels * size * size, height // size, width // size]
        self._op("Reshape", x, self._constant(np.array(joined)), to_name=self.node.output[0])

    def _cache(self, shape: list[int], part: list[int]) -> None:
        """Place p of the cache gets element p - start of the update, where there is one; start: one for each batch."""
        if not shape or not part:
            return
        past, update, *starts = self.node.input
        axis = self.given.get("axis", -2) % len(shape)
        at = self._constant(np.arange(shape[axis]).reshape([-1 if k == axis else 1 for k in range(len(shape))]))
        if any(starts):
            start = self._op("Reshape", starts[0], self._constant(np.array([-1] + [1] * (len(shape) - 1))))
            at = self._op("Sub", at, start)
        if self.given.get("mode") == b"circular":
            at = self._op("Mod", at, self._constant(np.array(shape[axis])))
        zero, length, last = (self._constant(np.array(n)) for n in (0, part[axis], part[axis] - 1))
        new = self._op("And", self._op("GreaterOrEqual", at, zero), self._op("Less", at, length))
        place = self._op("Expand", self._op("Clip", at, zero, last), self._constant(np.array(shape)))
        found = self._op("GatherElements", update, place, axis=axis)
        self._op("Where", new, found, past, to_name=self.node.output[0])

    def _op(self, op_type: str, *inputs: str, to_name: str = "", **given: Any) -> str:
        name = to_name or f"{self.node.output[0]}.{op_type.lower()}_{len(self.made)}"
        self.made.append(helper.make_node(op_type, inputs, [name], name=name, **given))
        return name

    def _constant(self, value: NDArray[Any]) -> str:
        name = f"{self.node.output[0]}.constant_{len(self.graph.initializer)}"
        self.graph.initializer.append(numpy_helper.from_array(value, name))
        return name


def _sizes(known: Any) -> list[int]:
    """The shape of a value; empty where it is not known."""
    if known is None or not known.HasField("shape") or not all(dim.HasField("dim_value") for dim in known.shape.dim):
        return []
    return [dim.dim_value for dim in known.shape.dim]
