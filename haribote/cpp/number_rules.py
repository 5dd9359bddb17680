"""Rules of operators that compute numbers: element by element, and many into one."""

from __future__ import annotations

from haribote.core.elementwise import ROWS
from haribote.cpp.rules import RULES, Node, Template, element_loop, loop, rule, sizes

RULES |= {row.name: loop for row in ROWS if row.cpp and row.name != "Identity"}


@rule("Pow")
def _pow(node: Node) -> Template:
    exponent = node.scalar(1)
    if exponent in (2, 3) and node.shapes[0] == node.output_shape:
        return element_loop(node.inputs[:1], " * ".join(["x0"] * int(exponent)))
    return loop(node)


@rule("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd")
def _reduce(node: Node) -> Template:
    rank = len(node.shapes[0])
    axes = node.constant(1) if len(node.inputs) > 1 else []
    if not axes and not node.attribute("noop_with_empty_axes", 0):
        axes = list(range(rank))
    name = f"reduce_{node.node.op_type.removeprefix('Reduce').lower()}"
    return Template(f"{name}<{sizes(sorted(axis % rank for axis in axes))}>", node.inputs[:1])


@rule("GlobalAveragePool", "GlobalMaxPool")
def _global_pool(node: Node) -> Template:
    name = {"GlobalAveragePool": "reduce_mean", "GlobalMaxPool": "reduce_max"}[node.node.op_type]
    return Template(f"{name}<{sizes(range(2, len(node.shapes[0])))}>", node.inputs)


@rule("ArgMax", "ArgMin")
def _arg(node: Node) -> Template:
    largest = str(node.node.op_type == "ArgMax").lower()
    last = str(bool(node.attribute("select_last_index", 0))).lower()
    return Template(f"arg<{node.axis(0)}, {largest}, {last}>", node.inputs)


@rule("CumSum")
def _cumulated(node: Node) -> Template:
    (axis,) = node.constant(1)
    flags = (str(bool(node.attribute(name, 0))).lower() for name in ("exclusive", "reverse"))
    return Template(f"cumsum<{axis % len(node.shapes[0])}, {', '.join(flags)}>", node.inputs[:1])
