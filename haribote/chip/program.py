"""Link the pieces of a step: neighbouring chip pieces become one machine program, with the nops between them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby

import onnx

from haribote.answers.generators import NOP_PLACER, generator
from haribote.chip.codegen import ChipPiece, HostPiece, Piece, TransferPiece
from haribote.errors import HariboteError
from haribote.graph import DRAM, Index, is_loss, metadata, updates
from haribote.passes.placement import Home, homes_of
from simulator import assemble
from simulator.assembly.checks import boundary_nops, check
from simulator.isa.cost import Cost, cost_of, sum_costs
from simulator.isa.program import Program
from simulator.messages import Text, joined, tr
from simulator.schedule.kept import schedule

TRANSFERS = ("DL", "UL")
MOVES = (*TRANSFERS, "Copy")
OWNERS = {"yours": Text("your kernels"), "reference": Text("reference kernels")}
"""Who writes pieces; the copies of -O1 are the compiler's own."""


@dataclass(frozen=True)
class ProgramPart:
    """A machine program that serves the named nodes one after another.

    nops: who has put those between kernels. scheduler: whose has packed it, "" where none has.
    """

    nodes: tuple[str, ...]
    program: Program
    nops: str = "product"
    scheduler: str = ""


@dataclass(frozen=True, eq=False)
class Compiled:
    """A step ready to run. `dram`: address of every tensor in DRAM; `updates`: parameter → its updated value.

    homes: the parameters that stay in LM from step to step. unscheduled: what a run cost before the scheduler, where
    there was one. notes: what a user should know, such as kernels whose results cannot stay in LM.
    """

    model: onnx.ModelProto
    parts: tuple[ProgramPart | HostPiece | TransferPiece, ...]
    pieces: tuple[Piece, ...]
    index: Index
    dram: dict[str, int]
    updates: dict[str, str]
    homes: dict[str, Home] = field(default_factory=dict)
    unscheduled: Cost | None = None
    notes: tuple[str, ...] = ()

    @cached_property
    def chip_count(self) -> int:
        """Operators on the chip, DL and UL not counted."""
        return sum(isinstance(p, ChipPiece) and p.node.op_type not in MOVES for p in self.pieces)

    @cached_property
    def host_nodes(self) -> tuple[HostPiece, ...]:
        """Operators that run on the host for want of a kernel; not the loss, which is the host's by design."""
        return tuple(p for p in self.pieces if isinstance(p, HostPiece) and not is_loss(p.node))

    @property
    def node_count(self) -> int:
        """Operators that the chip could run."""
        return self.chip_count + len(self.host_nodes)

    @property
    def runs_yours(self) -> bool:
        """Whether a kernel of the learner's runs."""
        return any(isinstance(piece, ChipPiece) and piece.owner == "yours" for piece in self.pieces)

    @cached_property
    def cost(self) -> Cost:
        """What one run of the step costs on the machine."""
        return sum_costs(cost_of(part.program) for part in self.parts if isinstance(part, ProgramPart))

    @property
    def summary(self) -> str:
        """One line: what runs on the chip, and whose kernels do it."""
        owners = Counter(piece.owner for piece in self.pieces if isinstance(piece, ChipPiece) if piece.owner in OWNERS)
        served = sum(isinstance(piece, TransferPiece) for piece in self.pieces)
        left_out = any(piece.left_out for piece in self.host_nodes)
        none = tr("no kernel works") if left_out else tr("no kernel is written")
        parts = [tr("{owners} by {owners2}", owners[owner], OWNERS[owner]) for owner in OWNERS if owners[owner]] or [
            none
        ]
        parts += [tr("DL and UL included")] * bool(owners) + [tr("{served} DL/UL by the host", served)] * bool(served)
        return tr(
            "on chip {chip_count} of {node_count} nodes ({value})", self.chip_count, self.node_count, joined(*parts)
        )

    @property
    def text(self) -> str:
        """The assembly of the whole step; what the host does in between stands there as comments."""
        return "".join(
            part.program.source if isinstance(part, ProgramPart) else f"# host: {describe(part)}\n"
            for part in self.parts
        )


def link(model: onnx.ModelProto, pieces: Iterable[Piece]) -> Compiled:
    """Join neighbouring chip pieces and assemble them. Raises AssemblyError for text a kernel got wrong."""
    pieces = tuple(pieces)
    parts: list[ProgramPart | HostPiece | TransferPiece] = []
    for on_chip, run in groupby(pieces, lambda piece: isinstance(piece, ChipPiece)):
        if on_chip:
            parts.append(_assemble([piece for piece in run if isinstance(piece, ChipPiece)]))
        else:
            parts += [piece for piece in run if not isinstance(piece, ChipPiece)]
    return of_parts(model, parts, pieces)


def of_parts(
    model: onnx.ModelProto, parts: Iterable[ProgramPart | HostPiece | TransferPiece], pieces: tuple[Piece, ...] = ()
) -> Compiled:
    """A step of programs that are there already. model: the placed graph, which says where every value is."""
    dram = json.loads(metadata(model).get(DRAM, "{}"))
    return Compiled(model, tuple(parts), pieces, Index(model), dram, updates(model), homes_of(model))


def scheduled(compiled: Compiled, own: Callable[[Program], Program] | None = None) -> Compiled:
    """The same with every machine program packed into fewer steps, but for those that break a rule of waits.

    own: the learner's scheduler; where it raises HariboteError, the product's is taken, and a note says why.
    """
    notes: list[str] = []
    parts: list[ProgramPart | HostPiece | TransferPiece] = []
    for part in compiled.parts:
        if isinstance(part, ProgramPart) and not wrong_waits(part.program):
            try:
                part = _packed(part, own)
            except HariboteError as error:
                notes.append(
                    tr("the product's scheduler runs in the place of yours: {splitlines}", str(error).splitlines()[0])
                )
                part = _packed(part)
        parts.append(part)
    notes = [*compiled.notes, *dict.fromkeys(notes)]
    return replace(compiled, parts=tuple(parts), unscheduled=compiled.cost, notes=tuple(notes))


def _packed(part: ProgramPart, own: Callable[[Program], Program] | None = None) -> ProgramPart:
    if own is None:
        return replace(part, program=schedule(part.program), scheduler="product")
    return replace(part, program=own(part.program), scheduler="yours")


def wrong_waits(program: Program) -> bool:
    """Whether a program breaks a rule of the machine's waits."""
    return any(finding.severity == "error" for finding in check(program))


def describe(piece: HostPiece | TransferPiece) -> str:
    """One line about what the host does."""
    node = piece.node
    reason = f" ({piece.reason.splitlines()[0]})" if isinstance(piece, HostPiece) else tr(" (by layout)")
    return f"{node.op_type} {node.name}: {', '.join(node.input)} -> {', '.join(node.output)}{reason}"


def _assemble(pieces: list[ChipPiece]) -> ProgramPart:
    """One program of all pieces, with the fewest nops between them that the machine's waits ask for."""
    names = tuple(piece.node.name for piece in pieces)
    if all(piece.owner == "yours" for piece in pieces) and (own := _by_the_learners_nops(pieces)):
        return ProgramPart(names, own, "yours")
    text = ""
    programs: list[Program] = []
    for piece in pieces:
        following = assemble(piece_text(piece), filename=tr("kernel of {name}", piece.node.name))
        missing = boundary_nops(programs, following)
        if missing:
            text += f"nop/{missing}\n"
            programs.append(assemble(f"nop/{missing}"))
        text += following.source
        programs.append(following)
    return ProgramPart(names, assemble(text, filename="step.vsm"))


def _by_the_learners_nops(pieces: list[ChipPiece]) -> Program | None:
    """One program of all pieces, with nops by the learner's placer; None where there is none, or it is not right."""
    placer = generator(NOP_PLACER)
    if placer is None:
        return None
    marked = [(line, piece.node.name) for piece in pieces for line in piece.lines if not line.startswith("nop")]
    names = iter(marked)
    try:
        placed = [str(line) for line in placer([line for line, _ in marked])]
        text = "".join(f"{line}\n" if line.startswith("nop") else "{}  # {}\n".format(*next(names)) for line in placed)
        program = assemble(text, filename="step.vsm")
    except Exception:  # whatever the learner's code does with lines that it was not made for
        return None
    kept = [line for line in placed if not line.startswith("nop")] == [line for line, _ in marked]
    return program if kept and not wrong_waits(program) else None


def piece_text(piece: ChipPiece) -> str:
    """The lines of a piece, each with the ONNX node it serves."""
    node = piece.node
    head = f"# {node.op_type} {node.name}: {', '.join(node.input)} -> {', '.join(node.output)}\n"
    width = max((len(line) for line in piece.lines), default=0)
    return head + "".join(f"{line:<{min(width, 72)}}  # {node.name}\n" for line in piece.lines)
