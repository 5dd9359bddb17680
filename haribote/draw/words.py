"""What a drawing says about nodes and values: short texts for the boxes, long ones for the tooltips."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx

from haribote.graph import Array, Index, Shape, attributes, metadata
from simulator.messages import tr

LONGEST = 36
"""Characters of a line in a box; longer ones lose their middle, the tooltip has them whole."""
_INFIX = {"Add": "+", "Sub": "−", "Mul": "×", "Div": "÷", "Greater": ">", "Less": "<", "Pow": "^"}
_QUIET = {"keepdims", "alpha", "beta", "noop_with_empty_axes", "allowzero", "saturate"}
_DEFAULTS = {"dilations": {1}, "strides": {1}, "group": {1}, "pads": {0}, "ceil_mode": {0}, "storage_order": {0}}
"""Attributes that only the tooltip shows: always, and where all their numbers are these."""


def short(text: str, longest: int = LONGEST) -> str:
    """The text, its middle replaced by … where it is longer."""
    if len(text) <= longest:
        return text
    tail = (longest - 1) // 2
    return f"{text[: longest - 1 - tail]}…{text[len(text) - tail :]}"


def shape_text(shape: Shape | None, dtype: np.dtype[Any] | None) -> str:
    """`256×16`, `256 int64`, `scalar` in the language of the moment; float32 is not said."""
    if shape is None:
        return "?"
    text = "×".join(map(str, shape)) or tr("scalar")
    return text if dtype is None or dtype == np.float32 else f"{text} {dtype}"


def value_text(value: Array) -> str:
    """A constant: its values if they are few, else its shape."""
    if value.size == 0:
        return "[]"
    if value.size > 4:
        return tr("constant {shape}", shape_text(value.shape, value.dtype))
    texts = [_number(number) for number in value.reshape(-1).tolist()]
    return texts[0] if value.size == 1 else f"[{', '.join(texts)}]"


def _number(value: Any) -> str:
    """`0.01`, `3`, and `1/256` for what is shorter so."""
    if not isinstance(value, float):
        return str(value)
    text = f"{value:.6g}"
    inverse = f"1/{1 / value:.6g}" if value else text
    return inverse if len(inverse) < len(text) and "." not in inverse else text


def title(node: onnx.NodeProto) -> str:
    """The operator; a Gemm with its transpositions: `Gemm A·Bᵀ`."""
    if node.op_type != "Gemm":
        return node.op_type
    values = attributes(node)
    return f"Gemm A{'ᵀ' * values.get('transA', 0)}·B{'ᵀ' * values.get('transB', 0)}"


def details(node: onnx.NodeProto, index: Index) -> str:
    """Constants and attributes of the node in one line: `× 0.01`, `axes 1`, `perm [1, 0]`; empty if there are none."""
    constants = [(number, index.constants[name]) for number, name in enumerate(node.input) if name in index.constants]
    sign = _INFIX.get(node.op_type)
    if sign and len(constants) == 1 and len(node.input) == 2:
        number, value = constants[0]
        return f"{sign} {value_text(value)}" if number else f"{value_text(value)} {sign}"
    names = _input_names(node)
    texts = [f"{names[number]} {value_text(value)}" for number, value in constants]
    if node.op_type != "Gemm":
        texts += [
            f"{key} {_attribute(key, value)}" for key, value in attributes(node).items() if not _usual(key, value)
        ]
    return ", ".join(texts)


def tooltip(node: onnx.NodeProto, index: Index) -> str:
    """Everything about the node, a line each: operator, inputs, outputs, attributes, and what the passes noted."""
    lines = [f"{node.op_type} {node.name}"]
    lines += [tr("in: {name}", _value(name, index)) for name in node.input]
    lines += [f"out: {_value(name, index)}" for name in node.output]
    lines += attribute_texts(node)
    lines += [f"{prop.key.removeprefix('haribote.')}: {prop.value}" for prop in node.metadata_props]
    return "\n".join(lines)


def attribute_texts(node: onnx.NodeProto) -> list[str]:
    """The attributes, each with its value: `perm [1, 0]`."""
    return [f"{key} {_attribute(key, value)}" for key, value in attributes(node).items()]


def memory_of(node: onnx.NodeProto, slot: str) -> str:
    """DRAM, LM0 or LM1 as the node's metadata says for "in0", "out", …; empty where it does not."""
    return metadata(node).get(f"haribote.{slot}.memory", "")


def _value(name: str, index: Index) -> str:
    if name in index.constants:
        return f"{name} = {value_text(index.constants[name])}"
    return f"{name} {shape_text(index.shape.get(name), index.dtype.get(name))}"


def _input_names(node: onnx.NodeProto) -> Sequence[str]:
    """The operator's own names for its inputs, as far as ONNX knows them."""
    try:
        formal = [parameter.name for parameter in onnx.defs.get_schema(node.op_type, domain=node.domain).inputs]
    except onnx.defs.SchemaError:
        formal = []
    return [
        formal[number] if number < len(formal) else tr("input {number}", number) for number in range(len(node.input))
    ]


def _usual(key: str, value: Any) -> bool:
    numbers = isinstance(value, int | float | list) and np.asarray(value).dtype.kind in "iuf"
    return key in _QUIET or (numbers and set(np.ravel(value).tolist()) == _DEFAULTS.get(key))


def _attribute(key: str, value: Any) -> str:
    if key == "to" and value in onnx.TensorProto.DataType.values():
        return str(onnx.TensorProto.DataType.Name(value)).lower()
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if isinstance(value, (int, float, list, tuple)):
        return str(list(value) if isinstance(value, tuple) else value)
    return "…"
