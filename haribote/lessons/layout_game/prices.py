"""What softmax costs on the chip, piece by piece: its five operators in three layouts, and the moves between these.

Every price is that of a program that exists. An operator costs what the stack's generators write, or what the
reference kernel of stage 05 writes, whichever is cheaper; a move what the stack writes for it, from LM to LM, and the
scheduler leaves of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np
import onnx
from onnx import helper

from haribote.answers.resolve import resolve_row
from haribote.kernel import Op, Operand
from haribote.kernel_table import BY_NAME
from haribote.layout import LAYOUTS as TAGS
from haribote.speed.chain import without_copies
from haribote.stack import moves
from haribote.stack.code import Code
from haribote.stack.maps import COPY, PART, BitMap
from haribote.stack.notation import of_layout
from haribote.stack.places import Place
from haribote.stack.planner.families import reduced
from haribote.stack.vectors.emit import emit
from haribote.stack.ways import Combine
from simulator import assemble
from simulator.assembly.checks import fix_nops
from simulator.isa.cost import Cost, cost_of
from simulator.schedule import schedule

LAYOUTS = ("A", "P", "B")
READS: Mapping[str, tuple[str, ...]] = {
    "max": ("logits",),
    "shifted": ("logits", "max"),
    "exp": ("shifted",),
    "sum": ("exp",),
    "softmax": ("exp", "sum"),
    "end": ("softmax",),
}
"""Which values each value is made of, in order; `end` is whoever reads the result."""
FIXED: Mapping[str, str] = {"logits": "A", "end": "A"}
"""A product leaves the logits in layout A, and a product reads the gradient in it."""
OPERATORS: Mapping[str, str] = {
    "max": "ReduceMax", "shifted": "Sub", "exp": "Exp", "sum": "ReduceSum", "softmax": "Div",
}  # fmt: skip
COLUMNS = ("max", "sum")
"""The values with one number for each row."""
JOIN: Mapping[str, Combine] = {"max": "fmax", "sum": "fadd"}
"""What joins the numbers of a row."""
_KERNELS: Mapping[tuple[str, str], str] = {
    ("max", "P"): "max_rows", ("shifted", "P"): "sub_rows", ("sum", "P"): "sum_rows", ("softmax", "P"): "div_rows",
    ("exp", "A"): "exp",
}  # fmt: skip


@dataclass(frozen=True)
class Prices:
    """work: of making a value in a layout. move: of bringing a value from a layout to another; free to the same."""

    work: Mapping[tuple[str, str], Cost]
    move: Mapping[tuple[str, str, str], Cost]

    @property
    def work_cycles(self) -> dict[tuple[str, str], float]:
        """In cycles; `end` costs nothing."""
        return {key: cost.cycles for key, cost in self.work.items()} | {("end", layout): 0.0 for layout in LAYOUTS}

    @property
    def move_cycles(self) -> dict[tuple[str, str, str], float]:
        """In cycles."""
        return {key: cost.cycles for key, cost in self.move.items()}


@cache
def prices() -> Prices:
    """All of them; it takes a second or two, once."""
    work = {(value, layout): min(_work(value, layout), key=lambda cost: cost.cycles)
            for value in OPERATORS for layout in LAYOUTS}  # fmt: skip
    values = ("logits", *OPERATORS)
    kinds = {(kind, a, b): _move(kind, a, b) for kind in (False, True) for a in LAYOUTS for b in LAYOUTS}
    move = {(value, a, b): kinds[value in COLUMNS, a, b] for value in values for a in LAYOUTS for b in LAYOUTS}
    return Prices(work, move)


def map_of(layout: str, column: bool = False) -> BitMap:
    """Where a 256x16 matrix is in a layout, or its column: a number for each row, copied to all PEs of the row.

    The column of layout P is the layout 256 of the kernels, with two rows in a long word.
    """
    whole = of_layout(TAGS[f"256x16.{layout}"])
    if not column:
        return whole
    if layout == "P":
        return replace_shape(of_layout(TAGS["256"]), (256, 1))
    return without_copies(reduced(whole, (1,), COPY))


def replace_shape(found: BitMap, shape: tuple[int, ...]) -> BitMap:
    """The same bits of a value of another shape with as many elements."""
    return BitMap.of(found.memory, shape, dict(found.carries))


def _work(value: str, layout: str) -> list[Cost]:
    """The costs of the programs that make a value in a layout."""
    found = []
    if (value, layout) in _KERNELS:
        found.append(_of_kernel(_KERNELS[value, layout]))
    if layout != "P" or value == "exp":
        found.append(_of_lines(program(value, layout)[1]))
    return found


def program(value: str, layout: str) -> tuple[list[str], list[str]]:
    """What the stack's generators write: lines that set constants up, once before all steps, and the lines of the step.

    The operands lie in LM0 from word 0 on, one behind the other, the result in LM1 from word 0 on.
    """
    code, taken, places = Code(), 0, {}
    for name in READS[value]:
        places[name] = Place("LM0", taken, map_of(layout, name in COLUMNS))
        taken += places[name].words
    target = Place("LM1", 0, map_of(layout, value in COLUMNS))
    if value in COLUMNS:
        (source,) = places.values()
        parts = Place("LM0", 0, reduced(source.map, (1,), PART))
        moves.emit(code, parts, target, JOIN[value])
    else:
        node: onnx.NodeProto = helper.make_node(OPERATORS[value], list(places), [value], name=value)
        reads = {name: (place,) for name, place in places.items()}
        emit(code, [node], reads, {value: (target,)}, dict.fromkeys(places, np.dtype(np.float32)), {})
    return list(code.setup), code.lines


def _move(column: bool, before: str, after: str) -> Cost:
    source, target = map_of(before, column), map_of(after, column)
    if before == after:
        return Cost()
    code = Code()
    moves.emit(code, Place("LM1", 0, source), Place("LM0", 0, target))
    return cost_of(schedule(assemble(fix_nops(assemble("\n".join(code.lines) + "\n"))), rename=True))


def _of_kernel(name: str) -> Cost:
    """The reference kernel of a row of the table, operands in LM0, result in LM1."""
    row, taken, inputs = BY_NAME[name], 0, []
    for number, tag in enumerate(row.inputs):
        inputs.append(Operand(f"in{number}", TAGS[tag].shape, "float32", TAGS[tag], "LM0", taken))
        taken += TAGS[tag].words
    output = Operand("out", TAGS[row.output].shape, "float32", TAGS[row.output], "LM1", 0)
    answer = resolve_row(row, solutions=True)
    assert answer is not None, "the course has a reference kernel of every row"
    return _of_lines(list(answer.kernel(Op(row.op, tuple(inputs), output, {}, scratch_from=0))))


def _of_lines(lines: list[str]) -> Cost:
    return cost_of(assemble(fix_nops(assemble("\n".join(lines) + "\n"))))
