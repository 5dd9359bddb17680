"""Which words a word was made of, for the page: every line's instructions with a table of what goes where.

The tables are those of `simulator.trace`: asked once for every kind of instruction, at unit 0, since an instruction
does the same in all units of its level. What depends on the run (T, `j`, base addresses) is in the recorded accesses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator import isa
from simulator.effects.accesses import memory_of
from simulator.effects.inputs import Datum, Input, combined, flag_inputs, inputs_of, names_of, sent_to
from simulator.effects.places import Place
from simulator.engine.numpy.operands import is_dynamic, static_rows
from simulator.isa import program as p
from simulator.isa.transfers import Transfer, move_transfer, transfer_of
from simulator.isa.units import PATHS
from simulator.trace.history import ZERO_FLUSH
from simulator.view.recording import Frame

Json = dict[str, Any]
Store = Callable[[NDArray[Any]], int]
CYCLES, PES, WORDS = isa.STEP_CYCLES, isa.PES_PER_MAB, 4


class Flows:
    """Encodes the flow of frames; tables that lines share are kept once, in `tables`."""

    def __init__(self, store: Store) -> None:
        """store: keeps a block of numbers and says where."""
        self.tables: list[Any] = []
        self._store = store
        self._known: dict[Any, int] = {}

    def of(self, frame: Frame) -> list[Json]:
        """The parts of a frame: an instruction each, or one MV line."""
        line = frame.lines[0] if frame.lines else None
        if isinstance(line, p.Move):
            return list(self._move(line))
        if not isinstance(line, p.Step):
            return []
        silent = any(instruction.op == "noforward" for instruction in line.instructions)
        parts = (self._instruction(n, i, frame, silent) for n, i in enumerate(line.instructions))
        return [part for part in parts if part["d"] or "p" in part or "u" in part]

    # --- steps -------------------------------------------------------------------------------------------------------

    def _instruction(self, number: int, instruction: p.Instruction, frame: Frame, silent: bool) -> Json:
        """s: sources, with the names they have in the meaning; d: destinations; p: the path that keeps the result;
        z: the mask entry of a zero-flush; u: the table of what goes to the turnaround register; k, t: the kind of table
        and which.
        """
        sources, count = instruction.sources, len(instruction.sources)
        named = zip(names_of(instruction), sources, strict=True)
        part: Json = {
            "o": instruction.text,
            "s": [{"n": name} | _source(s, frame, (number, n)) for n, (name, s) in enumerate(named)],
            "d": [
                _destination(d, frame, (number, count + n))
                for n, d in enumerate(instruction.destinations)
                if not isinstance(d.operand, p.NoWrite)
            ],
        }
        if instruction.flush is not None and not p.is_fixed(instruction.flush):
            part["z"] = {"n": ZERO_FLUSH, "e": instruction.flush}
        transfer = transfer_of(instruction)
        if not silent and transfer is not None and instruction.form.from_pes:  # to the register: from 0 on, no shift
            part["u"] = self._points(replace(transfer, constants={**transfer.constants, "B": 0, "n": 0}))
        elif not silent and instruction.path in PATHS:
            part["p"] = instruction.path
        if transfer is not None and instruction.unit in ("l1bm", "l2bm"):
            part["k"], part["t"] = ("up" if instruction.form.from_pes else "points"), self._points(transfer)
            if instruction.form.from_pes:
                source, wide = sources[0], transfer.constants["W"]
                part["c"] = [combined(instruction, source, word, wide) for word in range(2 * wide)]
            if instruction.reduction and instruction.precision in "dl":
                part["h"] = 1
        elif instruction.unit == "mau-write":
            part["k"], part["t"] = "matrix", self._table(_key(instruction, "matrix"), lambda: _matrix(instruction))
        else:
            part["k"], part["t"] = "pe", self._table(_key(instruction, "pe"), lambda: _pe_table(instruction))
            if any(isinstance(d.operand, p.MaskRegister) for d in instruction.destinations):
                part["f"] = self._table(_key(instruction, "flags"), lambda: _flag_table(instruction))
        return part

    def _move(self, move: p.Move) -> Iterator[Json]:
        transfer = move_transfer(move)
        if transfer is None or move.source is None or move.destination is None or not transfer.known:
            return  # where addresses come from the DRAM address table, only the lines are told
        ends, starts = memory_of(move.destination.operand), memory_of(move.source.operand)
        part = {"o": move.text, "s": [{"n": "from", "m": starts}], "d": [{"m": ends}], "k": "points"}
        yield part | {"t": self._points(transfer)} | ({"h": 1} if move.reduction and move.precision in "dl" else {})

    # --- tables ------------------------------------------------------------------------------------------------------

    def _table(self, key: Any, make: Callable[[], Any]) -> int:
        if key not in self._known:
            self._known[key] = len(self.tables)
            self.tables.append(make())
        return self._known[key]

    def _points(self, transfer: Transfer) -> int:
        """Pairs of coordinates, destination before source: the first, and how each differs from the one before."""
        ends, starts = transfer.all_points
        points = np.concatenate([ends, starts], axis=1).astype(np.int32)
        steps = np.diff(points, axis=0)
        key = (steps.tobytes(), tuple(points[0]), ends.shape[1])

        def make() -> Json:
            first = [int(number) for number in points[0]]
            return {"first": first, "ends": ends.shape[1], "count": len(points), "at": self._store(steps.T)}

        return self._table(key, make)


def _key(instruction: p.Instruction, kind: str) -> tuple[Any, ...]:
    """What a table depends on: all of an instruction but its addresses in the PEs."""
    ends = (*map(_shape, instruction.sources), *map(_shape, instruction.destinations))
    return (kind, instruction.op, instruction.precision, instruction.narrow, instruction.rows, instruction.shift, ends)


def _shape(end: p.Source | p.Destination) -> tuple[Any, ...]:
    operand = end.operand
    known = operand if isinstance(operand, p.Matrix) else getattr(operand, "words", 0)
    return type(operand).__name__, known, getattr(end, "widen", False), getattr(end, "narrow", False)


def _pe_table(instruction: p.Instruction) -> list[list[list[int]]]:
    """The inputs of every word of the result, [PE 4, cycle 4, word 4] in one list."""
    every = (Datum(pe, cycle, word) for pe in range(PES) for cycle in range(CYCLES) for word in range(WORDS))
    return [_inputs(inputs_of(instruction, at)) for at in every]


def _flag_table(instruction: p.Instruction) -> list[list[list[int]]]:
    """The inputs of the flags, [PE 4, cycle 4] in one list."""
    return [_inputs(flag_inputs(instruction, Datum(pe, c, 0))) for pe in range(PES) for c in range(CYCLES)]


def _matrix(instruction: p.Instruction) -> list[list[list[int]] | None]:
    """The inputs of every word of a matrix register; None for those that are not written."""
    operand = instruction.destinations[0].operand
    assert isinstance(operand, p.Matrix)
    found = (sent_to(instruction, Place(f"m{operand.register}", 0, word)) for word in range(isa.MATRIX_ROWS * 8))
    return [None if inputs is None else _inputs(inputs) for inputs in found]


def _inputs(found: Sequence[Input]) -> list[list[int]]:
    """[source, PE, cycle, word], or [source, word of the matrix register]."""
    return [
        [source, where.word] if isinstance(where, Place) else [source, where.pe, where.cycle, where.word]
        for source, where in found
    ]


# --- operands --------------------------------------------------------------------------------------------------------


def _source(source: p.Source, frame: Frame, end: tuple[int, int]) -> Json:
    operand = source.operand
    if isinstance(operand, p.PeMemory):
        return _pe_memory(operand, frame, end)
    if isinstance(operand, p.TRegister | p.Path):
        return {"m": memory_of(operand), "w": WORDS}
    return {"m": memory} if (memory := memory_of(operand)) else {}


def _destination(destination: p.Destination, frame: Frame, end: tuple[int, int]) -> Json:
    operand, mask = destination.operand, destination.mask
    found: Json = {"m": "" if isinstance(operand, p.Dar) else memory_of(operand)}
    if isinstance(operand, p.PeMemory):
        found = _pe_memory(operand, frame, end)
    elif isinstance(operand, p.TRegister):
        found["w"] = WORDS
    elif isinstance(operand, p.MaskRegister):
        found["e"] = operand.entry
    elif isinstance(operand, p.BaseAddress):
        found |= {"e": int(operand.bank == "lm1"), "w": operand.words}
    if mask is not None and mask.fixed:
        found["c"] = list(mask.cycles)
    return found


def _pe_memory(operand: p.PeMemory, frame: Frame, end: tuple[int, int]) -> Json:
    """m: memory; w: words per cycle; a: the first address of every cycle, or x: which access has them."""
    access = next((n for n, access in enumerate(frame.accesses) if access.end == end), -1)
    own = access >= 0 and frame.accesses[access].addresses is None
    if own or is_dynamic(operand):
        return {"m": operand.bank, "w": operand.words, "x": access}
    return {"m": operand.bank, "w": operand.words, "a": static_rows(operand)[:, 0].tolist()}
