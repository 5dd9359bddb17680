"""Rules of operators that compute numbers: element by element, and many into one."""

from __future__ import annotations

from haribote.cpp.rules import RULES, Node, Template, plain, rule, sizes

_UNARY = """Abs Sign Floor Ceil Round Reciprocal Sin Cos Tan Asin Acos Atan Sinh Cosh Asinh Acosh Atanh Erf IsNaN
Not"""
_BINARY = "GreaterOrEqual LessOrEqual And Or Xor"
_NAMES = {
    "GreaterOrEqual": "greater_or_equal", "LessOrEqual": "less_or_equal", "IsNaN": "is_nan", "Not": "logical_not",
    "And": "logical_and", "Or": "logical_or", "Xor": "logical_xor",
}  # fmt: skip
RULES |= {name: plain(_NAMES.get(name, name.lower())) for name in f"{_UNARY} {_BINARY}".split()}


@rule("Max", "Min")
def _extremum(node: Node) -> Template:
    node.require(len(node.inputs) == 2, "it must have two inputs")
    return Template(node.node.op_type.lower(), node.inputs)


@rule("Pow")
def _pow(node: Node) -> Template:
    exponent = node.scalar(1)
    if exponent in (2, 3) and node.shapes[0] == node.output_shape:
        return Template({2: "square", 3: "cube"}[int(exponent)], node.inputs[:1])
    return Template("pow", node.inputs)


@rule("Mod")
def _mod(node: Node) -> Template:
    return Template("fmod" if node.attribute("fmod", 0) else "mod", node.inputs)


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
