"""From the placed graph to pieces of work: assembly text for the chip, and what the host does in between.

A node whose kernel is not written, or whose kernel refuses the shape, runs on the host, unless another stands in. A
missing DL or UL is served by the host writing or reading local memory by layout, and its operator stays on the chip
(design.md, section 4).
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

import onnx

from haribote.answers.generators import not_written
from haribote.answers.ownership import solutions_wanted
from haribote.answers.resolve import Answer, resolve_row
from haribote.answers.tasks import current_id
from haribote.errors import HariboteError, NotWritten, UnsupportedShape
from haribote.graph import Index, clone
from haribote.kernel import MOST_LINES, Kernel, Op
from haribote.kernel_table import KernelRow
from haribote.passes.placement import op_of, row_of
from simulator.messages import tr

Find = Callable[[KernelRow, bool], Answer | None]
"""Who gives the kernel of a row: (row, solutions) -> its answer, or None, and its node runs on the host."""
FOLDERS = ("kernels", "generators")
"""Where files of answers are that write assembly."""


class KernelFailed(HariboteError):
    """A kernel stopped with an error of its own; the message names its file and line."""


class LeftOut(HariboteError):
    """A kernel is written, but does not work, so its node runs on the host."""


@dataclass(frozen=True)
class ChipPiece:
    """The assembly of one node. owner: whose kernel wrote it. op: what that kernel saw; None where there is none.

    instead, failing: as in `answers.resolve.Answer`. task: whose answer wrote it, a kernel's or a generator's; "" where
    the compiler did.
    """

    node: onnx.NodeProto
    lines: tuple[str, ...]
    owner: str
    op: Op | None = None
    instead: str = ""
    failing: bool = False
    task: str = ""


@dataclass(frozen=True)
class HostPiece:
    """A node that the host evaluates on tensors in DRAM. reason: why it is not on the chip.

    left_out: its kernel is written, but does not work.
    """

    node: onnx.NodeProto
    reason: str
    left_out: bool = False


@dataclass(frozen=True)
class TransferPiece:
    """A DL or UL that the host serves by layout."""

    node: onnx.NodeProto
    op: Op


Piece = ChipPiece | HostPiece | TransferPiece


@dataclass
class _Group:
    """An operator with the transfers around it."""

    node: onnx.NodeProto
    loads: list[onnx.NodeProto] = field(default_factory=list)
    stores: list[onnx.NodeProto] = field(default_factory=list)


def generate(model: onnx.ModelProto, solutions: bool | None = None, find: Find | None = None) -> list[Piece]:
    """The pieces of the whole graph, in order; `find` in place of `resolve_row` gives the kernels.

    solutions: the reference kernels; None = what HARIBOTE_SOLUTIONS says.

    Raises KernelFailed where a kernel has a mistake.
    """
    generator = generator_of(Index(model), solutions, find)
    return [piece for group in _groups(model.graph) for piece in generator.group(group)]


def generator_of(index: Index, solutions: bool | None = None, find: Find | None = None) -> Generator:
    """What makes the pieces of a graph; `solutions` and `find` as in `generate`."""
    return Generator(index, solutions_wanted(solutions), find or resolve_row)


def _groups(graph: onnx.GraphProto) -> Iterator[_Group]:
    loads: list[onnx.NodeProto] = []
    group: _Group | None = None
    for node in graph.node:
        if node.op_type == "UL" and group is not None:
            group.stores.append(node)
            continue
        if group is not None:
            yield group
            group = None
        if node.op_type == "DL":
            loads.append(node)
        else:
            group, loads = _Group(node, loads), []
    if group is not None:
        yield group


def _without_transfers(group: _Group) -> onnx.NodeProto:
    """The operator of a group, reading and writing the tensors in DRAM itself."""
    node = clone(group.node)
    sources = {load.output[0]: load.input[0] for load in group.loads}
    targets = {store.input[0]: store.output[0] for store in group.stores}
    node.input[:] = [sources.get(name, name) for name in node.input]
    node.output[:] = [targets.get(name, name) for name in node.output]
    return node


@dataclass
class Generator:
    """Makes the pieces of operators of a graph. stand_in: use what an answer names for operators that it refuses."""

    index: Index
    solutions: bool
    find: Find
    stand_in: bool = True

    def group(self, group: _Group) -> Iterator[Piece]:
        """The pieces of one operator: on the chip with its transfers, or on the host without them."""
        piece = self.compute(group.node)
        if isinstance(piece, HostPiece):
            yield replace(piece, node=_without_transfers(group))
            return
        yield from map(self.transfer, group.loads)
        yield piece
        yield from map(self.transfer, group.stores)

    def compute(self, node: onnx.NodeProto) -> ChipPiece | HostPiece:
        """An operator alone."""
        row = row_of(node)
        if row is None:
            return HostPiece(node, tr("no kernel of the table does it"))
        return self.emit(node, row)

    def transfer(self, node: onnx.NodeProto) -> ChipPiece | TransferPiece:
        """A DL or UL."""
        row = row_of(node)
        assert row is not None  # insert_transfers gives every DL and UL a row
        piece = self.emit(node, row)
        return piece if isinstance(piece, ChipPiece) else TransferPiece(node, self.op(node, row))

    def op(self, node: onnx.NodeProto, row: KernelRow) -> Op:
        """A node as its kernel sees it."""
        return op_of(node, row, self.index)

    def emit(self, node: onnx.NodeProto, row: KernelRow) -> ChipPiece | HostPiece:
        """What the kernel of a row yields for a node."""
        try:
            answer = self.find(row, self.solutions)
        except LeftOut as reason:
            return HostPiece(node, str(reason), left_out=True)
        if answer is None:
            return HostPiece(node, not_written(row))
        piece = self._emitted(node, row, answer)
        if isinstance(piece, HostPiece) and answer.otherwise and self.stand_in:
            why = piece.reason.splitlines()[0]
            return self._emitted(node, row, replace(answer.otherwise, instead=why, failing=True))
        return piece

    def _emitted(self, node: onnx.NodeProto, row: KernelRow, answer: Answer) -> ChipPiece | HostPiece:
        op = self.op(node, row)
        try:
            lines = tuple(run_kernel(answer.kernel, op))
        except (UnsupportedShape, NotWritten) as reason:
            return HostPiece(node, str(reason))
        task = current_id(answer.kernel.task)
        return ChipPiece(node, lines, answer.owner, op, answer.instead, answer.failing, task)


def run_kernel(kernel: Kernel, op: Op) -> list[str]:
    """The lines of a kernel. Raises UnsupportedShape and NotWritten as they are, any other error as KernelFailed."""
    try:
        lines = [str(line) for line in islice(kernel(op), MOST_LINES + 1)]
    except HariboteError:
        raise
    except (Exception, SystemExit) as error:
        frames = traceback.extract_tb(error.__traceback__)
        where = next((frame for frame in reversed(frames) if Path(frame.filename).parent.name in FOLDERS), frames[-1])
        raise KernelFailed(
            tr(
                "{filename}:{lineno}: the kernel of task {task} ({title}) stopped with {name}: {error}",
                where.filename,
                where.lineno,
                kernel.task,
                kernel.title,
                type(error).__name__,
                error,
            ),
            tr("look at the line: {line}", where.line),
        ) from error
    if len(lines) > MOST_LINES:
        raise KernelFailed(
            tr(
                "the kernel of task {task} ({title}) yields more than {most_lines} lines",
                kernel.task,
                kernel.title,
                MOST_LINES,
            ),
            tr("end the loop"),
        )
    return lines
