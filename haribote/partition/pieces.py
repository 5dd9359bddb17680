"""A cut: pieces in the order in which they run, each a graph of its own, and the values that cross between them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import onnx

from haribote.chip.program import Compiled
from haribote.graph import Index, Shape, set_metadata, updates
from haribote.graphs.parts import part_of
from haribote.partition.costs import ASSUMED, chip_microseconds, link_microseconds
from haribote.words import share_of
from simulator.messages import shown, tr

Side = Literal["chip", "host"]


@dataclass(frozen=True, eq=False)
class Piece:
    """A part of the graph. Its graph has an input for every value that it reads and does not make.

    engine: `chip`, or what runs it on the host. reasons: node to why it is not on the chip. compiled: of the chip.
    apart: why it is not one with the piece before it, where that is of the same side.
    """

    side: Side
    model: onnx.ModelProto
    engine: str
    microseconds: float
    reasons: Mapping[str, str]
    compiled: Compiled | None = None
    apart: str = ""

    @property
    def cycles(self) -> float | None:
        """Serial cycles on the chip; None on the host."""
        return None if self.compiled is None else self.compiled.cost.cycles

    @property
    def nodes(self) -> int:
        """How many nodes of the graph it has."""
        return len(self.model.graph.node)


@dataclass(frozen=True)
class Crossing:
    """A value that goes from piece `source` to piece `target`. hops: how often it crosses the link of host and chip."""

    name: str
    shape: Shape
    dtype: str
    source: int
    target: int
    hops: int

    @property
    def size(self) -> int:
        """Bytes, once."""
        return int(np.prod(self.shape, dtype=np.int64)) * np.dtype(self.dtype).itemsize

    @property
    def microseconds(self) -> float:
        """Time on the link."""
        return link_microseconds(self.size, self.hops)


@dataclass(frozen=True, eq=False)
class Cut:
    """A graph in pieces. Every piece reads what the user gives and what earlier pieces make."""

    model: onnx.ModelProto
    pieces: tuple[Piece, ...]

    @cached_property
    def crossings(self) -> tuple[Crossing, ...]:
        """What goes from piece to piece in one run, updated parameters that another piece reads included."""
        index, sides = Index(self.model), [piece.side for piece in self.pieces]
        maker = {name: number for number, piece in enumerate(self.pieces) for name in made(piece.model)}
        found: list[Crossing] = []
        at_host: set[str] = set()  # values of the chip that have come down: to another piece they only go up
        for target, piece in enumerate(self.pieces):
            for name in Index(piece.model).inputs:
                value = self.renewed.get(name, name)
                source = maker.get(value)
                if source is not None and source != target:
                    shape, dtype = index.shape[name], str(index.dtype[name])
                    down = sides[source] == "chip" and value not in at_host
                    at_host.add(value)
                    found.append(Crossing(value, shape, dtype, source, target, down + (sides[target] == "chip")))
        return tuple(found)

    @cached_property
    def renewed(self) -> dict[str, str]:
        """Parameter to the output that is its next value."""
        return updates(self.model)

    @property
    def on_chip(self) -> int:
        """Nodes on the chip."""
        return sum(piece.nodes for piece in self.pieces if piece.side == "chip")

    @property
    def coverage(self) -> str:
        """How many nodes run on the chip, `n of n`."""
        return share_of(self.on_chip, len(self.model.graph.node))

    @property
    def reasons(self) -> dict[str, str]:
        """Why each node that is on the host is there."""
        return {name: reason for piece in self.pieces for name, reason in piece.reasons.items()}

    @property
    def microseconds(self) -> float:
        """One run: all pieces one after another, and what crosses."""
        return sum(piece.microseconds for piece in self.pieces) + sum(c.microseconds for c in self.crossings)

    def table(self) -> str:
        """The pieces, what crosses, and why what is on the host is there, as lines in the language of the moment."""
        pieces, time = len(self.pieces), f"{self.microseconds:,.1f}"
        lines = [
            tr(
                "{coverage} nodes on the chip, {pieces} piece{s}, {time} us per run",
                coverage=self.coverage,
                pieces=pieces,
                s="s" * (pieces != 1),
                time=time,
            )
        ]
        for number, piece in enumerate(self.pieces):
            lines += [f"  {told(c)}" for c in self.crossings if c.target == number]
            lines.append(headline(number, piece))
            lines += [tr("    not one with {number}: {apart}", number, piece.apart)] * bool(piece.apart)
            lines += [f"    {name}: {shown(reason)}" for name, reason in piece.reasons.items()]
        return "\n".join([*lines, shown(ASSUMED)])


def hops(source: Side, target: Side) -> int:
    """How often a value crosses the link on its way; from one program of the chip to another it goes by the host."""
    return (source == "chip") + (target == "chip")


def made(model: onnx.ModelProto) -> list[str]:
    """The values that the nodes of a graph make."""
    return [name for node in model.graph.node for name in node.output if name]


def headline(number: int, piece: Piece) -> str:
    """A piece in one line, in the language of the moment."""
    where = tr("chip") if piece.side == "chip" else f"{tr('host')} ({piece.engine})"
    told = [tr("{nodes} node{s}", piece.nodes, "s" * (piece.nodes != 1))]
    told += [] if piece.cycles is None else [tr("{cycles:,.0f} cycles", piece.cycles)]
    return f"{number + 1}. {where}: {', '.join(told)}, {piece.microseconds:,.1f} us"


def told(crossing: Crossing) -> str:
    """A crossing in one line."""
    what = f"{crossing.name} {crossing.dtype}{list(crossing.shape)}, {tr('{size:,} bytes', crossing.size)}"
    time = f", {crossing.microseconds:,.1f} us" if crossing.hops else ""
    return f"{crossing.source + 1} -> {crossing.target + 1}: {what}{time}"


def graph_of(model: onnx.ModelProto, nodes: Sequence[onnx.NodeProto], name: str, index: Index) -> onnx.ModelProto:
    """The graph of some nodes: its outputs are what others, the user or the next run need; it keeps the updates of the
    parameters that it reads itself.
    """
    inside, renewed = {node.name for node in nodes}, updates(model)
    wanted = {*index.outputs, *renewed.values()}
    outputs = [
        value
        for node in nodes
        for value in node.output
        if value and (value in wanted or any(reader.name not in inside for reader in index.consumers[value]))
    ]
    part = part_of(model, nodes, outputs, name, index)
    own = Index(part)
    kept = {before: after for before, after in renewed.items() if before in own.inputs and after in own.outputs}
    if kept:
        set_metadata(part, updates=json.dumps(kept))
    return part


def chip_piece(model: onnx.ModelProto, compiled: Compiled) -> Piece:
    """A piece for the chip."""
    return Piece("chip", model, "chip", chip_microseconds(compiled.cost.cycles), {}, compiled)
