"""Drawings for notebooks.

Graphs: `svg(model)`, `diff(before, after)` for a graph before and after a pass. The machine: `chip()`, `layout(tag)`,
`move(line)`, `animate(lines)`, `timeline(program)`, `traffic(program)`, `memory(machine, "lm0")`. Training:
`loss(curves)`, `live_loss()`, `digits(images)`.
"""

from __future__ import annotations

from collections import Counter

import onnx

from haribote.chip.codegen import ChipPiece, HostPiece, TransferPiece
from haribote.chip.program import Compiled
from haribote.draw.compare import changes, compare
from haribote.draw.curves import live_loss, loss
from haribote.draw.held_picture import layout_picture as layout
from haribote.draw.images import digits
from haribote.draw.picture import LEFT_OUT, WHOSE, picture
from haribote.draw.render import render
from haribote.graph import clone, put
from haribote.passes.placement import row_of
from simulator.pictures import Picture, animate, chip, memory, move, timeline, traffic

__all__ = [
    "Picture",
    "animate",
    "as_it_runs",
    "changes",
    "chip",
    "diff",
    "digits",
    "layout",
    "live_loss",
    "loss",
    "memory",
    "move",
    "summary",
    "svg",
    "timeline",
    "traffic",
]


def svg(graph: onnx.ModelProto | Compiled, caption: str = "", compact: bool = False) -> Picture:
    """The graph as a layered drawing; in a notebook, the last expression of a cell shows it.

    Operators are coloured by where they run (chip, host, loss value) once the layout pass has decided it, before that
    by what they do. Wires carry the shapes, and after the layout pass the colour of the memory that holds the value.

    Args:
        graph: a model; or a compiled step, of which we know which nodes run on the host for want of a kernel.
        compact: the operators only, without names and shapes.
    """
    model = graph if isinstance(graph, onnx.ModelProto) else as_it_runs(graph)
    drawn = picture(model, caption)
    return render(drawn.compact() if compact else drawn)


def as_it_runs(compiled: Compiled) -> onnx.ModelProto:
    """The nodes that a compiled step runs; those that the host does have lost their kernel, others say whose it is.

    An operator of the host works on tensors in DRAM; a DL or UL that it serves keeps its memories.
    """
    model = clone(compiled.model)
    del model.graph.node[:]
    for piece in compiled.pieces:
        node = clone(piece.node)
        if isinstance(piece, HostPiece):
            _drop(node, "haribote.in", "haribote.out", "haribote.kernel")
            if piece.left_out:
                put(node, LEFT_OUT, piece.reason)
        elif isinstance(piece, TransferPiece):
            _drop(node, "haribote.kernel")
        elif piece.owner == "yours" or piece.instead:
            _say_whose(node, piece)
        model.graph.node.append(node)
    return model


def _say_whose(node: onnx.NodeProto, piece: ChipPiece) -> None:
    """Note whose kernel serves the node, of which task it is, and why the learner's does not."""
    row = row_of(node)
    put(node, WHOSE, "yours" if piece.owner == "yours" else "course")
    if row is not None:
        put(node, "haribote.task", row.task)
    if piece.instead:
        put(node, LEFT_OUT if piece.failing else "haribote.instead", piece.instead)


def _drop(node: onnx.NodeProto, *prefixes: str) -> None:
    """Remove the metadata entries whose keys begin so."""
    for entry in [entry for entry in node.metadata_props if entry.key.startswith(prefixes)]:
        node.metadata_props.remove(entry)


def diff(
    before: onnx.ModelProto,
    after: onnx.ModelProto,
    captions: tuple[str, str] = ("before", "after"),
    compact: bool = False,
) -> Picture:
    """Both graphs side by side; what is unchanged, changed, removed and added is seen by colour and sign.

    compact: the operators only, without names and shapes.
    """
    pictures = compare(before, after, captions)
    return render(*(drawn.compact() for drawn in pictures) if compact else pictures)


def summary(before: onnx.ModelProto, after: onnx.ModelProto) -> str:
    """One line: how many nodes are unchanged, changed, removed and added."""
    kinds = ("unchanged", "changed", "removed", "added")
    found = changes(before, after).values()
    count = Counter("unchanged" if not change else change if change in kinds else "changed" for change in found)
    return ", ".join(f"{count[kind]} {kind}" for kind in kinds)
