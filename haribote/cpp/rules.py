"""What a rule of the C++ backend is: from an ONNX node to the template of `include/haribote` that serves it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import onnx

from haribote.core.elementwise import given_or_default
from haribote.cpp.elements import expression
from haribote.errors import UnsupportedOp
from haribote.graph import Index, Shape, attributes
from haribote.graphs.writer import registering
from simulator.messages import tr


@dataclass(frozen=True)
class Template:
    """A template with its compile-time arguments, and the values passed to it: inputs by name, and plain numbers.

    The node's outputs are passed behind the inputs. Inputs that became compile-time arguments are not passed.
    function: of elements, passed first, then come the outputs.
    """

    text: str
    inputs: tuple[str, ...]
    numbers: tuple[str, ...] = ()
    function: str = ""

    def call(self, inputs: Sequence[str], outputs: Sequence[str]) -> str:
        """The line of C++, the values by their names there."""
        values = [self.function, *outputs, *inputs] if self.function else [*inputs, *outputs]
        return f"op::{self.text}({', '.join([*values, *self.numbers])});"


class Node:
    """A node with what a rule asks about it. `gemm`: the Gemm template to use."""

    def __init__(self, node: onnx.NodeProto, index: Index, gemm: str) -> None:
        self.node, self.gemm = node, f"op::{gemm}"
        self.inputs = tuple(name for name in node.input if name)
        self.shapes: list[Shape] = [index.shape[name] for name in self.inputs]
        self.output_shape = index.shape[node.output[0]]
        self.element_type = index.dtype[node.output[0]]
        self._index, self._attributes = index, attributes(node)

    def attribute(self, name: str, default: Any) -> Any:
        """An attribute, or the operator's default; strings as `str`."""
        value = self._attributes.get(name, default)
        return value.decode() if isinstance(value, bytes) else value

    def constant(self, position: int) -> list[int]:
        """The integers of a constant input, which become part of the template."""
        values = self._index.constants.get(self.inputs[position])
        self.require(values is not None, f"input {self.inputs[position]!r} must be a constant")
        assert values is not None
        return [int(value) for value in values.ravel()]

    def scalar(self, position: int) -> float | None:
        """The number that a constant input with one element holds; None where it is not one."""
        values = self._index.constants.get(self.inputs[position])
        return float(values.item()) if values is not None and values.size == 1 else None

    def given(self, position: int) -> bool:
        """Whether the node has an input at this position; one in the middle may be left out."""
        return position < len(self.node.input) and bool(self.node.input[position])

    def numbers(self, position: int, default: Iterable[int]) -> list[int]:
        """The integers of a constant input, or the default where it is left out."""
        return self.constant(self.inputs.index(self.node.input[position])) if self.given(position) else list(default)

    def axis(self, default: int) -> int:
        """The attribute `axis`, counted from the front."""
        return int(self.attribute("axis", default)) % max(len(self.shapes[0]), 1)

    def require(self, holds: bool, constraint: str) -> None:
        """Refuse a node that is not of the form its template covers."""
        if not holds:
            shapes = ", ".join(f"{name} {list(shape)}" for name, shape in zip(self.inputs, self.shapes, strict=True))
            raise UnsupportedOp(
                tr(
                    "C++: node {name!r}, {op_type}({shapes}): {constraint}",
                    self.node.name,
                    self.node.op_type,
                    shapes,
                    constraint,
                ),
                tr("another form of the operator, or extend its rule in haribote/cpp/operators.py"),
            )


Rule = Callable[[Node], Template]
RULES: dict[str, Rule] = {}
"""Operator name to its rule; those that work element by element are entered in `cpp.operators`."""


rule = registering(RULES)
"""Registers the rule of these operators."""


def loop(node: Node) -> Template:
    """The rule of what works element by element: one loop, written from the row of the operator."""
    names = [f"x{number}" for number in range(len(node.inputs))]
    return element_loop(node.inputs, expression(node.node.op_type, names, given_or_default(node.node)))


def element_loop(inputs: tuple[str, ...], body: str) -> Template:
    """A loop over the elements x0, x1, … of these values, each result of which `body` gives."""
    parameters = ", ".join(f"auto x{number}" for number in range(len(inputs)))
    return Template("map", inputs, (), f"[]({parameters}) {{ return {body}; }}")


def plain(text: str, inputs: int | None = None) -> Rule:
    """The rule of a template without compile-time arguments of its own: the shapes say everything. inputs: how many
    the template takes; None for all.
    """
    return lambda node: Template(text, node.inputs[:inputs])


def sizes(values: Iterable[int]) -> str:
    """A list of sizes or axes as a C++ type."""
    return f"op::List<{', '.join(map(str, values))}>"


def signed(values: Iterable[int]) -> str:
    """A list of numbers that may be negative as a C++ type."""
    return f"op::Signed<{', '.join(map(str, values))}>"
