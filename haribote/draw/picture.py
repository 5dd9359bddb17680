"""What is to be drawn of a graph: boxes for operators, inputs and outputs, and the wires between them.

Constants are folded into the operators that read them. A graph input is drawn at each operator that reads it, since
parameters are read at both ends of a training step and their wires would cross the whole picture.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace

import onnx

from haribote.draw import words
from haribote.graph import DRAM, Index, is_loss, metadata
from haribote.passes.placement import row_of
from simulator.messages import shown, tr

TRANSFERS = ("DL", "UL", "Copy")
OPERATOR_CLASSES = {
    "matrix": {"Gemm", "MatMul", "Conv", "ConvTranspose"},
    "reduction": {"ReduceMax", "ReduceSum", "ReduceMean", "Softmax", "LogSoftmax", "LogSoftmaxGrad", "MaxPool",
                  "MaxPoolGrad", "NegativeLogLikelihoodLoss", "NLLLossGrad", "SoftmaxCrossEntropyLoss"},
    "shape": {"Transpose", "Reshape", "Flatten", "Cast", "Squeeze", "Unsqueeze", "Identity", "Expand", "Slice",
              "Concat", "Split", "Pad", "Gather", "GatherElements", "OneHot", *TRANSFERS},
}  # fmt: skip
"""How operators are coloured before the compiler has chosen where they run; all others are "elementwise"."""


@dataclass(frozen=True)
class Box:
    """An operator, a graph input or a graph output.

    Attributes:
        kind: "node", "transfer" (DL and UL, drawn small), "input" or "output".
        name: of the node or value; several boxes of kind "input" may have the same.
        title, lines: the first line in the box and the ones below it.
        paint: the style class: a partition, an operator class, or what a comparison says.
        tooltip: shown by a browser under the pointer.
    """

    kind: str
    name: str
    title: str
    lines: tuple[str, ...] = ()
    paint: str = ""
    tooltip: str = ""

    @property
    def shown(self) -> Box:
        """The same in the language of the moment, but for the operator and for names of the graph."""
        return replace(self, lines=tuple(map(shown, self.lines)), tooltip=shown(self.tooltip))


@dataclass(frozen=True)
class Edge:
    """A wire: from the box with number `source` to those with the numbers `targets`, with its label and memory."""

    name: str
    source: int
    targets: tuple[int, ...]
    label: str
    memory: str = ""


LEFT_OUT = "haribote.left_out"
"""Key of a node's metadata_props: why its kernel, which is written, does not serve it."""
WHOSE = "haribote.whose"
"""Key of a node's metadata_props: "yours" or "course", whose kernel runs, where both are in a step."""


@dataclass(frozen=True)
class Picture:
    """Boxes such that a wire leads from a lower number to higher ones; the style classes in use are for the legend."""

    caption: str
    boxes: list[Box] = field(default_factory=list)
    values: list[Edge] = field(default_factory=list)

    @property
    def shown(self) -> Picture:
        """The same in the language of the moment; what is drawn from it is measured as it is read."""
        return Picture(shown(self.caption), [box.shown for box in self.boxes], self.values)

    def compact(self) -> Picture:
        """The same boxes with a title only, wires without labels."""
        boxes = [replace(box, lines=()) for box in self.boxes]
        return Picture(self.caption, boxes, [replace(value, label="") for value in self.values])

    @property
    def paints(self) -> list[str]:
        """The style classes of the operators, in order of appearance."""
        return list(dict.fromkeys(box.paint for box in self.boxes if box.kind in ("node", "transfer")))

    @property
    def memories(self) -> list[str]:
        """The memories in which values are said to be."""
        return sorted({value.memory for value in self.values if value.memory})


def picture(model: onnx.ModelProto, caption: str = "") -> Picture:
    """The boxes and wires of a graph."""
    return _Reader(model).read(caption or model.graph.name)


def is_partitioned(model: onnx.ModelProto) -> bool:
    """Whether the layout pass has chosen kernels: only then do we know what the chip runs."""
    return DRAM in metadata(model) or any(row_of(node) is not None for node in model.graph.node)


def partition(node: onnx.NodeProto) -> str:
    """Where a node of a partitioned graph runs: "chip", "host", "wrong" (there for a wrong kernel), or "loss".

    Where kernels of the learner and the course run side by side, "yours", "course" or "failing" in place of "chip".
    """
    said = metadata(node)
    if row_of(node) is not None:
        return "failing" if LEFT_OUT in said else said.get(WHOSE, "chip")
    if LEFT_OUT in said:
        return "wrong"
    return "loss" if is_loss(node) else "host"


def operator_class(node: onnx.NodeProto) -> str:
    """The colour group of an operator."""
    return next((name for name, members in OPERATOR_CLASSES.items() if node.op_type in members), "elementwise")


class _Reader:
    """Collects the boxes in the order of the graph's nodes."""

    def __init__(self, model: onnx.ModelProto) -> None:
        self.model, self.index = model, Index(model)
        self.partitioned = is_partitioned(model)
        self.in_dram: dict[str, int] = json.loads(metadata(model).get(DRAM, "{}"))
        self.boxes: list[Box] = []
        self.readers: dict[str, list[int]] = {}
        self.source: dict[str, int] = {}
        self.copies: list[tuple[str, int, int]] = []  # input, its box, the reader's box

    def read(self, caption: str) -> Picture:
        for node in self.model.graph.node:
            self._node(node)
        for name in self.index.outputs:
            self._add(Box("output", name, words.short(name), (), "", tr("output {name}", name)), [name])
        values = [
            Edge(name, box, tuple(self.readers[name]), self._label(name), self._memory(name))
            for name, box in self.source.items()
            if name in self.readers
        ]
        values += [
            Edge(name, box, (reader,), self._label(name), self._memory(name)) for name, box, reader in self.copies
        ]
        count = len(self.model.graph.node)
        nodes = tr("{count} node{s}", count, "s" * (count != 1))
        return Picture(f"{shown(caption)} · {nodes}", self.boxes, values)

    def _node(self, node: onnx.NodeProto) -> None:
        kind = "transfer" if node.op_type in TRANSFERS else "node"
        paint = partition(node) if self.partitioned else ("loss" if is_loss(node) else operator_class(node))
        detail = words.details(node, self.index)
        lines = (words.short(node.name), *([words.short(detail)] if detail else []))
        box = Box(kind, node.name, words.title(node), () if kind == "transfer" else lines, paint,
                  words.tooltip(node, self.index))  # fmt: skip
        number = self._add(box, [name for name in node.input if name and name not in self.index.constants])
        self.source |= {name: number for name in node.output if name}

    def _add(self, box: Box, reads: list[str]) -> int:
        """Add a box, after one for each graph input that it reads."""
        inputs = [name for name in dict.fromkeys(reads) if name not in self.source and name in self.index.inputs]
        first = len(self.boxes)
        self.boxes += [Box("input", name, words.short(name), (), "", tr("input {name}", name)) for name in inputs]
        number = len(self.boxes)
        self.boxes.append(box)
        self.copies += [(name, first + place, number) for place, name in enumerate(inputs)]
        for name in dict.fromkeys(reads):
            if name in self.source:
                self.readers.setdefault(name, []).append(number)
        return number

    def _label(self, name: str) -> str:
        shape = words.shape_text(self.index.shape.get(name), self.index.dtype.get(name))
        return f"{shape} {self._memory(name)}".strip()

    def _memory(self, name: str) -> str:
        """What the node that makes the value says, else DRAM if it has an address there."""
        producer = self.index.producer.get(name)
        stated = words.memory_of(producer, "out") if producer is not None else ""
        return stated or ("DRAM" if name in self.in_dram else "")
