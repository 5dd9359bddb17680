"""The stages of the compiler on one graph, for notebooks: before and after, why, and whether they mean the same."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import fill
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray

from haribote import draw
from haribote.answers.ownership import product_only
from haribote.compiler import lower
from haribote.errors import HariboteError
from haribote.graph import Index, evaluate
from haribote.graphs.parts import part_of
from haribote.graphs.tiles import Tiles, tile_table
from haribote.passes.pad import crop_one, pad_inputs, padding
from haribote.passes.report import counts
from haribote.passes.tile import split_inputs
from simulator.messages import Text, tr

Array = NDArray[Any]

WHY: Mapping[str, str] = {
    "simplify": Text("what is undone right after, or known before the first step, costs time and gives nothing"),
    "pad": Text("kernels are written for a few sizes, so every size grows to the next of them"),
    "decompose": Text("the chip has kernels for small steps such as ReduceMax and Exp, none for LogSoftmax"),
    "tile": Text("what is larger than a kernel's size is cut into pieces of that size"),
    "layout": Text("each node gets its kernel, and with it the layout of all its operands"),
    "transfer": Text("kernels read LM and tensors lie in DRAM, so every operand comes down and every result goes up"),
    "place": Text("instructions name addresses, so every tensor gets one, in DRAM and in LM"),
}
"""A sentence for each stage."""
_TRANSFER = re.compile(r"\.(dl\d+|ul)$")


@dataclass(frozen=True)
class Stages:
    """A graph and what each stage of the compiler made of it, in order; `first` is the graph before all of them."""

    first: onnx.ModelProto
    after: dict[str, onnx.ModelProto] = field(default_factory=dict)

    @classmethod
    def of(cls, model: onnx.ModelProto, save_to: Path | None = None) -> Stages:
        """Run them all, the product's own; with `save_to`, each graph is written there as `<stage>.onnx`. Raises what
        the passes raise.
        """
        found = cls(model)
        with product_only():
            lower(model, save_to=save_to, watch=lambda stage, _, after: found.after.__setitem__(stage, after))
        return found

    def before(self, stage: str) -> onnx.ModelProto:
        """The graph that a stage is given. Raises HariboteError where there is no such stage."""
        if stage not in self.after:
            raise HariboteError(tr("there is no stage {stage!r}", stage), tr("one of {after}", ", ".join(self.after)))
        names = list(self.after)
        return self.after[names[names.index(stage) - 1]] if names[0] != stage else self.first

    def changes(self, stage: str) -> dict[str, list[str]]:
        """The nodes that a stage has removed, added and changed, by name."""
        found: dict[str, list[str]] = {"removed": [], "added": [], "changed": []}
        for name, change in draw.changes(self.before(stage), self.after[stage]).items():
            if change:
                found[change if change in found else "changed"].append(name)
        return found

    def diff(self, stage: str, only: Collection[str] = ()) -> draw.Picture:
        """Both graphs side by side. only: the nodes to show, by name, with their transfers; without, all, without names
        and shapes.
        """
        before, after = self.before(stage), self.after[stage]
        captions = tr("before {stage}", stage), tr("after {stage}", stage)
        if not only:
            return draw.diff(before, after, captions, compact=True)
        return draw.diff(_part(before, only), _part(after, only), captions)

    def table(self) -> str:
        """A line for each stage: the numbers of nodes, and which operators have become more or fewer."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        width = max(map(len, self.after))
        for stage, after in self.after.items():
            old, new = counts(self.before(stage)), counts(after)
            changed = [f"{op} {old[op]} → {new[op]}" for op in {**old, **new} if old[op] != new[op]]
            head = f"{stage:{width}} {old.total():4} → {new.total():3} {tr('nodes')}   "
            text = ", ".join(changed) or tr("the same operators")
            yield fill(head + text, 110, subsequent_indent=" " * len(head))

    def differences(self, feeds: Mapping[str, Array]) -> dict[str, float]:
        """Run the graph of every stage by the reference evaluator; the largest difference from `first`, over all
        outputs, which are padded and cropped as that stage says.
        """
        expected = evaluate(self.first, feeds)
        return {
            stage: max(float(np.abs(found[name] - value).max()) for name, value in expected.items())
            for stage, model in self.after.items()
            for found in [self._run(model, feeds)]
        }

    def _run(self, model: onnx.ModelProto, feeds: Mapping[str, Array]) -> dict[str, Array]:
        """The outputs by the names and shapes of `first`."""
        tiles, entries = Tiles(tile_table(model)), padding(model)
        whole = self.after["decompose"] if tiles.table else model
        found = tiles.joined(evaluate(model, split_inputs(model, pad_inputs(whole, feeds))))
        return {name: crop_one(value, entries.get(name)) for name, value in found.items()}


def _part(model: onnx.ModelProto, only: Collection[str]) -> onnx.ModelProto:
    """The nodes of these names and their transfers, as a graph; its outputs are what others read."""
    index = Index(model)
    nodes = [node for node in model.graph.node if _TRANSFER.sub("", node.name) in only]
    kept = {node.name for node in nodes}
    outputs = [
        name
        for node in nodes
        for name in node.output
        if name in index.outputs or any(reader.name not in kept for reader in index.consumers[name])
    ]
    return part_of(model, nodes, outputs, model.graph.name, index)
