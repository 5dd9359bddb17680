"""Do a learner's kernels keep what -O1 relies on?

At -O0 a kernel may leave junk in copies that no UL reads, and in words that no DL keeps. Here what it leaves is read by
the next kernel, so it is tried out: it has to give at its place of -O1 the bits that it gives at its place of -O0, in
every copy, and to write nothing else. The contracts ask for the same, but not every kernel that trains has passed its
check. Values are random; between runs everything else is junk that differs from PE to PE.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from haribote.chip.codegen import ChipPiece
from haribote.chip.operands import local_memory, write_operand
from haribote.chip.program import MOVES
from haribote.kernel import Op, Operand
from haribote.kernel_table import TILE, KernelRow
from haribote.resident.plan import COPY_0_IS_ENOUGH, Local
from haribote.resident.rooms import LOCALS
from simulator import SimulatorError, assemble
from simulator.effects.accesses import Written, words_in, written_by
from simulator.isa.program import Program
from simulator.messages import tr

if TYPE_CHECKING:
    from simulator import Machine

Array = NDArray[Any]
Trust = Literal["whole", "weak", "none"]
"""whole: every copy of the result is right. weak: copy 0 alone. none: the result is wrong, or other words change."""
_KNOWN: dict[object, Trust] = {}
"""What was tried before in this process, by text and place."""


@dataclass(frozen=True)
class _Emitted:
    """An operator in its place, and what a kernel yields for it."""

    op: Op
    lines: tuple[str, ...]

    @cached_property
    def program(self) -> Program:
        """Raises AssemblyError."""
        return assemble("\n".join(self.lines), tr("kernel of {name}", self.op.output.name))

    @cached_property
    def written(self) -> Written | None:
        """What it may write."""
        return written_by(self.program)


def _emitted(piece: ChipPiece) -> _Emitted:
    assert piece.op is not None
    return _Emitted(piece.op, piece.lines)


class Trial:
    """Tries kernels out on a machine of its own."""

    def __init__(self) -> None:
        self._rng = np.random.default_rng(0)

    @cached_property
    def _machine(self) -> Machine:
        from haribote.chip.runtime import fastest_machine  # most compilations try nothing out, and it imports much

        machine = fastest_machine()
        for memory in (machine.lm0, machine.lm1):
            memory[...] = self._junk((1, memory.shape[1])) + np.arange(len(memory), dtype=np.uint32)[:, None]
        return machine

    def trust(self, row: KernelRow, at_o0: ChipPiece, at_o1: ChipPiece) -> Trust:
        """How far the result of a kernel can be trusted at its place of -O1."""
        plain, moved = _emitted(at_o0), _emitted(at_o1)
        return self._known(row, plain, moved)

    def copies(self, piece: ChipPiece) -> bool:
        """Whether a copy from place to place in LM copies every word, and nothing else."""
        assert piece.op is not None
        row = KernelRow(piece.task, piece.op.kind, "", piece.op.kind, (), "", 0, room=None)
        return self._known(row, _emitted(piece), _emitted(piece)) == "whole"

    def _known(self, row: KernelRow, plain: _Emitted, moved: _Emitted) -> Trust:
        key = (row.name, plain.lines, moved.lines, str(plain.op), str(moved.op))
        if key not in _KNOWN:
            try:
                _KNOWN[key] = self._tried(row, plain, moved)
            except SimulatorError:
                _KNOWN[key] = "none"
        return _KNOWN[key]

    def _tried(self, row: KernelRow, plain: _Emitted, moved: _Emitted) -> Trust:
        arrays = tuple(self._values(row, operand.shape, number) for number, operand in enumerate(moved.op.inputs))
        everywhere = row.op != "UL" and row.task not in COPY_0_IS_ENOUGH
        wanted = arrays[0].view(np.uint32)
        if row.op not in MOVES:
            self._prepare(plain, arrays, True)
            self._machine.run(plain.program)
            wanted, _ = self._result(plain)
            self._scrub(plain)
        self._prepare(moved, arrays, everywhere)
        hidden = [memory for memory in LOCALS if _written(moved, memory) is None]
        before = {memory: self._lm(memory).copy() for memory in hidden}
        self._machine.run(moved.program)
        found, odd = self._result(moved)
        if found.tobytes() != wanted.tobytes() or self._strays(row, moved, before):
            return "none"
        return "weak" if odd else "whole"

    def _values(self, row: KernelRow, shape: tuple[int, ...], number: int) -> Array:
        if row.op == "OneHot":
            return self._rng.integers(0, TILE, shape).astype(np.int32)
        found = self._rng.standard_normal(shape).astype(np.float32)
        return np.where(np.abs(found) < 0.1, np.float32(3), found) if row.op == "Div" and number else found

    # --- runs --------------------------------------------------------------------------------------------------------

    def _prepare(self, emitted: _Emitted, arrays: Sequence[Array], everywhere: bool) -> None:
        """Inputs in their places (everywhere: in all copies), junk in the place of the result and in other memories."""
        machine = self._machine
        for name in ("grf0", "grf1", "t"):
            getattr(machine, name)[...] = self._junk((machine.t.shape[-1],))
        self._scrub(emitted)
        for operand, array in zip(emitted.op.inputs, arrays, strict=True):
            write_operand(machine, operand, array, everywhere)

    def _scrub(self, emitted: _Emitted) -> None:
        """Junk where the operands are: what an earlier run left there must not help."""
        for operand in (*emitted.op.inputs, emitted.op.output):
            if operand.memory == "DRAM":
                self._machine.write_dram(operand.address, self._junk(operand.shape))
            else:
                room = self._lm(operand.memory)[operand.address : operand.address + operand.words]
                room[...] = self._junk(room.shape)

    def _result(self, emitted: _Emitted) -> tuple[Array, bool]:
        """The bits of the result in copy 0, and whether another copy differs."""
        output = emitted.op.output
        if output.memory == "DRAM":
            return self._machine.read_dram(output.address, output.shape, np.uint32), False
        copies = output.layout.gather_copies(self._lm(output.memory), output.address)
        return copies[0].reshape(output.shape), bool((copies != copies[0]).any())

    def _junk(self, shape: tuple[int, ...]) -> NDArray[np.uint32]:
        return self._rng.integers(1 << 30, 1 << 31, shape, np.uint32)

    def _lm(self, memory: str) -> NDArray[np.uint32]:
        return local_memory(self._machine, memory)

    # --- words beside the result -------------------------------------------------------------------------------------

    def _strays(self, row: KernelRow, emitted: _Emitted, before: Mapping[Local, NDArray[np.uint32]]) -> bool:
        """Whether words of LM were written that belong neither to the result nor to what the kernel may use."""
        if self._machine.bar0.any() or self._machine.bar1.any():
            self._machine.bar0[:] = self._machine.bar1[:] = 0
            return True
        for memory in LOCALS:
            written = _written(emitted, memory)
            if written is None:
                written = frozenset(np.flatnonzero((self._lm(memory) != before[memory]).any(axis=1)).tolist())
            if written - set(_allowed(row, emitted.op, memory)):
                return True
        return False


def _written(emitted: _Emitted, memory: Local) -> frozenset[int] | None:
    """The words of a local memory that a program may write; None where its text does not tell."""
    return words_in(emitted.written, memory.lower())


def _words(operand: Operand, memory: str) -> range:
    return range(operand.address, operand.address + operand.words) if operand.memory == memory else range(0)


def _allowed(row: KernelRow, op: Op, memory: str) -> Iterator[int]:
    """The words that a kernel may write: its result, scratch, and the room that its row gives it."""
    yield from _words(op.output, memory)
    yield from (word for given in op.taken for word in _words(given, memory))
    if row.room:
        end = max((o.address + o.words for o in (*op.inputs, op.output) if o.memory == memory), default=0)
        if memory == ("LM1" if row.task == "5.34" else "LM0"):
            yield from range(end, end + row.room)
