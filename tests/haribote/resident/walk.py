"""An independent walk through a placed graph: for every tensor, at every use, which words of LM hold it.

It knows the placements that the nodes name, and nothing of how they came to be. A tensor is known by the value that DL,
UL and Copy hand on; a word that a kernel may have written holds nothing known.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import onnx

from haribote.chip.codegen import ChipPiece, HostPiece, Piece
from haribote.chip.program import Compiled
from haribote.kernel import Operand
from haribote.layout import Layout
from haribote.passes.placement import homes_of, placement_of, row_of, tensor_inputs

MOVES = ("DL", "UL", "Copy")
Word = tuple[str, int]
Held = tuple[str, Layout, int]


@dataclass
class Walk:
    """words: what each word of each memory holds: value, layout, offset. uses: operands that were looked at in LM."""

    compiled: Compiled
    words: dict[Word, Held] = field(default_factory=dict)
    same: dict[str, str] = field(default_factory=dict)
    uses: int = 0
    in_dram: set[str] = field(default_factory=set)

    def run(self) -> None:
        """One step, from the state that it finds; parameters that stay are taken to be there before the first."""
        model = self.compiled.model
        self.same, self.in_dram = {}, {item.name for item in (*model.graph.input, *model.graph.initializer)}
        homes = homes_of(model)
        if not self.words:
            for name, home in homes.items():
                self._write(name, home.place.memory, home.place.address or 0, home.place.layout)
        else:
            updated = {home.updated: name for name, home in homes.items()}
            self.words = {w: (updated.get(v, ""), layout, k) for w, (v, layout, k) in self.words.items()}
        for piece in self.compiled.pieces:
            self.piece(piece)
        for home in homes.values():
            self.require(home.updated, home.place.memory, home.place.address or 0, home.place.layout)

    def piece(self, piece: Piece) -> None:
        """What one piece needs has to be there; then what it leaves is."""
        node = piece.node
        if isinstance(piece, HostPiece):
            for name in filter(None, node.input):
                assert name in self.in_dram or name in self.compiled.index.constants, (node.name, name)
            self.in_dram |= set(node.output)
            return
        for slot, name in self.inputs(node):
            spot = placement_of(node, slot)
            if spot.memory == "DRAM":
                assert name in self.in_dram, (node.name, name)
            else:
                self.require(self.value(name), spot.memory, spot.address or 0, spot.layout)
        self._scratch(piece)
        out, name = placement_of(node, "out"), node.output[0]
        if node.op_type in MOVES:
            self.same[name] = self.value(node.input[0])
        if out.memory == "DRAM":
            self.in_dram.add(name)
        else:
            self._write(self.value(name), out.memory, out.address or 0, out.layout)

    def inputs(self, node: onnx.NodeProto) -> list[tuple[str, str]]:
        """The slots of a node with the values that are there."""
        names = tensor_inputs(node, self.compiled.index)
        return [(f"in{number}", name) for number, name in enumerate(names)]

    def value(self, name: str) -> str:
        """The value that a version is of: the name that the result of an operator has in DRAM."""
        return self.same.get(name, name.removesuffix(".lm"))

    def require(self, value: str, memory: str, address: int, layout: Layout) -> None:
        """All words of a tensor are where they are read."""
        self.uses += 1
        for k in range(layout.words):
            assert self.words.get((memory, address + k)) == (value, layout, k), (value, memory, address + k)

    def _write(self, value: str, memory: str, address: int, layout: Layout) -> None:
        for k in range(layout.words):
            self.words[memory, address + k] = (value, layout, k)

    def _scratch(self, piece: Piece) -> None:
        """What a kernel may write beside its result: what `scratch` gave, and the room of its row."""
        op, row = (piece.op, row_of(piece.node)) if isinstance(piece, ChipPiece) else (None, None)
        if op is None or row is None:
            return
        taken = [(given.memory, given.address + k) for given in op.taken for k in range(given.words)]
        memory = "LM1" if row.task == "5.34" else "LM0"
        end = max((_end(o) for o in (*op.inputs, op.output) if o.memory == memory), default=0)
        for word in (*taken, *((memory, end + k) for k in range(row.room or 0))):
            self.words.pop(word, None)


def _end(operand: Operand) -> int:
    return operand.address + operand.words
