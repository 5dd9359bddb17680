"""Why a node cannot run on the chip: its type, its operator, or the compiler's refusal."""

from __future__ import annotations

import re

import onnx

from haribote.chip.program import Compiled
from haribote.compiler import compile_for_sim
from haribote.errors import HariboteError
from haribote.graph import Index
from haribote.graphs.parts import part_of
from haribote.stack.planner.rules import rule_of
from haribote.stack.planner.views import views_of
from haribote.stack.program.compiled import prepared
from haribote.stack.vectors.terms import KINDS


def refused(model: onnx.ModelProto, node: onnx.NodeProto, index: Index) -> str:
    """Why the chip cannot have the node, as far as that is seen without planning; "" where nothing is seen."""
    names = [name for name in [*node.input, *node.output] if name]
    strange = next((name for name in names if str(index.dtype[name]) not in KINDS), None)
    if strange is not None:
        return f"{index.dtype[strange]} is no type of the chip"
    try:
        written = prepared(part_of(model, [node], [name for name in node.output if name], "node", index))
        views = views_of(written, Index(written))
        for inner in written.graph.node:
            if inner.output[0] not in views:
                rule_of(inner)
    except Exception as error:  # a rule that fails is a refusal too
        return reason(error)
    return ""


def compiled_or_reason(model: onnx.ModelProto, precision: str) -> Compiled | str:
    """The program of a graph for the chip, or why there is none."""
    try:
        return compile_for_sim(model, True, level=2, precision=precision)
    except Exception as error:  # a compiler that fails has refused; the reason tells it
        return reason(error)


def reason(error: Exception) -> str:
    """An error in one line; what is no refusal but a failure is named as one."""
    line = re.sub(r"^node \S+: ", "", str(error).splitlines()[0][:200]) if str(error) else ""
    return line if isinstance(error, HariboteError) else f"the compiler fails: {type(error).__name__}: {line}"
