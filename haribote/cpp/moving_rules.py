"""Rules of operators that only move elements."""

from __future__ import annotations

from haribote.cpp.elements import literal
from haribote.cpp.rules import Node, Template, rule, signed, sizes


@rule("Slice")
def _slice(node: Node) -> Template:
    rank = len(node.shapes[0])
    axes = [axis % rank for axis in node.numbers(3, range(rank))]
    steps = dict.fromkeys(range(rank), 1) | dict(zip(axes, node.numbers(4, [1] * rank), strict=False))
    starts = dict.fromkeys(range(rank), 0)
    for axis, start in zip(axes, node.constant(1), strict=False):
        size = node.shapes[0][axis]
        last = size if steps[axis] > 0 else size - 1
        starts[axis] = min(max(start + size * (start < 0), 0), last)
    if set(steps.values()) <= {1}:
        return Template(f"slice<{sizes(starts.values())}>", node.inputs[:1])
    return Template(f"strided<{sizes(starts.values())}, {signed(steps.values())}>", node.inputs[:1])


@rule("Concat")
def _concat(node: Node) -> Template:
    return Template(f"concat<{node.attribute('axis', 0) % len(node.output_shape)}>", node.inputs)


@rule("Split")
def _split(node: Node) -> Template:
    return Template(f"split<{node.axis(0)}>", node.inputs[:1])


@rule("Pad")
def _pad(node: Node) -> Template:
    mode, rank = node.attribute("mode", "constant"), len(node.shapes[0])
    node.require(mode in ("constant", "edge", "reflect"), "mode must be constant, edge or reflect")
    pads, axes = node.constant(1), [axis % rank for axis in node.numbers(3, range(rank))]
    before = dict.fromkeys(range(rank), 0) | dict(zip(axes, pads, strict=False))
    sides = zip(axes, pads, pads[len(axes) :], strict=False)
    node.require(
        mode != "reflect" or all(max(pair) < node.shapes[0][axis] for axis, *pair in sides),
        "what is reflected must be narrower than the input",
    )
    value = (node.node.input[2],) if node.given(2) and mode == "constant" else ()
    return Template(f"pad_{mode}<{signed(before.values())}>", (*node.inputs[:1], *value))


@rule("Gather", "GatherElements")
def _gather(node: Node) -> Template:
    name = {"Gather": "gather", "GatherElements": "gather_elements"}[node.node.op_type]
    return Template(f"{name}<{node.axis(0)}>", node.inputs)


@rule("GatherND")
def _gather_nd(node: Node) -> Template:
    node.require(node.attribute("batch_dims", 0) == 0, "batch_dims must be 0")
    return Template("gather_nd", node.inputs)


@rule("ScatterElements", "ScatterND")
def _scatter(node: Node) -> Template:
    reduction = node.attribute("reduction", "none")
    combine = f"op::scatter_{reduction}"
    if node.node.op_type == "ScatterND":
        return Template(f"scatter_nd<{combine}>", node.inputs)
    return Template(f"scatter_elements<{node.axis(0)}, {combine}>", node.inputs)


@rule("Pick")
def _pick(node: Node) -> Template:
    fill = node.element_type.type(node.attribute("fill", 0.0))
    return Template("pick", node.inputs, (literal(fill),))


@rule("Trilu")
def _trilu(node: Node) -> Template:
    offset = node.numbers(1, [0])[0]
    return Template(f"trilu<{str(bool(node.attribute('upper', 1))).lower()}, {offset}>", node.inputs[:1])
