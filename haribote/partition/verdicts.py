"""Why a node cannot run on the chip: its type, its operator, or the compiler's refusal."""

from __future__ import annotations

import re

import onnx

from haribote.chip.program import Compiled
from haribote.compiler import compile_for_sim
from haribote.core.chip.terms import KINDS
from haribote.core.elementwise import ELEMENTWISE
from haribote.errors import HariboteError
from haribote.graph import Index
from haribote.graphs.parts import part_of
from haribote.stack.planner.narrow import word_of
from haribote.stack.planner.rules import rule_of
from haribote.stack.planner.views import views_of
from haribote.stack.program.compiled import prepared
from haribote.stack.program.packing import too_wide
from simulator.messages import tr


def without_rule(model: onnx.ModelProto) -> set[str] | None:
    """The operators of the whole graph, written for the chip, that it has no rule for; None where that fails.

    Some operators can be written only beside others, so what is refused alone may be taken in the graph.
    """
    try:
        return {node.op_type for node in _computed(prepared(model)) if _no_rule(node)}
    except Exception:  # what fails is found node by node
        return None


def refused(model: onnx.ModelProto, node: onnx.NodeProto, index: Index, known: set[str] | None = None) -> str:
    """Why the chip cannot have the node, as far as that is seen without planning; "" where nothing is seen.

    known: what `without_rule` says of the graph; an operator that is not there is no reason.
    """
    names = [name for name in [*node.input, *node.output] if name]
    strange = next((name for name in names if str(word_of(index.dtype[name])) not in KINDS), None)
    if strange is not None:
        dtype = index.dtype[strange]
        return tr("{dtype} is no type of the chip", "string" if dtype.kind in "OSU" else dtype)
    wide = next((name for name in node.input if too_wide(index.constants.get(name))), None)
    if wide is not None and node.op_type in ELEMENTWISE:
        return tr("{name!r} has numbers of more than the 32 bits that the chip keeps", wide)
    try:
        written = prepared(part_of(model, [node], [name for name in node.output if name], "node", index))
        refusals = [(inner.op_type, _no_rule(inner)) for inner in _computed(written)]
    except Exception as error:  # a rule that fails is a refusal too
        return reason(error)
    return next((why for name, why in refusals if why and (known is None or name in known)), "")


def _computed(model: onnx.ModelProto) -> list[onnx.NodeProto]:
    """The nodes that are no views."""
    views = views_of(model, Index(model))
    return [node for node in model.graph.node if node.output[0] not in views]


def _no_rule(node: onnx.NodeProto) -> str:
    """The planner's refusal; "" where it has a rule."""
    try:
        rule_of(node)
    except HariboteError as error:
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
    return (
        line
        if isinstance(error, HariboteError)
        else tr("the compiler fails: {name}: {line}", type(error).__name__, line)
    )
