"""The graph with values cut into pieces."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import product

import numpy as np
import onnx

from haribote.graph import Builder, Index, clone, complete, remove_unused_constants, set_metadata, updates
from haribote.graphs.tiles import Place, grid, piece_name, window
from haribote.stack.planner.letters import PRODUCTS, letters_of
from haribote.stack.planner.reductions import REDUCTIONS, reduced_axes
from haribote.stack.planner.views import view_of
from haribote.stack.tiling.axes import Axes
from haribote.stack.tiling.sizes import sizes

JOINERS = {"ReduceSum": "Add", "ReduceMax": "Max", "ReduceMin": "Min"}
"""What joins the reductions of pieces."""


def cut(model: onnx.ModelProto, most_words: float | None = None) -> onnx.ModelProto:
    """The graph on pieces that fit; as it is where all of it does. Inputs and outputs that are cut are in the metadata
    (`graphs.tiles`). most_words: as in `sizes`."""
    axes = Axes(model)
    lengths = sizes(model, axes, most_words)
    return _Cutter(model, axes, lengths).run() if lengths else model


class _Cutter:
    def __init__(self, model: onnx.ModelProto, axes: Axes, lengths: Mapping[tuple[str, int], int]) -> None:
        self.model, self.index = model, Index(model)
        self.builder = Builder.like(model)
        self.tile = {
            name: tuple(
                lengths.get(group, size) if group else size
                for group, size in zip(axes.groups(name), shape, strict=True)
            )
            for name, shape in self.index.shape.items()
        }

    def run(self) -> onnx.ModelProto:
        """The model on pieces."""
        graph = self.builder.model.graph
        del graph.input[:], graph.output[:]
        for name in self.index.inputs:
            for place in self.places(name):
                self.builder.input(self.piece(name, place), self.shape(name, place), self.index.dtype[name])
        for name, array in self.index.constants.items():
            if self.is_cut(name):
                for place in self.places(name):
                    self.builder.constant(np.array(array[window(place, self.tile[name])]), self.piece(name, place))
        for node in self.model.graph.node:
            for place in self.places(node.output[0]):
                self.visit(node, place)
        outputs = [self.piece(name, place) for name in self.index.outputs for place in self.places(name)]
        for name in outputs:
            self.builder.output(name)
        in_order = list(_from_outputs(graph, outputs))
        del graph.node[:]
        graph.node.extend(in_order)
        remove_unused_constants(graph)
        changed = {
            self.piece(before, place): self.piece(after, place)
            for before, after in updates(self.model).items()
            for place in self.places(before)
        }
        tiles = {
            name: {"shape": list(self.index.shape[name]), "tile": list(self.tile[name])}
            for name in (*self.index.inputs, *self.index.outputs)
            if self.is_cut(name)
        }
        set_metadata(self.builder.model, tiles=json.dumps(tiles), updates=json.dumps(changed))
        return complete(self.builder.model)

    # --- names and shapes of pieces -----------------------------------------------------------------------------------

    def is_cut(self, name: str) -> bool:
        """Whether a value is in pieces."""
        return self.tile[name] != self.index.shape[name]

    def places(self, name: str) -> Iterator[Place]:
        """All pieces of a value."""
        return grid(self.index.shape[name], self.tile[name])

    def piece(self, name: str, place: Place) -> str:
        """The name of a piece."""
        return piece_name(name, place) if self.is_cut(name) else name

    def shape(self, name: str, place: Place) -> tuple[int, ...]:
        """The shape of a piece: the last ones may be smaller."""
        pairs = zip(place, self.tile[name], self.index.shape[name], strict=True)
        return tuple(min(step, size - i * step) for i, step, size in pairs)

    # --- nodes --------------------------------------------------------------------------------------------------------

    def visit(self, node: onnx.NodeProto, place: Place) -> None:
        """Write what makes one piece of a node's result."""
        view = view_of(node, self.index)
        if view is not None:
            whole = [0] * len(self.index.shape[node.input[0]])
            for number, axis in view.whole.items():
                whole[axis] = place[number]
            self.viewed(node, place, tuple(whole))
        elif node.op_type in PRODUCTS:
            self.product(node, place)
        elif node.op_type in REDUCTIONS:
            self.reduction(node, place)
        else:
            inputs = [
                self.piece(name, self.beside(name, place)) if name and self.is_cut(name) else name
                for name in node.input
            ]
            self.keep(node, inputs, self.piece(node.output[0], place))

    def beside(self, name: str, place: Place) -> Place:
        """The piece of an operand, which may be broadcast, that goes with a piece of the result."""
        rank = len(self.index.shape[name])
        own = place[len(place) - rank :] if rank else ()
        return tuple(0 if size == 1 else i for i, size in zip(own, self.index.shape[name], strict=True))

    def keep(self, node: onnx.NodeProto, inputs: list[str], result: str) -> None:
        """A node as it was, of pieces."""
        copy = clone(node)
        copy.input[:], copy.output[:], copy.name = inputs, [result], result
        self.builder.model.graph.node.append(copy)

    def viewed(self, node: onnx.NodeProto, place: Place, source: Place) -> None:
        """A view of a piece; a reshape says the shape of the piece, and so must a Squeeze, maybe of all axes of 1."""
        inputs, result = [self.piece(node.input[0], source), *node.input[1:]], self.piece(node.output[0], place)
        if node.op_type in ("Reshape", "Flatten", "Squeeze") and self.is_cut(node.output[0]):
            wanted = np.array(self.shape(node.output[0], place), np.int64)
            shape = self.builder.constant(wanted, "x".join(map(str, wanted)))
            self.builder.op("Reshape", inputs[0], shape, name=result, reserved=True)
        else:
            self.keep(node, inputs, result)

    def product(self, node: onnx.NodeProto, place: Place) -> None:
        """The sum of the products of all pieces along what is summed over."""
        *sides, out = letters_of(self.index, node)
        at = dict(zip(out, place, strict=True))
        steps: dict[str, range] = {}
        for name, letters in zip(node.input, sides, strict=True):
            for letter, size, step in zip(letters, self.index.shape[name], self.tile[name], strict=True):
                if letter not in at:
                    steps[letter] = range(-(-size // step))
        terms = []
        for chosen in product(*steps.values()):
            here = at | dict(zip(steps, chosen, strict=True))
            terms.append(
                [
                    self.piece(name, tuple(here[letter] for letter in letters))
                    for name, letters in zip(node.input, sides, strict=True)
                ]
            )
        self.joined(node, terms, "Add", self.piece(node.output[0], place))

    def reduction(self, node: onnx.NodeProto, place: Place) -> None:
        """The reductions of all pieces along the reduced axes, joined."""
        name = node.input[0]
        rank = len(self.index.shape[name])
        gone = reduced_axes(self.index, node, rank)
        left = iter(place if len(place) < rank else [i for axis, i in enumerate(place) if axis not in gone])
        fixed = {axis: next(left) for axis in range(rank) if axis not in gone}
        terms = [
            [self.piece(name, own), *node.input[1:]]
            for own in self.places(name)
            if all(own[axis] == i for axis, i in fixed.items())
        ]
        self.joined(node, terms, JOINERS[node.op_type], self.piece(node.output[0], place))

    def joined(self, node: onnx.NodeProto, terms: list[list[str]], joiner: str, result: str) -> None:
        """A node on every list of inputs, and what joins their results, one after another."""
        total = ""
        for number, inputs in enumerate(terms):
            last = number == len(terms) - 1
            term = result if len(terms) == 1 else self.builder.fresh(f"{result}.{number}")
            self.keep(node, inputs, term)
            if total:
                name = result if last else self.builder.fresh(f"{result}.to{number}")
                self.builder.op(joiner, total, term, name=name, reserved=True)
                term = name
            total = term


def _from_outputs(graph: onnx.GraphProto, outputs: list[str]) -> Iterator[onnx.NodeProto]:
    """The nodes in an order in which every output is finished before the next one begins."""
    makers = {node.output[0]: node for node in graph.node}
    done: set[str] = set()
    for output in outputs:
        waiting = [output]
        while waiting:
            name = waiting[-1]
            node = makers.get(name)
            missing = [n for n in node.input if n in makers and n not in done] if node and name not in done else []
            if missing:
                waiting.extend(reversed(missing))
                continue
            waiting.pop()
            if node is not None and name not in done:
                done.add(name)
                yield node
