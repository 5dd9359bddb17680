"""Join a layer's bias to its weight, as one more column that the input meets with ones.

    x W^T + b  =  [x 1] [W b]^T          and so are the gradients, and what an optimiser makes of them

A column that is padding anyway costs nothing, while a bias by itself needs a sum over the batch, an update and moves.
Only for layers whose input is an input of the graph, since ones can be given with it, and only where the number of
columns is no power of two. The metadata under JOINS say which of the user's values a joined one consists of.
"""

from __future__ import annotations

import json
from typing import Any

import onnx

from haribote.graph import Builder, Index, attributes, clone, complete, metadata, set_metadata, tensor_info, updates
from haribote.passes.dead_code import remove_dead_code

JOINS = "haribote.joins"


def run(model: onnx.ModelProto) -> onnx.ModelProto:
    """The graph with every layer joined that can be."""
    for node in model.graph.node:
        layer = _Layer.of(model, node)
        if layer is not None:
            return run(layer.joined())
    return model


class _Layer:
    """A product with its bias, and all that follows from their gradients, in pairs: (of the weight, of the bias)."""

    def __init__(self, model: onnx.ModelProto, product: onnx.NodeProto, add: onnx.NodeProto) -> None:
        self.model, self.index, self.product, self.add = model, Index(model), product, add
        self.x, self.weight = product.input
        self.bias = next(name for name in add.input if name != product.output[0])
        self.scalars = {name for name, array in self.index.constants.items() if array.size == 1}
        states = (name for name in self.index.inputs if name.startswith(f"{self.weight}."))
        self.pairs: dict[str, str] = {self.weight: self.bias}
        self.pairs |= {name: f"{self.bias}{name.removeprefix(self.weight)}" for name in states}
        self.gradients: list[tuple[onnx.NodeProto, onnx.NodeProto]] = []
        self.nodes: list[tuple[onnx.NodeProto, onnx.NodeProto]] = []

    @staticmethod
    def of(model: onnx.ModelProto, node: onnx.NodeProto) -> _Layer | None:
        """The layer that a product begins; None where it cannot be joined."""
        if node.op_type != "Gemm" or len(node.input) != 2 or not attributes(node).get("transB"):
            return None
        index, parameters = Index(model), set(updates(model))
        x, weight = node.input
        readers = index.consumers[node.output[0]]
        columns = index.shape[weight][1]
        if x not in index.inputs or x in parameters or weight not in parameters or attributes(node).get("transA"):
            return None
        if columns & (columns - 1) == 0 or [reader.op_type for reader in readers] != ["Add"]:
            return None
        layer = _Layer(model, node, readers[0])
        biased = layer.bias in parameters and index.shape[layer.bias] == index.shape[weight][:1]
        return layer if biased and layer.paired() else None

    def paired(self) -> bool:
        """Find the partner of every node that follows from the weight. False where something has none."""
        by_output = {name: node for node in self.model.graph.node for name in node.output}
        for node in self.model.graph.node:
            if self._gradient(node, by_output) or node in (self.product, self.add):
                continue
            if any(name in self.pairs for name in node.input) and not self._follow(node):
                return False
        return self._closed()

    def _gradient(self, node: onnx.NodeProto, by_output: dict[str, onnx.NodeProto]) -> bool:
        """g^T x, whose partner is the sum of g over the rows."""
        if node.op_type != "Gemm" or node.input[1] != self.x or not attributes(node).get("transA"):
            return False
        for other in self.index.consumers[node.input[0]]:
            if other.op_type == "ReduceSum" and not attributes(other).get("keepdims", 1):
                axes = self.index.constants.get(other.input[1]) if len(other.input) > 1 else None
                if axes is not None and list(axes) == [0]:
                    self.pairs[node.output[0]] = other.output[0]
                    self.gradients.append((node, other))
                    return True
        return False

    def _follow(self, node: onnx.NodeProto) -> bool:
        """Pair an element-wise node of the weight's side with the equal one of the bias's side."""
        wanted = [self.pairs.get(name, name) for name in node.input]
        if not all(name in self.pairs or name in self.scalars for name in node.input):
            return False
        for other in self.index.consumers[next(self.pairs[name] for name in node.input if name in self.pairs)]:
            if other.op_type == node.op_type and list(other.input) == wanted and _same(node, other):
                self.pairs[node.output[0]] = other.output[0]
                self.nodes.append((node, other))
                return True
        return False

    def _closed(self) -> bool:
        """True where nothing else reads a paired value, and the updates of one side are those of the other."""
        inside = [node.name for pair in (*self.gradients, *self.nodes) for node in pair]
        inside += [self.product.name, self.add.name]
        readers = [node for pair in self.pairs.items() for name in pair for node in self.index.consumers.get(name, ())]
        after = updates(self.model)
        paired = all(self.pairs.get(after[a]) == after[b] for a, b in self.pairs.items() if a in after)
        ends = (self.index.inputs, self.index.outputs)
        outputs = all((a in end) == (b in end) for a, b in self.pairs.items() for end in ends)
        return bool(self.gradients) and paired and outputs and all(node.name in inside for node in readers)

    # --- the joined graph -------------------------------------------------------------------------------------------

    def joined(self) -> onnx.ModelProto:
        """The model with one value for each pair."""
        names = {a: f"{a}+{b}" for a, b in self.pairs.items()} | {self.x: f"{self.x}+1"}
        replaced = {node.name: node for node, _ in (*self.gradients, *self.nodes)}
        dropped = {node.name for _, node in (*self.gradients, *self.nodes)} | {self.add.name}
        model = clone(self.model)
        builder = Builder.like(model)
        for node in self.model.graph.node:
            if node.name in dropped:
                continue
            copy = builder.keep(node)
            if node.name == self.product.name:
                copy.output[:] = self.add.output
            if node.name == self.product.name or node.name in replaced:
                copy.input[:] = [names.get(name, name) for name in copy.input]
            copy.output[:] = [names.get(name, name) for name in copy.output]
        result = builder.model
        self._ends(result, names)
        self._metadata(result, names)
        remove_dead_code(result)
        return complete(result)

    def _ends(self, model: onnx.ModelProto, names: dict[str, str]) -> None:
        """Inputs and outputs: the joined in the place of the weight's, those of the bias gone."""
        gone = set(self.pairs.values())
        keep_x = any(self.x in node.input for node in model.graph.node)
        inputs = [clone(info) for info in model.graph.input if info.name not in gone]
        outputs = [clone(info) for info in model.graph.output if info.name not in gone]
        del model.graph.input[:], model.graph.output[:]
        for info in inputs:
            if info.name == self.x and keep_x:
                model.graph.input.append(info)
            if info.name in names:
                rows, columns = self.index.shape[info.name]
                info = tensor_info(names[info.name], (rows, columns + 1), self.index.dtype[info.name])
            model.graph.input.append(info)
        for info in outputs:
            info.name = names.get(info.name, info.name)
            model.graph.output.append(info)

    def _metadata(self, model: onnx.ModelProto, names: dict[str, str]) -> None:
        """What the joined values consist of, and the updates by their new names."""
        columns = self.index.shape[self.weight][1]
        joins: dict[str, Any] = json.loads(metadata(self.model).get(JOINS, "{}"))
        ends = {*self.index.inputs, *self.index.outputs}
        for a, b in self.pairs.items():
            if a in ends:
                joins[names[a]] = [
                    {"source": a, "axis": 1, "start": 0, "size": columns},
                    {"source": b, "axis": 1, "start": columns, "size": 1, "expand": True},
                ]
        joins[names[self.x]] = [
            {"source": self.x, "axis": 1, "start": 0, "size": columns},
            {"axis": 1, "start": columns, "size": 1, "value": 1.0},
        ]
        gone = set(self.pairs.values())
        after = {names.get(a, a): names.get(b, b) for a, b in updates(self.model).items() if a not in gone}
        set_metadata(model, joins=json.dumps(joins), updates=json.dumps(after))


def _same(a: onnx.NodeProto, b: onnx.NodeProto) -> bool:
    return bool(attributes(a) == attributes(b))
