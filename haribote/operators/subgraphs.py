"""Nodes with graphs inside, written out where it is known before the run what they do.

If      of a condition that follows from constants and shapes: the branch
Loop    of a constant number of turns that nothing ends early: its body so often
Scan    its body once for each element of the axes that it goes along

What is decided only when it runs stays, and is refused later with its name.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import AttributeProto, GraphProto, NodeProto, helper, numpy_helper, shape_inference

from haribote.constants import clone
from haribote.model_file import inner_graphs
from haribote.operators.mended import evaluator

Array = NDArray[Any]

KINDS = ("If", "Loop", "Scan")
DECIDED = (
    "Constant",
    "Identity",
    "Cast",
    "Equal",
    "Greater",
    "Less",
    "GreaterOrEqual",
    "LessOrEqual",
    "Not",
    "And",
    "Or",
    "Add",
    "Sub",
    "Mul",
    "Div",
    "Ceil",
    "Floor",
    "Relu",
    "Max",
    "Min",
    "Concat",
    "Gather",
    "Slice",
    "Split",
    "Squeeze",
    "Unsqueeze",
)
"""Operators by which conditions are computed, of shapes too; none gives more than it takes."""
MOST_NODES = 20_000
"""Of what is written out; a longer loop stays."""


def written_out(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model with all such nodes written out that can be; the same one where there are none."""
    while any(node.op_type in KINDS for node in model.graph.node):
        copy = clone(shape_inference.infer_shapes(model, data_prop=True))
        writer = _BodyWriter(copy)
        if not writer.write():
            return model
        model = copy
    return model


@dataclass
class _BodyWriter:
    model: onnx.ModelProto
    constants: dict[str, Array] = field(default_factory=dict)
    count: int = 0

    def __post_init__(self) -> None:
        graph = self.model.graph
        self.model.ir_version = max(self.model.ir_version, 4)  # before, constants were inputs too
        self.constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
        known = [*graph.input, *graph.value_info, *graph.output]
        self.shapes = {
            info.name: [dim.dim_value if dim.HasField("dim_value") else -1 for dim in info.type.tensor_type.shape.dim]
            for info in known
            if info.type.tensor_type.HasField("shape")
        } | {name: list(value.shape) for name, value in self.constants.items()}
        self.version = next((e.version for e in self.model.opset_import if e.domain in ("", "ai.onnx")), 1)
        for node in graph.node:
            self._decide(node)

    def _decide(self, node: NodeProto) -> None:
        """Remember what a node gives where that follows from constants and shapes."""
        shape = self.shapes.get(node.input[0]) if node.op_type in ("Shape", "Size") else None
        if shape is not None and min(shape, default=0) >= 0 and not node.attribute:
            self.constants[node.output[0]] = np.array(shape if node.op_type == "Shape" else prod(shape), np.int64)
        elif node.op_type in DECIDED and all(name in self.constants for name in node.input if name):
            given = {name: self.constants[name] for name in node.input if name}
            found: Any = evaluator(node, {"": self.version}).run(None, given)
            self.constants |= dict(zip(node.output, map(np.asarray, found), strict=True))

    def write(self) -> bool:
        """Whether a node was written out, in place."""
        nodes, changed = list(self.model.graph.node), False
        del self.model.graph.node[:]
        for node in nodes:
            found = list(self._of(node) or ()) if node.op_type in KINDS else []
            changed |= bool(found)
            self.model.graph.node.extend(found or [node])
        return changed

    def _of(self, node: NodeProto) -> Iterator[NodeProto] | None:
        """What takes the node's place; None where it stays."""
        given = {attribute.name: attribute for attribute in node.attribute}
        if node.op_type == "If" and node.input[0] in self.constants:
            branch = "then_branch" if bool(self.constants[node.input[0]].item()) else "else_branch"
            return self._branch(node, given[branch].g) if branch in given else None
        if "body" not in given:  # the node is not whole, and is refused with its name
            return None
        if node.op_type == "Scan":
            return self._scan(node, given) if self.version >= 9 else self._scan_of_batch(node, given)
        if node.op_type == "Loop":
            return self._loop(node, given["body"].g)
        return None

    def _branch(self, node: NodeProto, graph: GraphProto) -> Iterator[NodeProto]:
        found = yield from self._inlined(graph, {})
        for source, target in zip(found, node.output, strict=True):
            yield from self._named(source, target)

    def _scan(self, node: NodeProto, given: Mapping[str, AttributeProto]) -> Iterator[NodeProto] | None:
        body, count = given["body"].g, given["num_scan_inputs"].i
        states, scanned = list(node.input[: len(node.input) - count]), list(node.input[len(node.input) - count :])
        results = len(body.output) - len(states)

        def numbers(name: str, length: int) -> list[int]:
            return list(given[name].ints) if name in given else [0] * length

        axes = numbers("scan_input_axes", count)
        if any(name not in self.shapes for name in scanned):
            return None
        turns = {self.shapes[name][axis] for name, axis in zip(scanned, axes, strict=True)}
        if len(turns) != 1 or not 0 < (length := turns.pop()) * len(body.node) <= MOST_NODES:
            return None
        backwards = numbers("scan_input_directions", count)
        return self._turns(
            node, body, length, states, list(zip(scanned, axes, backwards, strict=True)),
            list(zip(numbers("scan_output_axes", results), numbers("scan_output_directions", results), strict=True)),
        )  # fmt: skip

    def _scan_of_batch(self, node: NodeProto, given: Mapping[str, AttributeProto]) -> Iterator[NodeProto] | None:
        """Opset 8: the first axis of everything is a batch, along whose elements it goes one by one."""
        lengths, *inputs = node.input
        batch = {self.shapes.get(name, [0])[0] for name in inputs}
        if lengths or len(batch) != 1 or not 0 < (size := batch.pop()) * len(given["body"].g.node) <= MOST_NODES:
            return None
        names = {"directions": "scan_input_directions"}
        attributes = {names.get(name, name): attribute for name, attribute in given.items()}
        nodes: list[NodeProto] = []
        rows: list[list[str]] = [[] for _ in node.output]
        for number in range(size):
            own = [self._fresh(name) for name in inputs]
            for name, element in zip(inputs, own, strict=True):
                at = self._constant(np.array(number))
                nodes.append(helper.make_node("Gather", [name, at], [element], axis=0))
                self.shapes[element] = self.shapes[name][1:]
            outputs = [self._fresh(name) if name else "" for name in node.output]
            found = self._scan(helper.make_node("Scan", own, outputs), attributes)
            if found is None:
                return None
            nodes += found
            for row, name in zip(rows, outputs, strict=True):
                row.append(name)
        for row, target in zip(rows, node.output, strict=True):
            nodes += self._stacked(row, 0, target) if target else []
        return iter(nodes)

    def _loop(self, node: NodeProto, body: GraphProto) -> Iterator[NodeProto] | None:
        limit, goes_on = (node.input[k] if len(node.input) > k else "" for k in (0, 1))
        last = body.output[0].name
        producer = next((inner for inner in body.node if last in inner.output), None)
        always = last == body.input[1].name or (
            producer is not None and producer.op_type == "Identity" and producer.input[0] == body.input[1].name
        )
        if limit not in self.constants or not always or (goes_on and goes_on not in self.constants):
            return None
        turns = int(self.constants[limit].item()) if not goes_on or bool(self.constants[goes_on].item()) else 0
        if not 0 < turns * max(len(body.node), 1) <= MOST_NODES:
            return None
        results = len(body.output) - 1 - len(node.input[2:])
        return self._turns(node, body, turns, list(node.input[2:]), [], [(0, 0)] * results, loop=True)

    def _turns(
        self,
        node: NodeProto,
        body: GraphProto,
        count: int,
        states: Sequence[str],
        scanned: Sequence[tuple[str, int, int]],
        results: Sequence[tuple[int, int]],
        loop: bool = False,
    ) -> Iterator[NodeProto]:
        """The body so often. scanned: what it goes along: name, axis, whether backwards; results: the same of those
        that are collected. loop: its body also takes the turn's number and a condition, and gives a condition."""
        collected: list[list[str]] = [[] for _ in results]
        for turn in range(count):
            given = [self._constant(np.array(turn)), self._constant(np.array(True))] if loop else []
            given += states
            for name, axis, backwards in scanned:
                number = self._constant(np.array(count - 1 - turn if backwards else turn))
                given.append(self._fresh("element"))
                yield helper.make_node("Gather", [name, number], [given[-1]], axis=axis)
            found = yield from self._inlined(body, dict(zip((info.name for info in body.input), given, strict=True)))
            found = found[1:] if loop else found
            states = found[: len(states)]
            for rows, name in zip(collected, found[len(states) :], strict=True):
                rows.append(name)
        for name, target in zip(states, node.output, strict=False):
            yield from self._named(name, target)
        for rows, (axis, backwards), target in zip(collected, results, node.output[len(states) :], strict=False):
            if target:
                yield from self._stacked(rows[::-1] if backwards else rows, axis, target)

    def _stacked(self, rows: Sequence[str], axis: int, target: str) -> Iterator[NodeProto]:
        wide = []
        for name in rows:
            wide.append(self._fresh("row"))
            if self.version < 13:
                yield helper.make_node("Unsqueeze", [name], [wide[-1]], axes=[axis])
            else:
                yield helper.make_node("Unsqueeze", [name, self._constant(np.array([axis]))], [wide[-1]])
        yield helper.make_node("Concat", wide, [target], axis=axis)

    def _named(self, source: str, target: str) -> Iterator[NodeProto]:
        if target:
            yield helper.make_node("Identity", [source], [target])

    def _inlined(self, graph: GraphProto, given: Mapping[str, str]) -> Generator[NodeProto, None, list[str]]:
        """The nodes of an inner graph, its values under names of their own; returns those of its outputs."""
        names = dict(given)
        for tensor in graph.initializer:
            names[tensor.name] = self._constant(numpy_helper.to_array(tensor))
        for node in graph.node:
            copy = clone(node)
            _rename(copy, names)
            for number, name in enumerate(node.output):
                if name:
                    names[name] = copy.output[number] = self._fresh(name)
            copy.name = next((name for name in copy.output if name), node.op_type)
            yield copy
        return [names.get(info.name, info.name) for info in graph.output]

    def _constant(self, value: Array) -> str:
        name = self._fresh("constant")
        self.model.graph.initializer.append(numpy_helper.from_array(value, name))
        return name

    def _fresh(self, base: str) -> str:
        self.count += 1
        return f"{base}.written_out_{len(self.model.graph.initializer)}_{self.count}"


def _rename(node: NodeProto, names: Mapping[str, str]) -> None:
    """Read other values, in the graphs inside of the node too. In place."""
    node.input[:] = [names.get(name, name) for name in node.input]
    for graph in inner_graphs(node):
        own = {info.name for info in graph.input} | {tensor.name for tensor in graph.initializer}
        own |= {name for inner in graph.node for name in inner.output}
        outer = {name: new for name, new in names.items() if name not in own}
        for inner in graph.node:
            _rename(inner, outer)
        for info in graph.output:
            info.name = outer.get(info.name, info.name)
