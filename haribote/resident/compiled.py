"""-O1 from the stage `layout` on: which operators the chip has, the plan, the kernels at their places, the schedule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import onnx

from haribote.answers.ownership import solutions_wanted
from haribote.chip import codegen
from haribote.chip.codegen import ChipPiece, Find, Generator, HostPiece, Piece, generate
from haribote.chip.program import TRANSFERS, Compiled, link, scheduled
from haribote.graph import Index
from haribote.kernel import KernelError
from haribote.passes import insert_transfers
from haribote.passes.place import place as place_plainly
from haribote.passes.placement import copy_of
from haribote.resident import lowered
from haribote.resident.copying import copy_lines


class _Refused(Exception):
    """A kernel that works at -O0 refuses its place at -O1."""


def compile_layouts(model: onnx.ModelProto, solutions: bool | None, find: Find | None) -> Compiled:
    """Machine programs of a graph after the stage `layout`. `solutions` and `find`: see `chip.codegen.generate`."""
    plain = generate(place_plainly(insert_transfers.run(model)), solutions, find)
    on_host = {piece.node.name: piece for piece in plain if isinstance(piece, HostPiece)}
    alone: set[str] = set()
    while True:
        placed = lowered.place(model, on_host, alone)
        generator = Generator(Index(placed), solutions_wanted(solutions), find or codegen.resolve_row)
        try:
            pieces = list(_pieces(placed, generator, on_host))
        except _Refused as refused:
            alone.add(str(refused))
            continue
        return scheduled(link(placed, pieces))


def _pieces(placed: onnx.ModelProto, generator: Generator, on_host: Mapping[str, HostPiece]) -> Iterator[Piece]:
    """The pieces of a placed graph in order. Raises _Refused with the name of the node."""
    for node in placed.graph.node:
        if node.name in on_host:
            yield on_host[node.name]
        elif node.op_type in TRANSFERS:
            yield generator.transfer(node)
        elif node.op_type == lowered.COPY:
            yield ChipPiece(node, tuple(copy_lines(*copy_of(node, generator.index))), "compiler")
        else:
            yield _compute(node, generator)


def _compute(node: onnx.NodeProto, generator: Generator) -> Piece:
    try:
        piece = generator.compute(node)
    except KernelError as error:  # no room for its scratch
        raise _Refused(node.name) from error
    if isinstance(piece, HostPiece):
        raise _Refused(node.name)
    return piece
