"""Decode the lines of a program into functions of the memories: steps, MV lines and debug statements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from simulator.engine.numpy import alu, dar, l1bm, mau, transfers
from simulator.engine.numpy.action import Action
from simulator.engine.state import debug
from simulator.engine.state.memories import Memories
from simulator.isa import program as p

Run = Callable[[Memories], None]

_DECODERS: dict[str, Callable[[p.Instruction], Action[Any]]] = {
    "alu": alu.decode,
    "mau": lambda i: mau.decode_vector(i) if i.op.startswith("v") else mau.decode_product(i),
    "mau-write": mau.decode_write,
    "mau-read": mau.decode_read,
    "l1bm": l1bm.decode,
    "l2bm": lambda i: dar.decode_fetch(i) if i.op == "l2bmdars" else transfers.decode_instruction(i),
    "l2bmdarw": dar.decode_write,
}
_SILENT = ("nop", "noforward", "wait")


def decode_step(step: p.Step) -> Run:
    """A function that executes one step: compute everything, then write everything (isa.md, section 2).

    Steps that are a nop or contain `noforward` leave the forwarding paths and the turnaround register alone. Raises
    NotExecutable.
    """
    actions = [decode_instruction(i) for i in step.instructions if i.unit not in _SILENT]
    if not actions:
        return _nothing
    forwards = all(i.op != "noforward" for i in step.instructions)
    writes = [(number, write) for number, action in enumerate(actions) for write in action.writes]
    stores = [(number, write.store) for number, write in sorted(writes, key=lambda item: item[1].rank)]
    computes = [action.compute for action in actions]
    latches = [(number, a.latch) for number, a in enumerate(actions) if a.latch is not None and forwards]

    def run(memories: Memories) -> None:
        results = [compute(memories) for compute in computes]
        for number, store in stores:
            store(memories, results[number])
        for number, latch in latches:
            latch(memories, results[number])

    return run


def _nothing(_: Memories) -> None:
    """What a nop does."""


def decode_instruction(instruction: p.Instruction) -> Action[Any]:
    """The action of one PE instruction. Raises NotExecutable."""
    return _DECODERS[instruction.unit](instruction)


def decode_line(line: p.Step | p.Move | p.DebugSet | p.DramPreset) -> Run:
    """A function that executes one line. Raises NotExecutable."""
    if isinstance(line, p.Step):
        return decode_step(line)
    if isinstance(line, p.Move):
        return transfers.decode_move(line)
    if isinstance(line, p.DramPreset):
        values = np.array(line.values, np.uint64)
        return lambda memories: memories.dram[line.group].write(line.address, values)
    return debug.decode_set(line)


# --- whether a line can be executed, without decoding it -------------------------------------------------------------

_executable: set[tuple[object, ...]] = set()
"""Forms of instructions and moves that can be executed."""


def check_line(line: p.Step | p.Move) -> None:
    """Raise NotExecutable where `decode_line` does. That depends on the form of a line only, which is decoded once."""
    for item in line.instructions if isinstance(line, p.Step) else (line,):
        form = _form_of(item)
        if form not in _executable:
            if isinstance(item, p.Move):
                transfers.decode_move(item)
            elif item.unit not in _SILENT:
                decode_instruction(item)
            _executable.add(form)


def _form_of(item: p.Instruction | p.Move) -> tuple[object, ...]:
    """All but addresses, amounts and units chosen."""
    if isinstance(item, p.Move):
        ends = [x and type(x.operand) for x in (item.source, item.destination)]
        return item.op, item.precision, item.reduction, *ends
    sources = [(type(x.operand), x.negate, x.widen, x.narrow) for x in item.sources]
    targets = [type(x.operand) for x in item.destinations]
    flags = (item.rows, item.narrow, item.unsigned, item.l1bs is None)
    return item.unit, item.op, item.precision, item.reduction, *flags, *sources, *targets
