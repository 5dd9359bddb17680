"""What a graph may contain at each stage: checked in tests, and behind `haribote compile --check`.

core    operators of the core, in the one form of each that is not written further
chip    of these only what the planner knows: what moves elements is a Pick, a Transpose, a Concat, or in its order
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

import numpy as np
import onnx

from haribote.core.operators import CORE, MOVERS, REDUCTIONS, SAME_ORDER
from haribote.errors import GraphError
from haribote.graph import Index, attributes

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
        where = f"graph {model.graph.name!r} at stage {stage!r}: node {node.name!r} ({node.op_type})"
        if node.op_type not in STAGES[stage]:
            raise GraphError(f"{where} is no operator of the stage", f"a rule for {node.op_type} in core/from_onnx")
        wrong = FORMS[node.op_type](node, index) if node.op_type in FORMS else ""
        if wrong:
            raise GraphError(f"{where}: {wrong}", "a rule in core/from_onnx that writes this form in others")


def _pick(node: onnx.NodeProto, index: Index) -> str:
    numbers, size = node.input[1], int(np.prod(index.shape[node.input[0]]))
    if not np.issubdtype(index.dtype[numbers], np.integer):
        return f"its index is {index.dtype[numbers]}, not whole numbers"
    known = index.constants.get(numbers)
    if known is not None and known.size and not -1 <= known.min() <= known.max() < size:
        return f"its index has {known.min()} to {known.max()}, the value elements -1 (none) to {size - 1}"
    return ""


def _mover(node: onnx.NodeProto, index: Index) -> str:
    computed = [name for name in node.input[1:] if name and name not in index.constants]
    return f"where elements go is computed: {computed[0]!r} is no constant" if computed else ""


def _einsum(node: onnx.NodeProto, index: Index) -> str:
    sides, arrow, result = attributes(node)["equation"].decode().partition("->")
    letters = sides.split(",")
    plain = arrow and len(letters) == 2 and all(len(set(side)) == len(side) and side.isalpha() for side in letters)
    if not plain or not all(set(side) <= {*result, *other} for side, other in (letters, letters[::-1])):
        return "it is no product of two operands, each of whose axes the other or the result has"
    whole = not np.issubdtype(index.dtype[node.input[0]], np.floating)
    return "it multiplies integers, which Mul and ReduceSum do" if whole else ""


def _reduction(node: onnx.NodeProto, index: Index) -> str:
    if len(node.input) > 1 and node.input[1] and node.input[1] not in index.constants:
        return "its axes are no constant"
    return "it is of truths" if index.dtype[node.input[0]] == np.bool_ else ""


def _gemm(node: onnx.NodeProto, index: Index) -> str:
    given = attributes(node)
    more = len(node.input) > 2 and bool(node.input[2])
    return "it has a factor or an addend" if more or given.get("alpha", 1.0) != 1.0 else ""


def _matrices(node: onnx.NodeProto, index: Index) -> str:
    return "" if all(len(index.shape[name]) == 2 for name in node.input) else "its operands are no matrices"


FORMS: Mapping[str, Callable[[onnx.NodeProto, Index], str]] = {
    **dict.fromkeys(MOVERS - SAME_ORDER, _mover),
    **dict.fromkeys(REDUCTIONS, _reduction),
    "Einsum": _einsum,
    "Gemm": _gemm,
    "MatMul": _matrices,
    "Pick": _pick,
}
"""Operator to what is wrong with a node's form, "" where nothing is."""
