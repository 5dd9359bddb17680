"""From nodes of a graph to an expression: the outputs as values, made of the values that are read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray

from haribote.core.chip.terms import KINDS, Call, Kind, Term
from haribote.core.chip.values import Builder, Value, ordered
from haribote.core.elementwise import ELEMENTWISE
from haribote.errors import UnsupportedOp
from haribote.graph import attributes

SUPPORTED: Mapping[str, frozenset[str]] = {
    row.name: frozenset(dtype for dtype, kind in KINDS.items() if kind in row.kinds) for row in ELEMENTWISE.values()
}
"""The operators, and the dtypes that their first operand may have."""


@dataclass(frozen=True, eq=False)
class Expression:
    """outputs: in the order asked for. reads: the inputs that are needed."""

    outputs: Mapping[str, Value]
    reads: tuple[str, ...]


def expression(
    nodes: Sequence[onnx.NodeProto],
    dtypes: Mapping[str, np.dtype[Any]],
    constants: Mapping[str, NDArray[Any]],
    outputs: Iterable[str],
) -> Expression:
    """The values of the outputs; the same object for the same request. Raises UnsupportedOp."""
    made = {name for node in nodes for name in node.output}
    read = sorted({name for node in nodes for name in node.input if name and name not in made} | set(outputs) - made)
    types = tuple((name, str(np.dtype(dtypes[name]))) for name in read if name not in constants)
    values = tuple(
        (name, str(constants[name].dtype), _only(name, constants[name])) for name in read if name in constants
    )
    return _expression(tuple(node.SerializeToString() for node in nodes), types, values, tuple(outputs))


def types_of(
    nodes: Sequence[onnx.NodeProto], dtypes: Mapping[str, np.dtype[Any]], constants: Mapping[str, NDArray[Any]]
) -> dict[str, np.dtype[Any]]:
    """The types of what nodes make, as the chip has them."""
    b, made = Builder(), {name for node in nodes for name in node.output}
    terms: dict[str, Term] = {}
    for name in {name for node in nodes for name in node.input if name} - made:
        array = constants.get(name)
        dtype = str(np.dtype(dtypes[name]) if array is None else array.dtype)
        terms[name] = _read(b, name, dtype) if array is None else _constant(b, name, dtype, _only(name, array))
    for node in nodes:
        terms[node.output[0]] = apply(b, node, terms)
    names = {"float": np.float32, "int": np.int32, "uint": np.uint32, "bool": np.bool_}
    return {name: np.dtype(names[terms[name].kind]) for name in made}


def _only(name: str, array: NDArray[Any]) -> float | int:
    if array.size != 1:
        raise UnsupportedOp(
            f"constant {name!r} has {array.size} elements; an instruction has one for all words", "give it a place"
        )
    value: float | int = array.reshape(-1)[0].item()
    return value


@lru_cache(maxsize=1 << 10)
def _expression(
    nodes: tuple[bytes, ...],
    types: tuple[tuple[str, str], ...],
    constants: tuple[tuple[str, str, float], ...],
    outputs: tuple[str, ...],
) -> Expression:
    b = Builder()
    terms = {name: _read(b, name, dtype) for name, dtype in types}
    terms |= {name: _constant(b, name, dtype, number) for name, dtype, number in constants}
    parsed = [onnx.NodeProto.FromString(node) for node in nodes]
    uses = Counter(name for node in parsed for name in node.input)
    uses.update(outputs)
    for node in parsed:
        term = apply(b, node, terms)
        terms[node.output[0]] = term
        if uses[node.output[0]] == 1 and term.plain is not None:
            b.single.add(term.plain)
    found = {name: terms[name].value(b) for name in outputs}
    reads = [str(value.key) for value in ordered(found.values()) if value.op == "read"]
    return Expression(found, tuple(reads))


def _read(b: Builder, name: str, dtype: str) -> Term:
    return Term(_kind(name, dtype), b.read(name))


def _constant(b: Builder, name: str, dtype: str, number: float | int) -> Term:
    kind = _kind(name, dtype)
    return Term(kind, b.real(number) if kind == "float" else b.bits(int(number)))


def _kind(name: str, dtype: str) -> Kind:
    if dtype not in KINDS:
        raise UnsupportedOp(f"{name!r} is {dtype}; the chip computes in {', '.join(KINDS)}")
    return KINDS[dtype]


def apply(b: Builder, node: onnx.NodeProto, terms: Mapping[str, Term]) -> Term:
    """What a node makes of its operands. Raises UnsupportedOp."""
    operands = [terms[name] if name else None for name in node.input]
    kind = operands[0].kind if operands and operands[0] else "float"
    row = ELEMENTWISE.get(node.op_type)
    if row is None:
        raise UnsupportedOp(f"{node.op_type} is not among the element-wise operators of the chip")
    if kind not in row.kinds:
        raise UnsupportedOp(f"{node.op_type} is not for {kind}, only for {', '.join(row.kinds)}")
    return row.kinds[kind](Call(b, operands, attributes(node), node.op_type))
