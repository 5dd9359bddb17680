"""The constants of a graph, which may be larger than all else: tables of indices are copied and checked only once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from math import prod
from typing import Any, TypeVar

import onnx
from numpy.typing import NDArray
from onnx import helper, numpy_helper

Array = NDArray[Any]
Message = TypeVar("Message", onnx.ModelProto, onnx.NodeProto, onnx.GraphProto, onnx.TensorProto, onnx.FunctionProto)
LARGE = 1 << 14
"""Elements from which on a constant takes no part in the inference of shapes, which has no use for what is in it."""


class Constants(MutableMapping[str, Array]):
    """The arrays of initializers by their names, each made when it is first asked for; others may be added."""

    def __init__(self, initializers: Sequence[onnx.TensorProto]) -> None:
        self._known: dict[str, onnx.TensorProto | Array] = {tensor.name: tensor for tensor in initializers}

    def __getitem__(self, name: str) -> Array:
        known = self._known[name]
        if isinstance(known, onnx.TensorProto):
            known = self._known[name] = numpy_helper.to_array(known)
        return known

    def __setitem__(self, name: str, value: Array) -> None:
        self._known[name] = value

    def __delitem__(self, name: str) -> None:
        del self._known[name]

    def __contains__(self, name: object) -> bool:
        return name in self._known

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)

    def __or__(self, others: Mapping[str, Array]) -> dict[str, Array]:
        """All arrays and these others, which win; as of dictionaries."""
        return {**self, **others}

    def __ror__(self, others: Mapping[str, Array]) -> dict[str, Array]:
        """These others and all arrays, which win."""
        return {**others, **self}


def clone(message: Message) -> Message:
    """A deep copy of a model or of a part of one."""
    copy = type(message)()
    copy.CopyFrom(message)
    return copy


def without_large_constants(model: onnx.ModelProto) -> onnx.ModelProto:
    """A copy of a model in which large constants are inputs of their shapes and types."""
    inputs = {info.name for info in model.graph.input}
    initializers = model.graph.initializer
    large = [one for one in initializers if prod(one.dims) >= LARGE and one.name not in inputs]
    if not large:
        return clone(model)
    copy = _copied(model, "graph")
    copy.graph.CopyFrom(_copied(model.graph, "initializer"))
    names = {tensor.name for tensor in large}
    copy.graph.initializer.extend(tensor for tensor in initializers if tensor.name not in names)
    copy.graph.input.extend(helper.make_tensor_value_info(one.name, one.data_type, one.dims) for one in large)
    return copy


def _copied(message: Message, without: str) -> Message:
    """A copy of a model or a graph without one of its fields."""
    copy = type(message)()
    for field, value in message.ListFields():
        if field.name == without:
            continue
        if field.is_repeated:
            getattr(copy, field.name).extend(value)
        elif field.message_type:
            getattr(copy, field.name).CopyFrom(value)
        else:
            setattr(copy, field.name, value)
    return copy


def replace_fields(message: Message, other: Message, names: Sequence[str]) -> None:
    """These repeated fields of a message become those of another."""
    for name in names:
        message.ClearField(name)
        getattr(message, name).extend(getattr(other, name))
