"""Einsum with operands of which one has size 1 where another has more. ONNX's reference repeats the 1, as NumPy does;
ONNX's shape inference takes whichever of the two comes first for the size of the result. So it is repeated beforehand.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import onnx
from onnx import NodeProto, TensorProto, helper

from haribote.constants import clone
from haribote.misfit import known_shapes

Shape = tuple[int, ...]
DOTS = "..."


def with_equal_sizes(model: onnx.ModelProto) -> onnx.ModelProto:
    """The same function, with an Expand before the operands of an Einsum that have not the same sizes; the model itself
    where all have. Where the shape of an operand is not known, they stay."""
    if not any(node.op_type == "Einsum" for node in model.graph.node):
        return model
    found = clone(model)
    while (unequal := next(_unequal(found), None)) is not None:
        _repeat(found.graph, *unequal)
        found.graph.ClearField("value_info")  # what reads the result has another shape than was said
    return found if len(found.graph.node) != len(model.graph.node) else model


def _unequal(model: onnx.ModelProto) -> Iterator[tuple[int, Sequence[Shape]]]:
    """The nodes that need it, by their numbers, each with the shapes that its operands should have."""
    shapes = known_shapes(model)
    for number, node in enumerate(model.graph.node):
        if node.op_type == "Einsum" and all(name in shapes for name in node.input):
            before = [shapes[name] for name in node.input]
            try:
                after = _equal(helper.get_node_attr_value(node, "equation").decode(), before)
            except (ValueError, LookupError):  # it fits no operands: who checks the graph says so
                continue
            if after != before:
                yield number, after


def _equal(equation: str, shapes: Sequence[Shape]) -> list[Shape]:
    """The shapes of operands with the same size for each letter."""
    sides = equation.replace(" ", "").partition("->")[0].split(",")
    axes = [[*_letters(side)] for side in sides]
    sizes: dict[str, int] = {}
    for letters, shape in zip(axes, shapes, strict=True):
        sizes |= {letter: shape[axis] for letter, axis in letters if shape[axis] != 1}
    found = [[*shape] for shape in shapes]
    for letters, own in zip(axes, found, strict=True):
        for letter, axis in letters:
            own[axis] = sizes.get(letter, 1) if own[axis] == 1 else own[axis]  # else nothing fits, which is said later
    return [tuple(own) for own in found]


def _letters(side: str) -> Iterator[tuple[str, int]]:
    """The letters of an operand, each with its axis; behind dots axes are counted from the last."""
    head, _, tail = side.partition(DOTS)
    yield from ((letter, axis) for axis, letter in enumerate(head))
    yield from ((letter, axis - len(tail)) for axis, letter in enumerate(tail))


def _repeat(graph: onnx.GraphProto, number: int, shapes: Sequence[Shape]) -> None:
    """Let the operands of a node have these shapes. In place."""
    nodes = list(graph.node)
    taken = {name for node in nodes for name in (node.name, *node.output)} | {init.name for init in graph.initializer}
    taken |= {info.name for info in graph.input}
    before: list[NodeProto] = []
    for position, shape in enumerate(shapes):
        wide = f"{nodes[number].output[0]}.wide{position}"
        while taken & {wide, f"{wide}.sizes"}:
            wide += "_"
        sizes = f"{wide}.sizes"
        graph.initializer.append(helper.make_tensor(sizes, TensorProto.INT64, (len(shape),), shape))
        before.append(helper.make_node("Expand", [nodes[number].input[position], sizes], [wide], name=wide))
        nodes[number].input[position] = wide
    nodes[number:number] = before
    graph.ClearField("node")
    graph.node.extend(nodes)
