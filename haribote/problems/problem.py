"""`haribote kernel`: one kernel's assembly, at the addresses of the problem set or for a judge's test case."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path

from haribote.answers.resolve import resolve_row
from haribote.answers.tasks import current_id
from haribote.chip.codegen import run_kernel
from haribote.errors import HariboteError, NotWritten
from haribote.kernel import Memory, Op, Operand
from haribote.kernel_table import BY_NAME, KERNELS, KernelRow, attributes_of, problem, rows_of
from haribote.layout import Layout
from haribote.words import word
from simulator import assemble
from simulator.columns import aligned
from simulator.files import read_bytes
from simulator.messages import Text, tr
from simulator.shell import command_line

_HEADER = re.compile(r"#\s*=+\s*(In|Out)\(\d+\):\s*(?P<layout>.*?)@(?P<memory>LM0|LM1|DRAM)\s*/\s*(?P<type>\w+)")
_DTYPES = {"Float": "float32", "Int": "int32"}
MOST_BYTES = 1 << 26
"""Of a test case."""
TESTCASE = Text("a test case of the judge, .vsm, whose header lines name the operands")


class ProblemError(HariboteError):
    """A kernel name or a test case is not one that we can answer."""


@dataclass(frozen=True)
class Header:
    """The operands that a test case declares."""

    inputs: tuple[Operand, ...]
    output: Operand


def print_kernels(names: Sequence[str], testcase: Path | None, solutions: bool) -> str:
    """The assembly of the named kernels, or the answer to a test case. Raises ProblemError for unknown names."""
    if testcase is None:
        return "".join(emit(row, problem(row), solutions) for row in rows_named(names))
    return emit(*answer_of(names, testcase), solutions)


def answer_of(names: Sequence[str], testcase: Path) -> tuple[KernelRow, Op]:
    """The kernel and the operator that a test case asks for. Raises ProblemError."""
    rows = rows_named(names) if names else list(KERNELS)
    if len(names) > 1:
        raise ProblemError(
            tr("one test case is answered by one kernel"),
            f"`{command_line('haribote', 'kernel', names[0], '--testcase', testcase)}`",
        )
    header = read_header(testcase)
    row = rows[0] if len(rows) == 1 else find_row(testcase, header, rows)
    return row, answer_to(row, header)


def rows_named(names: Sequence[str]) -> list[KernelRow]:
    """The rows of the kernel table that have these names; a task's id, such as "5.15", names all of its rows.

    Raises ProblemError for no name or an unknown one.
    """
    if not names:
        raise ProblemError(tr("which kernel?"), tr("`haribote kernel relu`, or `haribote kernel --list` for all names"))
    return [row for name in names for row in _rows_of_one(name)]


def _rows_of_one(name: str) -> tuple[KernelRow, ...]:
    found = (BY_NAME[name],) if name in BY_NAME else rows_of(current_id(name))
    if not found:
        near = get_close_matches(name, [*BY_NAME, *(row.task for row in KERNELS)], n=1)
        meant = tr("did you mean {near}? ", near[0]) if near else ""
        raise ProblemError(
            tr("there is no kernel {name!r}", name), tr("{meant}`haribote kernel --list` shows names and tasks", meant)
        )
    return found


def answer_to(row: KernelRow, header: Header) -> Op:
    """The operator of a row with the memories and addresses that a test case asks for."""
    wanted = problem(row)
    if len(wanted.inputs) != len(header.inputs):
        raise ProblemError(
            tr(
                "kernel {name} has {inputs} inputs, the test case {inputs2}",
                row.name,
                len(wanted.inputs),
                len(header.inputs),
            )
        )
    inputs = tuple(_at(ours, theirs) for ours, theirs in zip(wanted.inputs, header.inputs, strict=True))
    return Op(row.op, inputs, _at(wanted.output, header.output), attributes_of(row))


def judge_problem(row: KernelRow) -> Op:
    """The operator of a row as the problem set has it: there a UL reads LM0."""
    op = problem(row)
    return replace(op, inputs=(replace(op.x, memory="LM0"),)) if row.op == "UL" else op


def _at(ours: Operand, theirs: Operand) -> Operand:
    return replace(ours, memory=theirs.memory, address=theirs.address)


def emit(row: KernelRow, op: Op, solutions: bool) -> str:
    """The assembly text of one kernel, one line per step. Raises NotWritten where the learner has not written it."""
    answer = resolve_row(row, solutions)
    if answer is None:
        raise NotWritten(
            tr("kernel {name} (task {task}) is not written yet", row.name, row.task),
            tr("--solutions prints the reference"),
        )
    return "".join(f"{line}\n" for line in run_kernel(answer.kernel, op))


def list_kernels(solutions: bool) -> str:
    """A table of all kernels: task, name, operator, layouts, par, and cost where the kernel is written."""
    rows = [tuple(map(word, ("task", "name", "operator", tr("inputs -> output"), "par", "cost")))]
    for row in KERNELS:
        answer = resolve_row(row, solutions)
        cost = "-"
        if answer is not None:
            program = assemble("\n".join(run_kernel(answer.kernel, problem(row))), filename=row.name)
            cost = str(program.steps + program.moves)
        rows.append((row.task, row.name, row.op, f"{', '.join(row.inputs)} -> {row.output}", str(row.par), cost))
    return "\n".join(aligned(rows))


def read_header(testcase: Path) -> Header:
    """The operands of a judge's test case: inputs one after another from 0 of their memory, the output at 0."""
    try:
        text = read_bytes(testcase, MOST_BYTES).decode("utf-8")
    except UnicodeDecodeError as error:
        raise ProblemError(tr("cannot read {testcase}: it is no text", testcase), TESTCASE) from error
    inputs: list[Operand] = []
    outputs: list[Operand] = []
    ends: dict[str, int] = {}
    for match in _HEADER.finditer(text):
        found = inputs if match[1] == "In" else outputs
        layout, memory = Layout.parse(match["layout"]), match["memory"]
        if match["type"] not in _DTYPES:
            raise ProblemError(
                tr("{testcase}: operands are Float or Int, received {match}", testcase, match["type"]), TESTCASE
            )
        address = ends.get(memory, 0) if match[1] == "In" else 0
        operand = _operand(f"{match[1].lower()}{len(found)}", layout, memory, address, _DTYPES[match["type"]])
        ends[memory] = operand.address + operand.words
        found.append(operand)
    if not inputs or len(outputs) != 1:
        raise ProblemError(
            tr("{testcase} is not a judge's test case: it has no In(…) and Out(…) header lines", testcase), TESTCASE
        )
    return Header(tuple(inputs), outputs[0])


def find_row(testcase: Path, header: Header, rows: Sequence[KernelRow] = KERNELS) -> KernelRow:
    """Of some rows the one that a test case asks for, by its file name or else by its operands."""
    for row in rows:
        if row.testcase and row.testcase == testcase.stem:
            return row
    fitting = [row for row in rows if _fits(row, header)]
    if len(fitting) == 1:
        return fitting[0]
    names = ", ".join(row.name for row in fitting) or "none"
    raise ProblemError(
        tr(
            "{testcase}: the file name is not one of the problem set's, and the kernels with such operands "
            "are: {names}",
            testcase,
            names,
        ),
        f"`{command_line('haribote', 'kernel', 'NAME', '--testcase', testcase)}`",
    )


def _fits(row: KernelRow, header: Header) -> bool:
    wanted = problem(row)
    same_inputs = len(wanted.inputs) == len(header.inputs) and all(
        _same(ours, theirs) for ours, theirs in zip(wanted.inputs, header.inputs, strict=True)
    )
    return same_inputs and _same(wanted.output, header.output)


def _same(ours: Operand, theirs: Operand) -> bool:
    if (ours.memory == "DRAM") != (theirs.memory == "DRAM"):
        return False
    layout = _without_checked_l2bs(theirs.layout)
    return ours.shape == layout.shape and (ours.memory == "DRAM" or ours.layout == layout)


def _without_checked_l2bs(layout: Layout) -> Layout:
    """A leading axis over L2Bs alone says which copies the judge looks at (isa.md, section 4); it is no tensor axis."""
    first, *rest = layout.axes
    return Layout(tuple(rest)) if rest and all(digit.level == "L2B" for digit in first) else layout


def _operand(name: str, layout: Layout, memory: str, address: int, dtype: str) -> Operand:
    kind: Memory = "DRAM" if memory == "DRAM" else "LM0" if memory == "LM0" else "LM1"
    return Operand(name, layout.shape, dtype, layout, kind, address)
