"""What a graph may contain at each stage: checked in tests, and behind `haribote compile --check`.

core    operators of the core, in the one form of each that is not written further
chip    of these only what the planner knows: what moves elements is a Pick, a Transpose, a Concat, or in its order
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import onnx

from haribote.core.operators import CORE, MOVERS, REDUCTIONS, SAME_ORDER
from haribote.errors import GraphError
from haribote.graph import Index, attributes
from simulator.messages import tr

STAGES: Mapping[str, frozenset[str]] = {
    "core": CORE,
    "chip": CORE - MOVERS | SAME_ORDER | {"Transpose"},
}


VARIABLE = "HARIBOTE_CHECK"
"""Environment variable: 1 where graphs and programs are to be checked while they are compiled."""


def ask() -> None:
    """Check in this process, and in those that it starts."""
    os.environ[VARIABLE] = "1"


def asked() -> bool:
    """Whether graphs and programs are to be checked while they are compiled."""
    return os.environ.get(VARIABLE, "") not in ("", "0")


def check(model: onnx.ModelProto, stage: str) -> None:
    """Raise GraphError for the first node that a graph of this stage, one of STAGES, may not have."""
    index = Index(model)
    for node in model.graph.node:
        where = tr(
            "graph {name!r} at stage {stage!r}: node {name2!r} ({op_type})",
            name=model.graph.name,
            stage=stage,
            name2=node.name,
            op_type=node.op_type,
        )
        if node.op_type not in STAGES[stage]:
            raise GraphError(
                tr("{where} is no operator of the stage", where),
                tr("a rule for {op_type} in core/from_onnx", node.op_type),
            )
        wrong = FORMS[node.op_type](node, index) if node.op_type in FORMS else ""
        if wrong:
            raise GraphError(f"{where}: {wrong}", tr("a rule in core/from_onnx that writes this form in others"))


def same_values(before: Index, after: Index) -> None:
    """Raise GraphError for the first value of a graph that has another shape or type after it was rewritten: what reads
    it was not written for that, and nothing else would tell."""
    for name, shape in after.shape.items():
        was = before.shape.get(name, shape), before.dtype.get(name, after.dtype[name])
        if was != (shape, after.dtype[name]):
            raise GraphError(
                tr("the value {name!r} was {before}, and is {after} as it is written now",
                   name=name, before=_told(*was), after=_told(shape, after.dtype[name])),
                tr("report it with the model"),
            )  # fmt: skip


def _told(shape: tuple[int, ...], dtype: np.dtype[Any]) -> str:
    return f"{dtype}[{', '.join(map(str, shape))}]"


def _pick(node: onnx.NodeProto, index: Index) -> str:
    numbers, size = node.input[1], int(np.prod(index.shape[node.input[0]]))
    if not np.issubdtype(index.dtype[numbers], np.integer):
        return tr("its index is {dtype}, not whole numbers", index.dtype[numbers])
    known = index.constants.get(numbers)
    if known is not None and known.size and not -1 <= known.min() <= known.max() < size:
        return tr(
            "its index has {min} to {max}, the value elements -1 (none) to {value}", known.min(), known.max(), size - 1
        )
    return ""


def _mover(node: onnx.NodeProto, index: Index) -> str:
    computed = [name for name in node.input[1:] if name and name not in index.constants]
    return tr("where elements go is computed: {computed!r} is no constant", computed[0]) if computed else ""


def _einsum(node: onnx.NodeProto, index: Index) -> str:
    sides, arrow, result = attributes(node)["equation"].decode().partition("->")
    letters = sides.split(",")
    plain = arrow and len(letters) == 2 and all(len(set(side)) == len(side) and side.isalpha() for side in letters)
    if not plain or not all(set(side) <= {*result, *other} for side, other in (letters, letters[::-1])):
        return tr("it is no product of two operands, each of whose axes the other or the result has")
    whole = not np.issubdtype(index.dtype[node.input[0]], np.floating)
    return tr("it multiplies integers, which Mul and ReduceSum do") if whole else ""


def _reduction(node: onnx.NodeProto, index: Index) -> str:
    if len(node.input) > 1 and node.input[1] and node.input[1] not in index.constants:
        return tr("its axes are no constant")
    return tr("it is of truths") if index.dtype[node.input[0]] == np.bool_ else ""


def _gemm(node: onnx.NodeProto, index: Index) -> str:
    given = attributes(node)
    more = len(node.input) > 2 and bool(node.input[2])
    return tr("it has a factor or an addend") if more or given.get("alpha", 1.0) != 1.0 else ""


def _matrices(node: onnx.NodeProto, index: Index) -> str:
    return "" if all(len(index.shape[name]) == 2 for name in node.input) else tr("its operands are no matrices")


FORMS: Mapping[str, Callable[[onnx.NodeProto, Index], str]] = {
    **dict.fromkeys(MOVERS - SAME_ORDER, _mover),
    **dict.fromkeys(REDUCTIONS, _reduction),
    "Einsum": _einsum,
    "Gemm": _gemm,
    "MatMul": _matrices,
    "Pick": _pick,
}
"""Operator to what is wrong with a node's form, "" where nothing is."""
