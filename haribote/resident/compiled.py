"""-O1 from the stage `layout` on: which operators the chip has, the plan, the kernels at their places, the schedule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace

import onnx

from haribote.answers.generators import copier
from haribote.answers.ownership import solutions_wanted
from haribote.chip.codegen import (
    ChipPiece,
    Find,
    Generator,
    HostPiece,
    KernelFailed,
    Piece,
    generate,
    generator_of,
    run_kernel,
)
from haribote.chip.program import MOVES, TRANSFERS, Compiled, link
from haribote.errors import HariboteError
from haribote.graph import Index
from haribote.kernel import KernelError, Op
from haribote.passes import insert_transfers
from haribote.passes.place import place as place_plainly
from haribote.passes.placement import copy_of, row_of
from haribote.resident import lowered
from haribote.resident.copying import copy_lines
from haribote.resident.trust import Trial
from simulator.messages import tr


def compile_layouts(model: onnx.ModelProto, solutions: bool | None, find: Find | None) -> Compiled:
    """Machine programs of a graph after the stage `layout`. `solutions` and `find`: see `chip.codegen.generate`.

    A kernel that refuses its place here, or does not keep what -O1 relies on, gets the place that it has at -O0.
    """
    attempt = _Attempt(model, solutions_wanted(solutions), find)
    while True:
        placed = lowered.place(model, attempt.on_host, attempt.alone, attempt.weak)
        known = len(attempt.alone) + len(attempt.weak)
        pieces = list(attempt.pieces(placed))
        if known == len(attempt.alone) + len(attempt.weak):
            return replace(link(placed, pieces), notes=tuple(attempt.notes.values()))


@dataclass
class _Attempt:
    """What is known of the operators of a graph.

    alone, weak: as in `resident.plan.Task`, by name. notes: why, by the task of the row.
    """

    model: onnx.ModelProto
    solutions: bool
    find: Find | None
    alone: set[str] = field(default_factory=set)
    weak: set[str] = field(default_factory=set)
    notes: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._trial = Trial()
        pieces = generate(place_plainly(insert_transfers.run(self.model)), self.solutions, self.find)
        self._plain = {piece.node.name: piece for piece in pieces if isinstance(piece, ChipPiece)}
        self._has_own = any(piece.owner == "yours" for piece in self._plain.values())
        self.on_host: Mapping[str, HostPiece] = {p.node.name: p for p in pieces if isinstance(p, HostPiece)}

    def pieces(self, placed: onnx.ModelProto) -> Iterator[Piece]:
        """The pieces of a placed graph in order. What does not work where it is is added to `alone` or `weak`."""
        index = Index(placed)
        generator = generator_of(index, self.solutions, self.find)
        for node in placed.graph.node:
            piece = self._piece(node, generator)
            if piece is None:
                self._doubt(node, tr("it refuses other places than those of -O0"), alone=True)
                continue
            if isinstance(piece, ChipPiece) and piece.owner == "yours" and node.op_type != lowered.COPY:
                self._try(piece, index)
            yield piece

    def _piece(self, node: onnx.NodeProto, generator: Generator) -> Piece | None:
        """None: the kernel refuses the place."""
        if node.name in self.on_host:
            return self.on_host[node.name]
        if node.op_type == lowered.COPY:
            return self._copy(node, generator)
        generator.stand_in = node.op_type in TRANSFERS or node.name in self.alone  # else it gets another place first
        try:
            piece = generator.transfer(node) if node.op_type in TRANSFERS else generator.compute(node)
        except (KernelError, KernelFailed):
            if node.name in self.alone or node.op_type in TRANSFERS:
                raise
            return None
        return None if isinstance(piece, HostPiece) else piece

    def _copy(self, node: onnx.NodeProto, generator: Generator) -> ChipPiece:
        """A copy by the learner's generator, where a kernel of theirs runs and theirs copies every word."""
        source, target = copy_of(node, generator.index)
        op, kernel = Op(lowered.COPY, (source,), target), copier() if self._has_own else None
        if kernel is not None:
            with suppress(HariboteError):
                piece = ChipPiece(node, tuple(run_kernel(kernel, op)), "yours", op, task=kernel.task)
                if self._trial.copies(piece):
                    return piece
        return ChipPiece(node, tuple(copy_lines(source, target)), "compiler")

    def _try(self, piece: ChipPiece, index: Index) -> None:
        """Note what of -O1's places a learner's kernel cannot be given."""
        owner = _owner(piece.node, index)
        if owner in self.alone:
            return
        row = row_of(piece.node)
        assert row is not None
        trust = self._trial.trust(row, self._plain.get(piece.node.name, piece), piece)
        if trust == "none":
            self._doubt(
                piece.node,
                tr("it gives other bits at another place, or changes words that are not its own"),
                alone=True,
                owner=owner,
            )
        elif trust == "weak":
            self._doubt(
                piece.node,
                tr("the copies of its result are not equal bit by bit, so that only copy 0 counts"),
                alone=row.op == "DL",
                owner=owner,
            )

    def _doubt(self, node: onnx.NodeProto, why: str, alone: bool, owner: str = "") -> None:
        """The operator that a node belongs to runs alone, or its result is weak."""
        (self.alone if alone else self.weak).add(owner or node.name)
        row = row_of(node)
        assert row is not None
        loss = tr("nothing stays in LM while it runs") if alone else tr("its result goes to DRAM and back")
        piece = self._plain.get(node.name)
        task = piece.task if piece is not None else row.task
        self.notes[row.task] = tr(
            "-O1 and the {operator} of task {task}: {why}; {loss}", operator=node.op_type, task=task, why=why, loss=loss
        )


def _owner(node: onnx.NodeProto, index: Index) -> str:
    """The operator that a DL or UL serves; any other is its own."""
    last = node
    while last.op_type in ("DL", lowered.COPY) and last.output[0] in index.consumers:
        last = index.consumers[last.output[0]][0]
    if last.op_type not in MOVES:
        return last.name
    while node.op_type in MOVES:
        node = index.producer[node.input[0]]
    return node.name
