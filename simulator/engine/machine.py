"""The simulated machine: its memories, and running a program on them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from math import prod
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from simulator import isa
from simulator.engine import native
from simulator.engine.numpy.action import NotExecutable
from simulator.engine.numpy.step import check_line, decode_line
from simulator.engine.state import dump
from simulator.engine.state.elements import join_words, split_long_words
from simulator.engine.state.memories import Memories
from simulator.errors import ExecutionError, SimulatorError
from simulator.isa import program as p
from simulator.isa.cost import Cost, cost_of
from simulator.messages import tr
from simulator.once import once_per_program

ENGINES = ("numpy", "native")

Observer = Callable[[p.Line], None]
Decoded = Callable[[Memories], list[dump.Printed] | None]
L = TypeVar("L", bound=p.Line)
T = TypeVar("T")


@dataclass(frozen=True, repr=False)
class RunResult:
    """What a run leaves beside the memories. cycles: by the cost model (isa/cost.py); profile: the cost in detail."""

    entries: tuple[dump.Printed, ...]
    profile: Cost

    @property
    def dump(self) -> list[str]:
        """The dump lines of all `d get` statements, in order."""
        return [str(entry) for entry in self.entries]

    @property
    def steps(self) -> int:
        """PE steps, 4 cycles each."""
        return self.profile.steps

    @property
    def mv(self) -> int:
        """MV instructions."""
        return self.profile.moves

    @property
    def cycles(self) -> float:
        """Cycles by the cost model."""
        return self.profile.cycles

    def __repr__(self) -> str:
        """What a notebook shows below a cell that ends with a run: `2 steps (1 of them a nop) and 1 MV: 12 cycles`, in
        the language of the moment.
        """
        nops = self.profile.nops
        waits = tr(" ({nops} of them {value})", nops, tr("a nop") if nops == 1 else tr("nops")) if nops else ""
        steps = tr("{steps:,} step{s}{waits}", self.steps, "" if self.steps == 1 else "s", waits)
        lines = tr("; {entries} lines of dump in .dump", len(self.entries)) if self.entries else ""
        return tr("{steps} and {mv} MV: {cycles:,.0f} cycles{lines}", steps, self.mv, self.cycles, lines)


class Machine(Memories):
    """MN-Core 2 with all memories zero; the attributes of `Memories` are its state and may be read and written."""

    def __init__(self, engine: str = "numpy", threads: int = 0) -> None:
        """engine: "numpy", or "native" for the one in C++, which gives the same results and is built on first use.

        threads: of the native engine, 1 to 4; 0: as many as there are processors for. Where it cannot be built, a
        warning says why and the NumPy engine runs. Raises SimulatorError for other names.
        """
        if engine not in ENGINES:
            raise SimulatorError(tr("there is no engine {engine!r}", engine), " or ".join(map(repr, ENGINES)))
        super().__init__()
        self.engine = engine
        self._native: native.Engine | None = None
        if engine == "native":
            try:
                self._native = native.Engine(threads)
            except native.BuildError as error:
                warnings.warn(tr("{error}\n    the NumPy engine is used instead", error), stacklevel=2)
                self.engine = "numpy"

    def run(self, program: p.Program, until: int | None = None, observer: Observer | None = None) -> RunResult:
        """Execute the lines of a program in order, starting from the memories as they are.

        until: stop after the last line of the source text up to this number. observer: called after every line. Raises
        ExecutionError for a line that cannot be executed.
        """
        if until is not None:
            program = p.Program(program.filename, tuple(x for x in program.lines if x.line <= until), program.source)
        entries: list[dump.Printed] = []
        for line, execute in self._pieces(program, single=observer is not None):
            try:
                found = execute(self)
            except NotExecutable as error:
                raise ExecutionError(program.filename, line.line, error.message, error.fix) from error
            if found:
                entries += found
            if observer is not None:
                observer(line)
        return RunResult(tuple(entries), _cost(program))

    def _pieces(self, program: p.Program, single: bool) -> Iterable[tuple[p.Line, Decoded]]:
        """What executes the program, with the last line that each function stands for; single: one for every line."""
        if self._native is None:
            return zip(program.lines, decoded(program), strict=True)
        return self._native.pieces(self, program, _decoded_when_asked(program), single)

    def write_dram(self, address: int, array: npt.ArrayLike) -> None:
        """Store a tensor of 32-bit elements in DRAM, row-major, two elements per long word (design.md, section 5).

        address: in long words, the same in every group used. Up to 16 elements lie in group 0, more in four equal parts
        in groups 0 to 3. Raises SimulatorError for other element sizes and for tensors that cannot be parted.
        """
        values = np.ascontiguousarray(array)
        if values.dtype.itemsize != 4:
            raise SimulatorError(tr("DRAM holds 32-bit elements, received {dtype}", values.dtype), ".astype('float32')")
        parts = _parts(address, values.size)
        words = values.reshape(-1).view(np.uint32)
        if words.size % 2:
            words = np.append(words, np.uint32(0))
        long_words = join_words(words[0::2], words[1::2])
        for group, part in enumerate(np.split(long_words, parts)):
            self.dram[group].write(address, part)

    def read_dram(self, address: int, shape: Sequence[int], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
        """Read a tensor of 32-bit elements as `write_dram` stores it."""
        kind = np.dtype(dtype)
        if kind.itemsize != 4:
            raise SimulatorError(tr("DRAM holds 32-bit elements, asked for {kind}", kind), "float32, int32 or uint32")
        count = prod(shape)
        parts = _parts(address, count)
        size = -(-count // (2 * parts))
        long_words = np.concatenate([self.dram[group].read(address, size) for group in range(parts)])
        return split_long_words(long_words).reshape(-1)[:count].view(kind).reshape(tuple(shape))


def _parts(address: int, count: int) -> int:
    """In how many groups a tensor of `count` elements lies. Raises SimulatorError where it does not fit."""
    parts = 1 if count <= isa.SMALL_TENSOR else isa.GROUPS
    end = address + -(-count // (2 * parts))
    if address < 0 or end > isa.DRAM_LONGS:
        last, most = end - 1, isa.DRAM_LONGS - 1
        raise SimulatorError(
            tr("DRAM addresses {address} to {value} are not within 0 to {value2} (long words)", address, last, most),
            tr("a smaller address"),
        )
    if parts > 1 and count % (2 * parts):
        raise SimulatorError(
            tr(
                "a tensor of {count} elements cannot be parted evenly among the DRAMs of {groups} groups",
                count,
                isa.GROUPS,
            ),
            tr("pad it to a multiple of {value} elements", 2 * isa.GROUPS),
        )
    return parts


# --- decoding, once per program --------------------------------------------------------------------------------------


@once_per_program
def decoded(program: p.Program) -> list[Decoded]:
    """The functions that execute the program's lines.

    Raises ExecutionError for the first line that cannot be executed.
    """
    return [_decode(program.filename, line) for line in program.lines]


@once_per_program
def _decoded_when_asked(program: p.Program) -> Callable[[int], Decoded]:
    """The function that executes a line, by its number: the native engine needs few of them.

    Raises ExecutionError for the first line that cannot be executed, as `decoded` does.
    """
    filename, lines = program.filename, program.lines  # not the program, which is forgotten when nobody else has it
    for line in lines:
        if isinstance(line, p.Step | p.Move):
            _report(filename, line, check_line)

    @cache
    def function(number: int) -> Decoded:
        return _decode(filename, lines[number])

    return function


def _decode(filename: str, line: p.Line) -> Decoded:
    """The function that executes a line. Raises ExecutionError."""
    return _report(filename, line, lambda x: dump.decode(x) if isinstance(x, p.DebugGet) else decode_line(x))


def _report(filename: str, line: L, do: Callable[[L], T]) -> T:
    """`do(line)`, with a line that cannot be executed told by its place. Raises ExecutionError."""
    try:
        return do(line)
    except NotExecutable as error:
        raise ExecutionError(filename, line.line, error.message, error.fix) from error


_cost = once_per_program(cost_of)
