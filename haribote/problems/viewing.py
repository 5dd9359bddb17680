"""`haribote kernel NAME --view`: a page to step through a kernel, on operands with values."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from haribote.answers.tasks import ROOT
from haribote.chip.operands import write_operand
from haribote.kernel import Op
from haribote.kernel_table import KernelRow, problem
from haribote.problems.judge_case import values
from haribote.problems.problem import answer_of, emit, rows_named
from simulator import Machine, assemble
from simulator.files import read, write_file
from simulator.judge.verdict import read_testcase
from simulator.messages import say, tr
from simulator.view import View
from simulator.view.browser import open_page

FOLDER = ROOT / "runs" / "view"


def view_kernels(names: Sequence[str], testcase: Path | None, solutions: bool, show: bool) -> int:
    """Write a page per kernel and print its name; exit status 0. show: also open it in a browser.

    Raises ProblemError for unknown names, NotWritten, what a kernel raises, AssemblyError and ExecutionError.
    """
    if testcase is not None:
        row, op = answer_of(names, testcase)
        machine = Machine()
        machine.run(read_testcase(read(testcase), str(testcase)).prefix)
        asked = [(row, op, machine, tr("The operands are those of {name}.", testcase.name))]
    else:
        asked = [
            (row, problem(row), prepared(row, problem(row)), tr("The operands are random values, the same each time."))
            for row in rows_named(names)
        ]
    for row, op, machine, note in asked:
        text = emit(row, op, solutions)
        view = View(assemble(text, filename=f"{row.name}.vsm"), machine, notes=[note])
        path = FOLDER / f"{row.name}.html"
        write_file(path, view.page)
        say(f"{path}: {view.frames} steps", flush=True)
        if show:
            open_page(path)
    return 0


def prepared(row: KernelRow, op: Op, seed: int = 0) -> Machine:
    """A machine with values in the places of an operator's inputs, in every copy."""
    machine = Machine()
    rng = np.random.default_rng([seed, *row.name.encode()])
    for operand, array in zip(op.inputs, values(row, op, rng), strict=True):
        write_operand(machine, operand, array)
    return machine
