"""One fx graph of ATen operations: cut, compiled piece by piece, and joined to a graph that torch runs."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import fx

from haribote.frontend.compiled import Options
from haribote.frontend.dynamo.partition import Part, is_item, partition
from haribote.frontend.dynamo.piece import Piece, said
from haribote.frontend.dynamo.support import Support, random, where
from haribote.progress import aloud
from simulator.isa.cost import Cost


@dataclass(frozen=True)
class Left:
    """An operation that stays with PyTorch. line: of the user's program, "" where torch does not know it."""

    operation: str
    reason: str
    line: str


@dataclass(frozen=True)
class CompiledPiece:
    """A compiled piece. nodes: how many ONNX nodes run on the chip, `n of n`; cost: there, None on the host."""

    operations: int
    nodes: str
    cost: Cost | None
    piece: Piece | None = field(default=None, repr=False)

    @property
    def failure(self) -> str:
        """Why PyTorch ran it the last time; "" where the device did."""
        return self.piece.failure if self.piece else ""


@dataclass(frozen=True)
class GraphReport:
    """Where the operations of one graph are.

    Attributes:
        name: "forward", "backward" or "inference".
        pieces: what is compiled.
        left: what stays with PyTorch.
        moves: operations left there that only move elements and cost torch nothing.
    """

    name: str
    pieces: tuple[CompiledPiece, ...]
    left: tuple[Left, ...]
    moves: int

    @property
    def taken(self) -> int:
        """Operations in compiled pieces."""
        return sum(piece.operations for piece in self.pieces)

    @property
    def count(self) -> int:
        """All operations but those that only move elements and were left to torch."""
        return self.taken + len(self.left)


def compile_graph(program: fx.GraphModule, name: str, options: Options) -> tuple[fx.GraphModule, GraphReport]:
    """The graph with compiled pieces in it, and what went where."""
    program.graph.eliminate_dead_code(lambda node: random(node) or node.is_impure())
    for node in program.graph.find_nodes(op="get_attr"):
        node.meta.setdefault("val", operator.attrgetter(str(node.target))(program))
    support = Support(program)
    done: list[Part | Piece] = []
    with aloud():
        for part in partition(program.graph, support.taken, random):
            done += _compiled(part, program, f"{name}_{len(done)}", options, support) if part.compiled else [part]
    return _joined(program, done), _report(name, done, support)


def _compiled(part: Part, program: fx.GraphModule, name: str, options: Options, support: Support) -> list[Part | Piece]:
    """A part as a piece; where the compiler refuses it or fails, as pieces of its halves; single operations then are
    torch's.
    """
    if not part.computes:
        return [Part(part.nodes, False)]
    try:
        return [Piece(part, program, name, options)]
    except Exception as error:  # PyTorch can run it, whatever ours raises
        first, second = part.halves()
        if not second.nodes:
            support.reasons |= dict.fromkeys(part.nodes, said(error))
            return [Part(part.nodes, False)]
    found = _compiled(first, program, f"{name}a", options, support)
    return found + _compiled(second, program, f"{name}b", options, support)


def left_alone(program: fx.GraphModule, name: str, error: Exception) -> GraphReport:
    """What to say of a graph that stays with PyTorch as a whole, since ours has failed."""
    left = [Left(str(node.target), said(error), where(node)) for node in program.graph.nodes
            if node.op == "call_function" and not is_item(node)]  # fmt: skip
    return GraphReport(name, (), tuple(left), 0)


def _joined(program: fx.GraphModule, parts: Sequence[Part | Piece]) -> fx.GraphModule:
    """A graph of torch's operations and calls of pieces."""
    graph, env = fx.Graph(), dict[fx.Node, fx.Node]()
    pieces: dict[str, Any] = {}
    for node in program.graph.nodes:
        if node.op in ("placeholder", "get_attr"):
            env[node] = graph.node_copy(node)
    for part in parts:
        if isinstance(part, Piece):
            name = f"piece{len(pieces)}"
            pieces[name] = part
            call = graph.create_node("call_module", name, tuple(env[node] for node in part.part.inputs))
            for position, node in enumerate(part.part.outputs):
                env[node] = graph.call_function(operator.getitem, (call, position))
        else:
            for node in part.nodes:
                env[node] = graph.node_copy(node, lambda read: env[read])
    graph.node_copy(program.graph.output_node(), lambda read: env[read])
    attributes = {str(node.target): operator.attrgetter(str(node.target))(program)
                  for node in program.graph.find_nodes(op="get_attr")}  # fmt: skip
    root = torch.nn.Module()
    for key, value in (attributes | pieces).items():
        setattr(root, key, value)
    return fx.GraphModule(root, graph)


def _report(name: str, parts: Sequence[Part | Piece], support: Support) -> GraphReport:
    pieces, left, moves = [], [], 0
    for part in parts:
        if isinstance(part, Piece):
            operations = sum(not is_item(node) for node in part.part.nodes)
            pieces.append(CompiledPiece(operations, part.graph.coverage, part.graph.cost, part))
            continue
        for node in part.nodes:
            if is_item(node):
                continue
            if reason := support.reasons[node]:
                left.append(Left(str(node.target), reason, where(node)))
            else:
                moves += 1
    return GraphReport(name, tuple(pieces), tuple(left), moves)
