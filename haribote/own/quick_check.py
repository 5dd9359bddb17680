"""A kernel's result for one set of random values: what is asked of a kernel that nobody has checked since it changed.

What was found is kept by the text that the kernel emits, in `runs/quick_checks.json`: the same text is not run again.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from haribote.answers.tasks import ROOT
from haribote.chip.operands import read_operand, write_operand
from haribote.kernel import Op, Operand
from haribote.kernel_table import KernelRow, problem, row_named
from haribote.problems.judge_case import values
from haribote.problems.meaning import meaning, not_meant
from simulator import Machine, SimulatorError, assemble
from simulator.assembly.checks import check
from simulator.files import FileError, locked, write_file
from simulator.isa.program import Program
from simulator.messages import tr

FILE = "runs/quick_checks.json"
MOST_KEPT = 400
"""Texts of which the file says something; the oldest leave first."""
ELSEWHERE = 9_024
"""Long words from the problem set's addresses in DRAM to ours, so that no kernel passes that relies on the former."""


def looked_at(row: KernelRow) -> Op:
    """The operator that the quick check asks a kernel for: that of the problem set, elsewhere in DRAM."""
    op = problem(row)
    return replace(op, inputs=tuple(map(_elsewhere, op.inputs)), output=_elsewhere(op.output))


def _elsewhere(operand: Operand) -> Operand:
    return operand.at(ELSEWHERE) if operand.memory == "DRAM" else operand


def what_is_wrong(row: KernelRow, text: str, root: Path = ROOT) -> str:
    """What is wrong with what a kernel yields for `looked_at(row)`, in one line; "" where nothing is found."""
    return _what_is_wrong(row.name, text, root)


@lru_cache(maxsize=256)
def _what_is_wrong(name: str, text: str, root: Path) -> str:
    key = hashlib.sha256(f"{name}\n{text}".encode()).hexdigest()
    kept = _kept(root / FILE)
    if key in kept:
        return kept[key]
    found = _found(row_named(name), text)
    _keep(root / FILE, key, found)
    return found


def _found(row: KernelRow, text: str) -> str:
    try:
        program = assemble(text, filename=f"kernel {row.name}")
        bad = next((finding for finding in check(program) if finding.severity == "error"), None)
        if bad is not None:
            return tr("line {line} of its assembly: {message}", bad.line, bad.message)
        wrong = wrong_result(row, looked_at(row), program)
    except SimulatorError as error:
        return str(error).split("\n", 1)[0]
    return tr("{wrong} (`grader check {task}` says more)", wrong, row.task) if wrong else ""


def wrong_result(row: KernelRow, op: Op, program: Program) -> str:
    """The first element that is wrong: `out[0, 3] is -1.2, should be 0`; "" where none is.

    It looks at one case, and at copy 0 of the result only: `check` looks at many. Raises ExecutionError.
    """
    machine = Machine()
    arrays = values(row, op, np.random.default_rng(0))
    for operand, array in zip(op.inputs, arrays, strict=True):
        write_operand(machine, operand, array, everywhere=row.op != "UL")
    machine.run(program)
    received = read_operand(machine, op.output)
    constant = float(op.attributes.get("constant", 1.0))
    right = meaning(row, arrays, constant)
    wanted, wrong = right[0], not_meant(row, right, received)
    if not wrong.any():
        return ""
    index = tuple(int(number) for number in np.argwhere(wrong)[0])
    where = ", ".join(map(str, index))
    return tr(
        "out[{where}] is {received:.6g}, should be {wanted:.6g}", where, float(received[index]), float(wanted[index])
    )


def _kept(path: Path) -> dict[str, str]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):  # none yet, or damaged: it is found again by looking
        return {}
    entries = found.items() if isinstance(found, dict) else ()
    return {key: said for key, said in entries if isinstance(said, str)}


def _keep(path: Path, key: str, said: str) -> None:
    """Add an entry. Where it cannot be kept, the next process looks again."""
    try:
        with locked(path.with_name(f".{path.name}.lock")):
            entries = [*_kept(path).items(), (key, said)][-MOST_KEPT:]
            write_file(path, json.dumps(dict(entries), indent=0) + "\n", durable=False)
    except (OSError, FileError):
        pass
