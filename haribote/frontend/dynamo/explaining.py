"""What goes where, and why, of a model that torch.compile would be given."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._pytree import tree_leaves

from haribote.frontend.dynamo.entry import backend, reports
from haribote.frontend.dynamo.graphs import GraphReport
from haribote.frontend.dynamo.options import options_of
from haribote.words import share_of
from simulator.messages import joined, shown, tr


@dataclass(frozen=True)
class Explanation:
    """What `explain` found; as text, one line per graph and per operation that stays with PyTorch.

    Attributes:
        device: where the compiled pieces run.
        graphs: in the order in which they were compiled; several forward graphs where Python had to run in between.
        breaks: why it had to, as torch says it.
    """

    device: str
    graphs: tuple[GraphReport, ...]
    breaks: tuple[str, ...]

    @property
    def coverage(self) -> str:
        """How many operations are compiled, `n of n`; what only moves elements and is left to torch is not counted."""
        return share_of(sum(graph.taken for graph in self.graphs), sum(graph.count for graph in self.graphs))

    @property
    def cycles(self) -> float | None:
        """Of all compiled pieces on the chip, one after another (serial); None on the host."""
        costs = [piece.cost for graph in self.graphs for piece in graph.pieces]
        return None if self.device == "host" else sum(cost.cycles for cost in costs if cost)

    def __str__(self) -> str:
        """In the language of the moment."""
        if not self.graphs:
            return tr("torch found no graph in it: all of it runs in PyTorch")
        where = tr("chip and host") if self.device == "auto" else self.device
        lines = [tr("{coverage} operations on the {where}", self.coverage, where)]
        for graph in self.graphs:
            lines += [_headline(graph)]
            lines += [
                "  "
                + tr(
                    "piece of {operations}, {nodes} nodes on the chip: {figures}",
                    piece.operations,
                    piece.nodes,
                    piece.cost.figures,
                )
                for piece in graph.pieces
                if piece.cost
            ]
            lines += [
                "  " + tr("PyTorch ran a piece of {operations}: {why}", piece.operations, piece.failure)
                for piece in graph.pieces
                if piece.failure
            ]
            for left, times in Counter(graph.left).items():
                line = f", {left.line}" if left.line else ""
                operation = f"{left.operation} x {times}" if times > 1 else left.operation
                lines.append(f"  PyTorch: {operation}: {shown(left.reason)}{line}")
        lines += [tr("Python runs between graphs: {reason}", reason) for reason in self.breaks]
        return "\n".join(lines)


def _headline(graph: GraphReport) -> str:
    pieces = len(graph.pieces)
    told = tr(
        "{taken} of {count} in {pieces} piece{s}",
        taken=graph.taken,
        count=graph.count,
        pieces=pieces,
        s="s" * (pieces != 1),
    )
    moved = tr("{moves} that only move elements with PyTorch", graph.moves) if graph.moves else ""
    return f"{shown(graph.name)}: {joined(told, moved)}"


def explain(model: Any, *args: Any, options: Mapping[str, Any] | None = None, **kwargs: Any) -> Explanation:
    """Compile a copy of the model (or a function) for these arguments, run it once, and say what went where.

    Where it trains (in training mode, or with arguments that need gradients), its backward graphs are in it too. The
    model, the arguments and the random state stay as they are.

    Raises:
        HariboteError: an option that there is not.
    """
    chosen = options_of(options)
    model = getattr(model, "_orig_mod", model)
    shadow = copy.deepcopy(model) if isinstance(model, nn.Module) else model
    found: list[GraphReport] = []
    breaks: list[str] = []
    token = reports.set(found)
    try:
        with torch.random.fork_rng(devices=[]):
            args, kwargs = copy.deepcopy((args, kwargs))
            fresh = _fresh(options, breaks)  # isolated: torch runs code that it has compiled 8 times as it is
            made: Any = torch.compile  # whose types leave this argument out
            result = made(shadow, backend=fresh, dynamic=False, isolate_recompiles=True)(*args, **kwargs)
            _backward(result)
    finally:
        reports.reset(token)
    return Explanation(chosen.device, tuple(found), tuple(breaks))


def _fresh(options: Mapping[str, Any] | None, breaks: list[str]) -> Any:
    """A backend of its own, so that torch compiles anew what it has compiled before; it notes why graphs end."""

    def compiler(program: Any, inputs: Any) -> Any:
        end = getattr(program, "compile_subgraph_reason", None)
        if end is not None and end.graph_break:
            frames = [f"{frame.filename}:{frame.lineno}: {frame.line}" for frame in end.user_stack[-1:]]
            breaks.append(", ".join([end.reason.splitlines()[0], *frames]))
        return backend(program, inputs, options=options)

    return compiler


def _backward(result: Any) -> None:
    """Ask for gradients, so that graphs which torch compiles only then are compiled."""
    wanted = [leaf.float().sum() for leaf in tree_leaves(result) if isinstance(leaf, Tensor) and leaf.requires_grad]
    if wanted:
        torch.autograd.backward(wanted)
